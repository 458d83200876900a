/**
 * Without bubblewrap every command in a folder that a model writes asks, whatever its words are, and the yes is for the
 * commit that was shown.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../path/home.ts'
import { commitAll, type Ground, makeGround } from './ground.ts'
import { type Row, shell } from './rows.ts'
import { bareWorld, requests } from './unconfined.ts'

interface Case {
  readonly name: string
  readonly worker: string
  readonly turns?: Row['turns']
  /** What the request shows of the command. */
  readonly shows: string
}

const program = (command: string) => `workers:\n  it: { command: ${command} }\n`

const CASES: readonly (Case & { readonly config?: string })[] = [
  { name: 'a script by its path', worker: 'exec:it', config: program('[./agent.sh]'), shows: './agent.sh' },
  {
    name: 'a shell line',
    worker: 'exec:it',
    config: program('[sh, -c, ./agent.sh]'),
    shows: 'sh -c ./agent.sh',
  },
  { name: 'make', worker: 'exec:it', config: program('[make, -s]'), shows: 'make -s' },
  {
    name: 'a command of an agent',
    worker: 'agent',
    turns: () => [[shell('sh ./agent.sh')]],
    shows: 'sh ./agent.sh',
  },
]

test.each(CASES)(
  '$name is asked about with its commit, and again if files change before the yes',
  async (one) => {
    const ground = await groundOf(one)
    const { home, marker } = ground
    const watching = home.watch({ world: await bareWorld(ground) })
    await until(() => requests(ground).length === 1)
    const [path = ''] = requests(ground)
    const text = home.read(path)
    expect(text).toContain(JSON.stringify(one.shows))
    expect(text).toMatch(/"commit": "[0-9a-f]{40}"/)
    ground.put(join(worktreeOf(ground), 'agent.sh'), `id > ${marker}\n`)
    home.write(path, text.replace('decision: pending', 'decision: approved'))
    await until(() => requests(ground).length === 2)
    expect(existsSync(marker)).toBe(false)
    const second = requests(ground).find((other) => other !== path) ?? ''
    home.write(second, home.read(second).replace('decision: pending', 'decision: denied'))
    await until(() => ['failed', 'completed', 'review'].includes(home.status('t') ?? ''))
    await watching.stop()
    expect(existsSync(marker)).toBe(false)
  },
)

async function groundOf({
  name,
  worker,
  turns = () => [],
  config = '',
}: Case & { readonly config?: string }) {
  return makeGround(
    {
      name,
      room: ({ top }) => [`worker: ${worker}`, `workspace: ${join(top, 'ws')}`],
      given: (ground) => {
        const dir = join(ground.top, 'ws')
        ground.put(join(dir, 'agent.sh'), 'exit 0\n')
        ground.put(join(dir, 'Makefile'), 'all:\n\t@sh ./agent.sh\n')
        commitAll(dir)
        ground.home.write('neo.yaml', `${ground.home.read('neo.yaml')}${config}`)
        ground.git(ground.home.dir, 'commit', '-q', '--allow-empty', '-am', 'worker')
      },
      turns,
    },
    'with',
  )
}

function worktreeOf({ home }: Ground): string {
  const dir = join(home.dir, '.neo/worktrees')
  return join(dir, readdirSync(dir).find((name) => name.startsWith('s-')) ?? '')
}
