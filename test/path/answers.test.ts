/** What the file of a session's ask says in the end: what its session was told, also where a kill came in between. */
import { appendFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Delivery } from '../../src/domain/session/session.ts'
import { type Home, makeHome } from './home.ts'
import { type Asked, startModel } from './model.ts'

const FINISH = { calls: [{ name: 'finish_task', input: { result: 'done' } }] }
const SHELL = { calls: [{ name: 'shell', input: { command: 'echo ran >> ran.txt' } }] }
const QUESTION = { calls: [{ name: 'ask_human', input: { question: 'Which colour?' } }] }

/** A home whose session waits with an ask, the daemon ended. */
async function waiting(first: typeof SHELL | typeof QUESTION): Promise<{ home: Home; path: string }> {
  const model = await startModel(({ turn }: Asked) => (turn === 0 ? first : FINISH))
  const home = makeHome({
    'neo.yaml': model.config,
    'rooms/shop/ROOM.md':
      '---\nworker: agent\nreview: none\npermissions: { shell: ask }\nconcurrency: 3\n---\n',
  })
  home.task('a', 'Work.\n')
  await home.run()
  const [name = ''] = readdirSync(join(home.dir, 'rooms/shop/asks'))
  return { home, path: `rooms/shop/asks/${name}` }
}

/** Puts it into the session's mailbox, as a daemon did that was killed before it marked the ask. */
function handedOver(home: Home, delivery: Omit<Delivery, 'key' | 'kind'>): void {
  const dir = join(home.dir, '.git/neo/sessions', home.neo('a', 'session') ?? '')
  const [want = ''] = readdirSync(join(dir, 'wants'))
  const line = { key: want.replace('.json', ''), kind: 'answer', ...delivery }
  appendFileSync(join(dir, 'mail.jsonl'), `${JSON.stringify(line)}\n`)
}

function trailers(home: Home, key: string): string[] {
  return home
    .git('log', `--format=%(trailers:key=${key},valueonly)`)
    .split('\n')
    .filter((line) => line !== '')
}

test('an approval that was handed over before a kill is on record with who gave it', async () => {
  const { home, path } = await waiting(SHELL)
  home.write(path, home.read(path).replace('decision: pending', 'decision: approved\ndecided_by: m-ana'))
  handedOver(home, { from: 'm-ana', text: '', verdict: 'yes' })
  await home.run()
  expect([home.status('a'), home.read('workspace/files/ran.txt')]).toEqual(['completed', 'ran\n'])
  expect(trailers(home, 'Neo-Approved-By')).toEqual(['m-ana'])
  expect(trailers(home, 'Neo-Event')).toContain('approve')
  expect(home.read(path)).toMatch(/^handled_at: /m)
})

test('an approval of which the session was told no is on record as a no', async () => {
  const { home, path } = await waiting(SHELL)
  home.write(path, home.read(path).replace('decision: pending', 'decision: approved'))
  handedOver(home, { from: 'Person', text: 'what the ask shows was changed', verdict: 'no' })
  await home.run()
  expect(home.has('workspace/files/ran.txt')).toBe(false)
  expect([trailers(home, 'Neo-Approved-By'), trailers(home, 'Neo-Event').includes('deny')]).toEqual([
    [],
    true,
  ])
})

test('a question that was answered before a kill is on record with its answer', async () => {
  const { home, path } = await waiting(QUESTION)
  handedOver(home, { from: 'neo', text: 'Blue, please.' })
  await home.run()
  expect(home.status('a')).toBe('completed')
  expect(home.read(path)).toMatch(/^decided_by: neo$[\s\S]*## Answer\n\nBlue, please\.\n$/m)
  expect(home.git('log', '-1', '--format=%an', '--', path)).toBe('Neo')
})

test('a question that nobody answered in time names nobody, and shows no answer', async () => {
  const { home, path } = await waiting(QUESTION)
  home.write(path, home.read(path).replace(/expires_at: .*/, 'expires_at: 2020-01-01T00:00:00Z'))
  await home.run()
  expect(home.status('a')).toBe('completed')
  const text = home.read(path)
  expect(text).toMatch(/^handled_at: /m)
  expect(text).not.toMatch(/^decided_by: |not answered in time/m)
})
