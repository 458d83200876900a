/** What an agent of another home does not learn from an answer. */
import { expect, test } from 'vitest'
import { type HubHome, hubHome } from './hub-home.ts'

const PEER = { kind: 'peer', id: 'cat' } as const
const KEY = `p256:MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE${'A'.repeat(86)}`
const homeWith = (rule: string, files: Readonly<Record<string, string>>) =>
  hubHome({
    'neo.yaml': [
      'daemon: { settle: 0s }',
      'agent: { id: ana, contexts: [{ type: repository, identifier: acme/shop, room: shop }] }',
      `access: { rules: [{ agent_id: cat, ${rule} }] }`,
      '',
    ].join('\n'),
    'workspace/agents/cat.md': `---\npublic_key: ${KEY}\n---\n`,
    'workspace/files/src/a.ts': 'a\n',
    ...files,
  })

const ask = ({ call }: HubHome, type: 'file' | 'issue' | 'repository', identifier: string) =>
  call('aoi.query', { query: 'how far?', contextScope: [{ type, identifier }] }, PEER)

test('a question about a file that git does not have tells nothing of tasks', async () => {
  const task = '---\nstatus: failed\n---\n# A\npassword is hidden, see src/a.ts\n'
  const home = await homeWith('scope_type: file, pattern: "acme/shop/**", permission: read', {
    'rooms/shop/tasks/a.md': task,
  })
  const said = async (path: string) => (await ask(home, 'file', `acme/shop/${path}`)).facts
  expect(await said('password is h')).toEqual(await said('password is x'))
  expect((await said('password is h')).join()).not.toContain('task')
  expect((await said('src/a.ts')).join()).toContain('task [failed] A')
  expect((await said('src/a')).join()).not.toContain('task')
})

test('an issue is not part of another number', async () => {
  const home = await homeWith('scope_type: issue, pattern: "acme/shop#*", permission: read', {
    'rooms/shop/tasks/a.md': '---\nstatus: draft\n---\n# See #12\n',
  })
  expect((await ask(home, 'issue', 'acme/shop#1')).facts.join()).not.toContain('See')
  expect((await ask(home, 'issue', 'acme/shop#12')).facts.join()).toContain('See #12')
})

test('no path of this machine goes out', async () => {
  const error = 'Step \\"x\\" ended with exit code 1: cat: /home/ana/work/.neo/worktrees/s-1/a: No such file'
  const home = await homeWith('scope_type: repository, pattern: acme/shop, permission: read', {
    'rooms/shop/tasks/a.md': `---\nstatus: failed\nneo:\n  id: t-aaaaaa\n  created_at: 2026-03-01T09:00:00Z\n  created_by: human\n  error: "${error}"\n---\n# A\n`,
  })
  const answer = await ask(home, 'repository', 'acme/shop')
  expect(answer.blockers).toEqual(['A: Step "x" ended with exit code 1: cat: …: No such file'])
  expect(JSON.stringify(answer)).not.toContain('/home/ana')
})
