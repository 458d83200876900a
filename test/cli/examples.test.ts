/** The examples as a person would copy them: those that need no key run to their end, and the files of all are valid. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataOf, neo, temporary } from './program.ts'

const EXAMPLES = readdirSync('examples', { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
)

/** A home with all examples as rooms, and what their READMEs add to neo.yaml. */
async function copied() {
  const dir = join(temporary(), 'work')
  const on = {
    cwd: dir,
    env: {
      GIT_AUTHOR_NAME: 'Ana',
      GIT_AUTHOR_EMAIL: 'ana@localhost',
      GIT_COMMITTER_NAME: 'Ana',
      GIT_COMMITTER_EMAIL: 'ana@localhost',
    },
  }
  await neo(['init', dir], { env: on.env })
  for (const name of EXAMPLES) cpSync(join('examples', name), join(dir, 'rooms', name), { recursive: true })
  const workers = EXAMPLES.flatMap(workersIn)
  writeFileSync(
    join(dir, 'neo.yaml'),
    `${readFileSync(join(dir, 'neo.yaml'), 'utf8')}\nworkers:\n${workers.join('')}`,
  )
  return {
    neo: (...args: string[]) => neo(args, on),
    text: (path: string) => readFileSync(join(dir, path), 'utf8'),
  }
}

function workersIn(example: string): readonly string[] {
  const text = readFileSync(join('examples', example, 'README.md'), 'utf8')
  return [...text.matchAll(/^```yaml\nworkers:\n([\s\S]*?)^```/gm)].map(([, lines = '']) => lines)
}

test('examples/README.md lists every example', () => {
  const listed = [...readFileSync('examples/README.md', 'utf8').matchAll(/\]\(([\w-]+)\/README\.md\)/g)]
  expect(listed.map(([, name]) => name).sort()).toEqual([...EXAMPLES].sort())
})

test('examples that need no key run as their READMEs say, and no file of any is broken', async () => {
  const home = await copied()
  expect(await home.neo('config', 'check')).toMatchObject({ code: 0 })
  expect(await home.neo('schedule', 'run', 'nightly/disk-space')).toMatchObject({ code: 0 })
  expect(await home.neo('run')).toMatchObject({ code: 0 })
  expect(home.text('workspace/files/report.md')).toBe('# Sales\n\nTotal: 10\n')
  expect(home.text('workspace/files/disk-space.csv')).toMatch(/^\d{4}-\d\d-\d\d,\d+\n$/)

  const [request] = dataOf(await home.neo('ask', 'list', '--json')) as readonly { readonly id: string }[]
  await home.neo('ask', 'approve', request?.id ?? '')
  await home.neo('task', 'done', 'sign-off/look')
  expect(await home.neo('run')).toMatchObject({ code: 0 })
  expect(home.text('workspace/files/public/index.html')).toBe('<h1>Prices</h1>\n')

  expect((await home.neo('review', 'diff', 'approval/greet')).out).toContain('+Hello')
  await home.neo('review', 'accept', 'approval/greet')
  expect(home.text('workspace/files/greeting.txt')).toBe('Hello\n')
  const left = dataOf(await home.neo('task', 'list', '--json')) as readonly Record<string, string>[]
  const statuses = left.map(({ room, name, status }) => `${room}/${name} ${status}`)
  expect(statuses.filter((line) => !line.endsWith(' completed'))).toEqual([
    'claude-code/fix-the-footer draft',
  ])
})
