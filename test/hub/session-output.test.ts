/** What running commands write, as it comes: whole lines, in order, without secrets; and pages of a transcript. */
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { HubEvent } from '../../src/hub/hub.ts'
import { until } from '../path/home.ts'
import { hubHome, HUMAN, PEER } from './hub-home.ts'

const SESSION = {
  'rooms/shop/sessions/s-aaaaaa.md': '---\nid: s-aaaaaa\ntask: t-aaaaaa\nstatus: running\n---\n',
}
const CHANNEL = 'session:s-aaaaaa:output'

async function running() {
  const home = await hubHome(SESSION)
  const write = (step: string, text: string) => {
    const path = join(home.home.dir, '.git/neo/sessions/s-aaaaaa/steps', step, 'out')
    mkdirSync(dirname(path), { recursive: true })
    appendFileSync(path, text)
  }
  const listen = async (since?: number) => {
    const events: HubEvent[] = []
    const of = { channel: CHANNEL, ...(since === undefined ? {} : { since }) }
    const end = await home.hub.subscribe(HUMAN, of, (event) => void events.push(event))
    return { events, end, text: () => textIn(events) }
  }
  return { ...home, write, listen }
}

interface Piece {
  readonly step: string
  readonly text: string
  readonly skipped: number
}

function pieces(events: readonly HubEvent[]): readonly Piece[] {
  return events.flatMap(({ data }) => {
    const { snapshot = [], change } = data as { snapshot?: readonly Piece[]; change?: Piece }
    return change === undefined ? snapshot : [change]
  })
}

function textIn(events: readonly HubEvent[]): string {
  return pieces(events)
    .map(({ text }) => text)
    .join('')
}

test('a listener gets what was written, then each line as it comes, of each step', async () => {
  const { write, listen, hub } = await running()
  write('step-0', 'one\n')
  const { events, text } = await listen()
  write('step-0', 'two\nthr')
  write('step-1', '\u001b[32mgreen\u001b[0m\n')
  await until(() => text().includes('green') && text().includes('two'))
  write('step-0', 'ee\n')
  await until(() => text().includes('three'))
  hub.close()
  const of = (step: string) =>
    pieces(events)
      .filter((piece) => piece.step === step)
      .map((piece) => piece.text)
      .join('')
  expect([of('step-0'), of('step-1')]).toEqual(['one\ntwo\nthree\n', '\u001b[32mgreen\u001b[0m\n'])
  expect(events[0]?.data).toEqual({ snapshot: [{ step: 'step-0', text: 'one\n', skipped: 0 }] })
})

test('a line without an end is shown after a while, and a progress bar at each return', async () => {
  const { write, listen, hub } = await running()
  const { text } = await listen()
  write('step-0', '10%\r20%\r')
  await until(() => text() === '10%\r20%\r')
  write('step-0', 'Continue? ')
  await until(() => text().endsWith('Continue? '))
  hub.close()
})

test('secrets are masked, also if they are written in pieces, and keys of many lines', async () => {
  const { write, listen, hub } = await running()
  const { text } = await listen()
  const token = `ghp_${'a1B2'.repeat(9)}`
  write('step-0', `token ${token.slice(0, 12)}`)
  write('step-0', `${token.slice(12)}\n-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n`)
  await until(() => text().includes('***'))
  write('step-0', 'MIIEdef\n')
  write('step-0', '-----END RSA PRIVATE KEY-----\nafter\n')
  await until(() => text().includes('after'))
  hub.close()
  expect(text()).not.toMatch(/ghp_|MIIE/)
})

test('a flood costs its end only, and says what was skipped', async () => {
  const { write, listen, hub } = await running()
  write('step-0', 'line of the beginning\n'.repeat(10_000))
  const { events, text } = await listen()
  await until(() => events.length > 0)
  expect(pieces(events)[0]?.skipped).toBeGreaterThan(100_000)
  expect(text().length).toBeLessThanOrEqual(64 * 1024)
  write('step-0', `${'x'.repeat(99)}\n`.repeat(20_000))
  write('step-0', 'the last line\n')
  await until(() => text().includes('the last line'))
  hub.close()
  expect(text().length).toBeLessThan(1_000_000)
  expect(pieces(events).some(({ skipped }, at) => at > 0 && skipped > 1_000_000)).toBe(true)
})

test('who comes back misses nothing, and a peer gets nothing', async () => {
  const { write, listen, hub } = await running()
  write('step-0', 'one\n')
  const { events, end } = await listen()
  await until(() => events.length === 1)
  end()
  write('step-0', 'two\n')
  const back = await listen(events[0]?.seq ?? 0)
  await until(() => back.text() === 'two\n')
  await expect(hub.subscribe(PEER, { channel: CHANNEL }, () => {})).rejects.toMatchObject({ code: -32001 })
  await expect(hub.subscribe(HUMAN, { channel: 'session:../x:output' }, () => {})).rejects.toMatchObject({
    code: -32002,
  })
  hub.close()
})

test('session.transcript reads a long transcript page by page, each entry once, in order', async () => {
  const lines = Array.from({ length: 2_500 }, (_, at) =>
    JSON.stringify({
      v: 1,
      id: `e${at}`,
      ts: '2026-03-01T09:00:00Z',
      type: 'user',
      text: 'é'.repeat(at % 300),
    }),
  )
  const torn = '{"v":1,"id":"torn'
  const { call } = await hubHome({
    ...SESSION,
    'rooms/shop/transcripts/s-aaaaaa.jsonl': `${lines.join('\n')}\n${torn}`,
  })
  const seen: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof call<'session.transcript'>>> = await call('session.transcript', {
      sessionId: 's-aaaaaa',
      limit: 300,
      ...(cursor === undefined ? {} : { cursor }),
    })
    seen.unshift(...page.entries.map(({ id }) => id))
    cursor = page.cursor
  }
  expect(seen).toEqual(lines.map((_, at) => `e${at}`))
})
