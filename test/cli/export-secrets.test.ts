/** Values that Neo knows to be secret leave in no export; what an import brings is named, and trusted by nobody yet. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Home, dataOf, makeHome, neo, temporary } from './program.ts'

const VALUE = 'heron-of-the-export-58'

function homeWithSecret(): Home {
  const home = makeHome({ 'rooms/shop/memories/m.md': 'Prices are in euros\n' })
  home.put('.env', `VAULT_WORD=${VALUE}\n`)
  return home
}

test('a file that holds one is left out and named, a transcript of before is masked, and nothing else', async () => {
  const home = homeWithSecret()
  home.put('workspace/files/notes.md', `The word is ${Buffer.from(VALUE).toString('base64')}.\n`)
  home.put('workspace/files/shape.md', 'token=ghp_abcdefghijklmnopqrstuvwxyz0123\n')
  const transcripts = join(home.dir, '.git/neo/transcripts')
  mkdirSync(transcripts, { recursive: true })
  writeFileSync(join(transcripts, 's-abcdef.jsonl'), `{"text":"${VALUE}"}\n`)
  const file = join(temporary(), 'home.neo')
  const made = await home.neo('export', file, '--json')
  expect([made.code, dataOf(made)]).toMatchObject([
    0,
    { left: [expect.stringContaining('notes.md: it contains a secret')] },
  ])
  const bytes = readFileSync(file, 'latin1')
  expect([bytes.includes(VALUE), bytes.includes('{"text":"***"}')]).toEqual([false, true])

  const env = { NEO_TRUST: '', XDG_CONFIG_HOME: join(temporary(), 'config') }
  const to = join(temporary(), 'again')
  const back = await neo(['import', file, to], { env })
  expect([back.code, back.err]).toEqual([
    0,
    expect.stringContaining('may contain secrets: workspace/files/shape.md'),
  ])
  expect(back.err).toContain(`neo trust --home ${to}`)
  expect((await neo(['run'], { cwd: to, env })).code).toBe(5)
})

test('a history that holds one is not exported, unless its name is called plain', async () => {
  const home = homeWithSecret()
  home.put('rooms/shop/memories/n.md', `${VALUE}\n`)
  home.git('add', '-A')
  home.git('commit', '-q', '-m', 'secret')
  home.git('rm', '-q', 'rooms/shop/memories/n.md')
  home.git('commit', '-q', '-m', 'gone')
  const file = join(temporary(), 'home.neo')
  const refused = await home.neo('export', file)
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('rooms/shop/memories/n.md')])
  expect(refused.err).not.toContain(VALUE)
  home.put('neo.yaml', 'redact: { plain: [VAULT_WORD] }\n')
  expect((await home.neo('export', file)).code).toBe(0)
})
