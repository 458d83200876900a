/** The commands of a session: keys that a replay finds again, what a shell gets, and which variables it sees. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Step } from '../../src/domain/session/session.ts'
import { stepEnvironment } from '../../src/runner/session-environment.ts'
import { argvOf, type Confine, lineCommands, stepCommands } from '../../src/runner/step-command.ts'
import { record } from '../builders.ts'

const step = (over: Partial<Step> = {}): Step => ({
  name: 'build',
  line: 12,
  script: 'make',
  shell: 'sh',
  continueOnError: 'no',
  ...over,
})
const confine: Confine = { wrap: (argv) => ['jail', ...argv], env: { A: '1' } }

test('stepCommands() names blocks by number, with their own limits', () => {
  const steps = [
    step(),
    step({ name: 'test', line: 20, shell: 'bash', timeoutMs: 5, continueOnError: 'yes' }),
  ]
  const commands = stepCommands(record('s-a', 'a', { steps }))
  expect(commands.map(({ key, of, title }) => [key, of, title])).toEqual([
    ['step-0', 2, 'Step "build" (line 12)'],
    ['step-1', 2, 'Step "test" (line 20)'],
  ])
  expect(commands.map(({ timeoutMs, continueOnError }) => [timeoutMs, continueOnError])).toEqual([
    [null, 'no'],
    [5, 'yes'],
  ])
  expect(commands[0]).not.toHaveProperty('confine')
  expect(stepCommands(record('s-a', 'a', { steps }), { confine, allowed: 'yes' })[1]).toMatchObject({
    confine,
    ownTime: 'yes',
  })
})

test.each([
  [{}, 'verify-1'],
  [{ round: 0 }, 'verify-1'],
  [{ round: 2 }, 'verify-1-round-2'],
  [{ allowed: 'yes' }, 'verify-1-allowed'],
  [{ round: 2, allowed: 'yes' }, 'verify-1-round-2-allowed'],
] as const)('lineCommands() with %j has the key %s', (of, key) => {
  const lines = lineCommands(record('s-a', 'a', { verify: ['one', 'two'] }), 'verify', of)
  expect([lines[1]?.key, lines[1]?.title, lines[1]?.of]).toEqual([key, 'Check "two"', 2])
})

test('the keys of all commands of a session differ, in every round', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 4 }), fc.nat(3), (texts, rounds) => {
      const of = record('s-a', 'a', {
        setup: texts,
        verify: texts,
        cleanup: texts,
        steps: texts.map((name) => step({ name })),
      })
      const all = [stepCommands(of), lineCommands(of, 'setup'), lineCommands(of, 'cleanup')].flat()
      for (let round = 0; round <= rounds; round++)
        for (const allowed of [undefined, 'yes'] as const)
          all.push(...lineCommands(of, 'verify', { round, ...(allowed === undefined ? {} : { allowed }) }))
      expect(new Set(all.map(({ key }) => key)).size).toBe(all.length)
    }),
    { numRuns: 50 },
  )
})

test.each([
  ['sh', ['sh', '-e', '/dir/script']],
  ['bash', ['bash', '-eo', 'pipefail', '/dir/script']],
  ['line', ['sh', '-c', 'make all']],
] as const)('argvOf() of %s', (shell, argv) => {
  const [command] = stepCommands(record('s-a', 'a', { steps: [step({ script: 'make\0 all' })] }))
  expect(command === undefined ? [] : argvOf({ ...command, shell }, '/dir/script')).toEqual(argv)
})

describe('stepEnvironment()', () => {
  const env = {
    PATH: '/usr/bin:relative:.:/bin',
    HOME: '/home/ann',
    LC_ALL: 'C',
    ANTHROPIC_API_KEY: 'sk-not-for-steps',
    DEPLOY: 'live',
    NEO_SESSION: 'forged',
    NODE_OPTIONS: '--require ./x',
  }
  const of = (over: Parameters<typeof record>[2] = {}) =>
    stepEnvironment(record('s-a', 'a', over), '/home', env)

  test('passes the base, what room and task name, and nothing else', () => {
    expect(of({ env: ['DEPLOY', 'MISSING'] })).toEqual({
      PATH: '/usr/bin:/bin',
      HOME: '/home/ann',
      LC_ALL: 'C',
      DEPLOY: 'live',
      TERM: 'dumb',
      NEO_SESSION: 's-a',
      NEO_TASK: 't-a',
      NEO_ROOM: 'shop',
      NEO_HOME: '/home',
    })
  })

  test('lets parameters of a template change neither where programs are found nor who Neo says it is', () => {
    const params = {
      PATH: '/evil',
      HOME: '/evil',
      TMPDIR: '/evil',
      SHELL: '/evil',
      NEO_ROOM: 'evil',
      TARGET: 'a\0b',
    }
    expect(of({ params })).toMatchObject({
      PATH: '/usr/bin:/bin',
      HOME: '/home/ann',
      NEO_ROOM: 'shop',
      TARGET: 'ab',
    })
    expect(of({ params })).not.toHaveProperty('TMPDIR')
  })

  test.each([undefined, '', 'bin:.:../x'])(
    'has a PATH of absolute folders where the daemon has %j',
    (PATH) => {
      const made = stepEnvironment(record('s-a', 'a'), '/home', { PATH })
      expect(made['PATH']).toBe('/usr/local/bin:/usr/bin:/bin')
    },
  )
})
