/** The engine dies after each line of its journal; the next one ends where an unbroken run ends. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { ended, engine } from './engine.ts'
import { fillHome, type Home, openHome, runbook } from './home.ts'

const note = (text: string) => `echo ${text} >> "$NEO_HOME/.git/ran"`

const TASKS = {
  'rooms/shop/tasks/a.md': runbook(
    [`${note('a1')}; echo a > a.txt`, note('a2')],
    ['verify: [test -e a.txt]'],
  ),
  'rooms/shop/tasks/b.md': runbook([note('b'), 'exit 1'], ['depends_on: [a]']),
  'rooms/shop/tasks/c.md': '---\nworker: human\n---\n# Call\n',
  'rooms/shop/tasks/d.md': runbook([note('d')], ['neo:', '  created_by: neo']),
  'rooms/shop/tasks/e.md': runbook([`${note('e')}; echo e > e.txt`], ['review: branch']),
}

function temporary(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-path-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  return dir
}

/** A home with five new tasks that nobody has looked at. */
function fresh(): Home {
  const home = fillHome(temporary())
  for (const [path, text] of Object.entries(TASKS)) home.write(path, text)
  return home
}

/** What must be the same after any crash: statuses, effects, commits; and what must be clean. */
function endState(home: Home): Readonly<Record<string, unknown>> {
  const subjects = home.git('log', '--format=%an %s').replaceAll(/[as]-[0-9a-z]{6}/g, 'id')
  return {
    statuses: ['a', 'b', 'c', 'd', 'e'].map((name) => `${home.status(name)} ${home.neo(name, 'attempt')}`),
    effects: home.read('.git/ran').trim().split('\n').sort(),
    file: home.has('workspace/files/a.txt'),
    commits: subjects.split('\n').sort(),
    clean: [home.git('status', '--porcelain'), home.git('fsck', '--strict', '--no-dangling')],
    branches: home.git('branch', '--format=%(refname:short)'),
    sessions: home.git('ls-files', 'rooms/shop/sessions').split('\n').length,
    asks: home.git('ls-files', 'rooms/shop/asks').split('\n').length,
    worktrees: home.git('worktree', 'list').split('\n').length,
  }
}

/** Each line with NEO_CRASHES=1; else each fourth, and so each kind of line of several decisions. */
const EVERY = Number(process.env['NEO_CRASHES'] ?? 4)
const AT_ONCE = 2

async function broken(template: Home, n: number): Promise<{ died: boolean; end: unknown; said: string[] }> {
  const home = openHome(join(temporary(), 'home'))
  cpSync(template.dir, home.dir, { recursive: true })
  const first = await ended(engine(home.dir, n))
  const second = await ended(engine(home.dir))
  return { died: first.died, end: endState(home), said: [first.said, second.said] }
}

test('an engine that died after any line of its journal is followed to the same end', async () => {
  const template = fresh()
  const unbroken = openHome(join(temporary(), 'home'))
  cpSync(template.dir, unbroken.dir, { recursive: true })
  await ended(engine(unbroken.dir))
  const wanted = endState(unbroken)
  const lines = readFileSync(join(unbroken.dir, '.git/neo/journal.jsonl'), 'utf8').trim().split('\n').length
  expect(lines).toBeGreaterThan(20)
  const todo = Array.from({ length: lines }, (_, index) => index + 1).filter((n) => n % EVERY === 0)
  const wrong: unknown[] = []
  const work = async () => {
    for (let n = todo.shift(); n !== undefined; n = todo.shift()) {
      const made = await broken(template, n)
      if (!made.died || !isDeepStrictEqual(made.end, wanted)) wrong.push({ n, ...made })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  expect(wrong).toEqual([])
})

test.each([13, 17])('after a death at line %i and a reset, no step that ran is repeated', async (n) => {
  const home = fillHome(temporary(), TASKS)
  const begin = home.git('rev-parse', 'HEAD')
  const first = await ended(engine(home.dir, n))
  home.git('reset', '-q', '--hard', begin)
  const second = await ended(engine(home.dir))
  const ran = home.read('.git/ran').trim().split('\n')
  expect([first.died, ran.toSorted()], first.said + second.said).toEqual([true, [...new Set(ran)].toSorted()])
})
