/** Agents of other homes, asked before each decision: as their files say now. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import { AGENTS, agentsOf, peerIn } from '../../../src/engine/people/peer-files.ts'

const KEY = `public_key: p256:MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE${'x'.repeat(86)}`

function agents() {
  const home = mkdtempSync(join(tmpdir(), 'neo-agents-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  mkdirSync(join(home, AGENTS), { recursive: true })
  const files = openFiles()
  const put = (id: string, ...lines: readonly string[]) =>
    writeFileSync(join(home, AGENTS, `${id}.md`), `---\n${lines.join('\n')}\n---\n`)
  const clock = { now: () => Date.now() + 60_000 }
  const now = async () => {
    await turn()
    return agentsOf({ home, world: { files, clock } })
  }
  // Of a world, only files and the time are asked for.
  const one = async (id: string) => {
    await turn()
    return peerIn({ home, world: { files, clock } }, id)
  }
  return { home, put, now, one, ids: async () => (await now()).peers.map(({ id, revoked }) => [id, revoked]) }
}

test('peers and personas are listed by their files', async () => {
  const { put, now, ids } = agents()
  put('pm-ana', KEY)
  put('eng-sato', KEY)
  put('reviewer', 'name: reviewer', 'description: Reviews.')
  put('README', 'name: x', 'description: y')
  expect(await ids()).toEqual([
    ['eng-sato', false],
    ['pm-ana', false],
  ])
  expect((await now()).personas).toMatchObject([
    { name: 'reviewer', description: 'Reviews.', path: 'workspace/agents/reviewer.md' },
  ])
})

test('no folder means no peers', async () => {
  const { home, ids } = agents()
  rmSync(join(home, AGENTS), { recursive: true })
  expect(await ids()).toEqual([])
})

test('a change counts at the next look: revoked, and removed', async () => {
  const { home, put, ids } = agents()
  put('eng-sato', KEY)
  expect(await ids()).toEqual([['eng-sato', false]])
  put('eng-sato', KEY, 'status: revoked')
  expect(await ids()).toEqual([['eng-sato', true]])
  rmSync(join(home, AGENTS, 'eng-sato.md'))
  expect(await ids()).toEqual([])
})

test('one agent is what its own file says now, also while the others are not looked at', async () => {
  const { home, put, one } = agents()
  put('eng-sato', KEY)
  put('pm-ana', KEY)
  put('reviewer', 'name: reviewer', 'description: Reviews.')
  expect([await one('eng-sato'), await one('eng-sato')]).toMatchObject([
    { id: 'eng-sato' },
    { revoked: false },
  ])
  put('eng-sato', KEY, 'status: revoked')
  expect(await one('eng-sato')).toMatchObject({ revoked: true })
  put('new', KEY)
  expect(await one('new')).toMatchObject({ id: 'new', revoked: false })
  rmSync(join(home, AGENTS, 'eng-sato.md'))
  expect(await one('eng-sato')).toBe(null)
  renameSync(join(home, AGENTS, 'pm-ana.md'), join(home, 'pm-ana.md'))
  symlinkSync('../../pm-ana.md', join(home, AGENTS, 'pm-ana.md'))
  writeFileSync(join(home, 'workspace', 'out.md'), `---\n${KEY}\n---\n`)
  const none = ['pm-ana', 'reviewer', 'nobody', '../out', 'ENG-SATO', '', 'README']
  expect(await Promise.all(none.map(one))).toEqual(none.map(() => null))
})

test.each([
  ['a misspelled key', [KEY, 'satus: revoked']],
  ['broken YAML', [KEY, 'role: [']],
  ['a key that is none', ['public_key: p256:x']],
])('a file with %s gives nobody access, though an earlier version did', async (_, lines) => {
  const { put, ids } = agents()
  put('eng-sato', KEY)
  expect(await ids()).toEqual([['eng-sato', false]])
  put('eng-sato', ...lines)
  expect(await ids()).toEqual([])
  put('eng-sato', KEY)
  expect(await ids()).toEqual([['eng-sato', false]])
})

test('without a change the same list is returned', async () => {
  const { put, now } = agents()
  put('eng-sato', KEY)
  const first = await now()
  expect((await now()).peers).toBe(first.peers)
})
