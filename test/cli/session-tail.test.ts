/** neo session tail -f: each entry once, in order, until the session ends. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openOutput } from '../../src/cli/output.ts'
import { tail } from '../../src/cli/session/tail-session.ts'
import type { Call } from '../../src/cli/spec.ts'
import { makeHome } from './program.ts'
import { shownStream } from './streams.ts'

const SESSION = `---
id: s-aaaaaa
task: t-aaaaaa
worker: agent
status: running
started_at: 2026-03-01T09:00:00Z
---
`
const TRANSCRIPT = 'rooms/shop/transcripts/s-aaaaaa.jsonl'

function entry(id: string, type = 'note'): string {
  const of = { v: 1, parent: null, session: 's-aaaaaa', room: 'shop', task: 't-aaaaaa' }
  return `${JSON.stringify({ ...of, id, type, ts: '2026-03-01T09:00:00Z', text: `entry ${id}` })}\n`
}

test('tail -f -n 2 prints the last two entries, then only new ones', async () => {
  const home = makeHome({
    'rooms/shop/sessions/s-aaaaaa.md': SESSION,
    [TRANSCRIPT]: ['1', '2', '3', '4'].map((id) => entry(id)).join(''),
  })
  const transcript = join(home.dir, TRANSCRIPT)
  // What comes later is written when the entries before it are printed.
  const later = [entry('5'), entry('6') + entry('7', 'end')]
  const seen = ['entry 4', 'entry 5']
  const stdout = shownStream(undefined, (text) => {
    if (seen[0] === undefined || !text.includes(seen[0])) return
    seen.shift()
    appendFileSync(transcript, later.shift() ?? '')
  })
  const { stream: stderr } = shownStream()
  const out = await openOutput({ stdout: stdout.stream, stderr }, { json: false, quiet: false, color: false })
  const values: Readonly<Record<string, unknown>> = { follow: true, lines: '2' }
  const call = {
    around: { cwd: home.dir, env: process.env, version: '1', onSignal: () => () => {} },
    out,
    args: ['s-aaaaaa'],
    homeOption: home.dir,
    text: (name: string) => (typeof values[name] === 'string' ? values[name] : null),
    isSet: (name: string) => values[name] !== undefined,
  } as unknown as Call
  expect(await tail(call)).toBe(0)
  expect(stdout.text().match(/entry \d/g)).toEqual(['entry 3', 'entry 4', 'entry 5', 'entry 6', 'entry 7'])
})
