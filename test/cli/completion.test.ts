/** What the shell completes, as bash itself says it. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { TOPS } from '../../src/cli/command-catalog.ts'
import { completion } from '../../src/cli/commands/completion.ts'
import { openOutput } from '../../src/cli/output.ts'
import { type Call, isCommand } from '../../src/cli/spec.ts'
import { shownStream } from './streams.ts'

async function scriptFor(shell: string): Promise<string> {
  const stdout = shownStream()
  const stderr = shownStream()
  const streams = { stdout: stdout.stream, stderr: stderr.stream }
  const out = await openOutput(streams, { json: false, quiet: false, color: false })
  await completion({ args: [shell], out } as unknown as Call, TOPS)
  return stdout.text()
}

/** What bash would offer for the last of these words; `neo` itself prints two names. */
async function offered(...words: string[]): Promise<readonly string[]> {
  const listed = words.map((word) => `'${word}'`).join(' ')
  const script = `neo() { printf 'first  x\\nsecond  y\\n'; }
${await scriptFor('bash')}
COMP_WORDS=(neo ${listed})
COMP_CWORD=${words.length}
_neo
printf '%s\\n' "\${COMPREPLY[@]}"`
  const text = execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' })
  return text.split('\n').filter((line) => line !== '')
}

test.each([
  [['sta'], ['status']],
  [['task', 'li'], ['list']],
  [['task', 'list', '--st'], ['--status']],
  [['--json', 'task', 'del'], ['delete']],
  [['task', 'show', 'f'], ['first']],
  [['room', 'pause', 's'], ['second']],
  [['ask', 'approve', 'f'], ['first']],
  [['session', 'tail', 'f'], ['first']],
  [['completion', 'b'], ['bash']],
  [['memory', 'search', '--unt'], ['--until']],
  [['nonsense', 'x'], []],
])('bash offers for neo %j: %j', async (words, wanted) => {
  expect(await offered(...words)).toEqual(wanted)
})

test('bash offers every command that the help shows, and no hidden one', async () => {
  const shown = TOPS.filter(({ hidden }) => hidden === undefined).map(({ name }) => name)
  expect(await offered('')).toEqual([...shown, '--help', '--version'])
  expect(shown).not.toContain('start')
})

test.each(['bash', 'zsh'])('the script for %s has no error of syntax', async (shell) => {
  const script = await scriptFor(shell)
  expect(() => execFileSync('bash', ['-n'], { input: script })).not.toThrow()
})

test('fish completes names of tasks where a command takes one', async () => {
  const script = await scriptFor('fish')
  expect(script).toContain(
    `complete -c neo -n '__fish_seen_subcommand_from task; and __fish_seen_subcommand_from show' -f -a '(neo task list --quiet`,
  )
  expect(script).toContain(`complete -c neo -n '__fish_use_subcommand' -f -a 'init watch`)
})

test('a shell that is not known is refused', async () => {
  await expect(scriptFor('tcsh')).rejects.toMatchObject({ code: 'usage' })
  await expect(scriptFor('constructor')).rejects.toMatchObject({ code: 'usage' })
})

test('every command of the specs has its place in the first level', async () => {
  const modules = await Promise.all([
    import('../../src/cli/specs/run-specs.ts').then(({ RUN }) => RUN),
    import('../../src/cli/specs/work-specs.ts').then(({ WORK }) => WORK),
    import('../../src/cli/specs/talk-specs.ts').then(({ TALK }) => TALK),
    import('../../src/cli/specs/peer-specs.ts').then(({ PEER }) => PEER),
    import('../../src/cli/specs/setup-specs.ts').then(({ SETUP }) => SETUP),
  ])
  const names = [...modules.flatMap((specs) => Object.keys(specs)), 'completion']
  expect(TOPS.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
})

test('every command has a module that loads, and an example that names it', async () => {
  for (const { name: top, load } of TOPS) {
    const specs = await load()
    const all = isCommand(specs) ? [['', specs] as const] : Object.entries(specs)
    for (const [name, spec] of all) {
      expect(typeof (await spec.load()), `${top} ${name}`).toBe('function')
      if (top !== 'start') expect(spec.example, `${top} ${name}`).toContain(`neo ${top} ${name}`.trim())
    }
  }
})
