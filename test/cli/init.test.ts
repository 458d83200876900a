/** neo init and npm start: a home is made, committed, complete, and left alone when it is there. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataOf, neo, program, start, temporary, until } from './program.ts'

const IDENTITY = { GIT_AUTHOR_NAME: 'Ana', GIT_AUTHOR_EMAIL: 'ana@localhost' }
const git = (dir: string, ...args: string[]) =>
  execFileSync('git', args, { cwd: dir, encoding: 'utf8', stdio: 'pipe' })

test('neo init makes a home with all its folders, committed, and the tree is clean', async () => {
  const dir = join(temporary(), 'work')
  const { code, out } = await program(['init', dir], { env: IDENTITY })
  expect({ code, status: git(dir, 'status', '--porcelain') }).toEqual({ code: 0, status: '' })
  expect(out).toMatch(/Next\n.*\n {2}neo watch .*\n/)
  const there = [
    'neo.yaml',
    'rooms/lobby/ROOM.md',
    'rooms/lobby/tasks',
    'workspace/AGENTS.md',
    'workspace/files/.gitkeep',
    'workspace/skills',
    'templates/tasks',
    'templates/rooms',
  ]
  expect(there.filter((path) => !existsSync(join(dir, path)))).toEqual([])
  expect(readFileSync(join(dir, '.gitignore'), 'utf8')).toBe('.neo/\n.env\n')
  expect(readFileSync(join(dir, '.gitattributes'), 'utf8')).toContain(
    'rooms/*/transcripts/*.jsonl merge=union',
  )
  expect((await neo(['config', 'check', '--home', dir])).code).toBe(0)
})

test.each([
  ['init', '--quiet'],
  ['--quiet', 'init'],
])('neo %s %s says what was made and no more', async (...words) => {
  const dir = join(temporary(), 'work')
  const { code, out, err } = await neo([...words, dir], { env: IDENTITY })
  expect([code, out, err]).toEqual([0, expect.stringMatching(/^Created a Neo home in \S+\/work \(.*\n$/), ''])
})

test('neo init writes the branch that it is on, and keeps transcripts local when a remote exists', async () => {
  const dir = temporary()
  git(dir, 'init', '-q', '-b', 'trunk')
  git(dir, 'remote', 'add', 'origin', '../elsewhere')
  await neo(['init', dir], { env: { ...IDENTITY, NEO_NODE: 'desk' } })
  expect(dataOf(await neo(['config', 'show', '--json', '--home', dir]))).toMatchObject({
    daemon: { branch: 'trunk', node: 'desk' },
    transcripts: 'local',
  })
})

test('neo init changes nothing when it is run twice', async () => {
  const dir = temporary()
  await program(['init', dir, '--room', 'shop'], { env: IDENTITY })
  const head = git(dir, 'rev-parse', 'HEAD')
  const again = await neo(['init', dir, '--room', 'shop', '--json'], { env: IDENTITY })
  expect(dataOf(again)).toMatchObject({ written: [], commit: null })
  expect(git(dir, 'rev-parse', 'HEAD') + git(dir, 'status', '--porcelain')).toBe(head)
})

test('two neo init at once make one whole home', async () => {
  const dir = join(temporary(), 'work')
  const both = await Promise.all(
    [1, 2].map(() => program(['init', dir, '--room', 'shop'], { env: IDENTITY })),
  )
  expect(both.map(({ code }) => code)).toEqual([0, 0])
  expect(git(dir, 'status', '--porcelain')).toBe('')
  expect(git(dir, 'log', '--format=%s')).toBe('neo: create home\n')
})

test('neo init commits what an interrupted run has written', async () => {
  const dir = temporary()
  await neo(['init', dir], { env: IDENTITY })
  git(dir, 'update-ref', '-d', 'HEAD')
  await neo(['init', dir], { env: IDENTITY })
  expect(git(dir, 'ls-tree', '-r', '--name-only', 'HEAD')).toContain('rooms/lobby/ROOM.md')
})

test('neo init leaves what is there as it is: files, staged changes, own lines of .gitignore', async () => {
  const dir = temporary()
  git(dir, 'init', '-q', '-b', 'main')
  mkdirSync(join(dir, 'workspace'))
  writeFileSync(join(dir, 'workspace/AGENTS.md'), 'mine\n')
  writeFileSync(join(dir, '.gitignore'), 'node_modules/')
  writeFileSync(join(dir, 'staged.txt'), 'mine\n')
  git(dir, 'add', 'staged.txt')
  await neo(['init', dir], { env: IDENTITY })
  expect(git(dir, 'status', '--porcelain')).toBe('A  staged.txt\n?? .gitignore\n?? workspace/AGENTS.md\n')
  expect(readFileSync(join(dir, '.gitignore'), 'utf8')).toBe('node_modules/\n.neo/\n.env\n')
})

test('neo init adds nothing to a repository with commits unasked, and says what it would do', async () => {
  const dir = temporary()
  git(dir, 'init', '-q', '-b', 'main')
  git(dir, '-c', 'user.name=A', '-c', 'user.email=a@localhost', 'commit', '-q', '--allow-empty', '-m', 'mine')
  const refused = await neo(['init', dir], { env: IDENTITY })
  expect([refused.code, refused.err]).toEqual([
    5,
    expect.stringMatching(/\d+ files would be added in one commit on main\n.*neo init --yes/),
  ])
  expect([git(dir, 'log', '--format=%s'), existsSync(join(dir, 'neo.yaml'))]).toEqual(['mine\n', false])
  expect((await neo(['init', dir, '--yes'], { env: IDENTITY })).code).toBe(0)
  expect((await neo(['init', dir], { env: IDENTITY })).code).toBe(0)
})

test('neo init --room makes the room, from a template when one is named', async () => {
  const dir = temporary()
  const { code } = await neo(['init', dir, '--room', 'shop', '--template', 'code'], { env: IDENTITY })
  expect({ code, status: git(dir, 'status', '--porcelain') }).toEqual({ code: 0, status: '' })
  expect(readFileSync(join(dir, 'rooms/shop/ROOM.md'), 'utf8')).toMatch(/^name: shop$/m)
})

test.each([['a/b'], ['..'], ['.hidden'], ['two\nlines'], ['x'.repeat(100)], ['']])(
  'neo init refuses to name a room %j, and makes nothing',
  async (name) => {
    const dir = join(temporary(), 'work')
    const { code } = await neo(['init', dir, `--room=${name}`], { env: IDENTITY })
    expect({ code, there: existsSync(dir) }).toEqual({ code: 2, there: false })
  },
)

test('neo init says who commits are by when git has no identity', async () => {
  const dir = temporary()
  const { code, err } = await neo(['init', dir], {
    env: { HOME: temporary(), USER: 'somebody', XDG_CONFIG_HOME: dir },
  })
  expect({ code, said: err.includes('git has no identity') }).toEqual({ code: 0, said: true })
})

test('neo start makes ./home with the welcome room, runs its tasks, and ends at SIGTERM', async () => {
  const cwd = temporary()
  const child = start(['start'], { cwd, env: IDENTITY })
  let out = ''
  child.stdout.on('data', (chunk) => (out += chunk))
  const ended = new Promise((resolve) => child.on('close', resolve))
  await until(() => out.includes('complete sum-up'))
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
  expect(git(join(cwd, 'home'), 'log', '--format=%s')).toContain('neo(welcome): complete look-around')
})
