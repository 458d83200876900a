/**
 * Every trouble that a model can make, and one of each kind before the first, a middle and the last answer of a session:
 * nothing that was done is done again, and the task ends, or says why not and can be tried again.
 */
import { expect, onTestFinished, test } from 'vitest'
import { composeWorld } from '../../src/compose.ts'
import type { World } from '../../src/ports/world.ts'
import { type Script, says, silence, startModelServer, streams } from '../adapters/models/server.ts'
import { type Scripted, WIRES } from '../adapters/models/wires.ts'
import { UNCONFINED } from './confined.ts'
import { type Home, makeHome } from './home.ts'

const WIRE = WIRES[0] as (typeof WIRES)[number]
const reply = (scripted: Scripted): Script => streams(WIRE.events(scripted))
const call = (name: string, args: object | string, id: string): Script =>
  reply({ calls: [{ id, name, args: typeof args === 'string' ? args : JSON.stringify(args) }] })

/** A session of three answers. */
const STEPS: readonly Script[] = [
  call('shell', { command: 'echo one >> lines.txt' }, 'toolu_1'),
  call('shell', { command: 'echo two >> lines.txt' }, 'toolu_2'),
  call('finish_task', { result: 'both lines are there' }, 'toolu_3'),
]

/**
 * The step that a request is at, by the results that it brings; once, before step `at`, the trouble. An answer that
 * came too late on a busy machine is given again, as a model would.
 */
function stepsWith(trouble: Script, at: number): Script {
  let troubled = false
  return (response, asked) => {
    const step = STEPS.findIndex((_, index) => !asked.text.includes(`"tool_use_id":"toolu_${index + 1}"`))
    const script = step === at && !troubled ? trouble : (STEPS[step] as Script)
    troubled ||= script === trouble
    script(response, asked)
  }
}
const error = (type: string, message: string) => ({ type: 'error', error: { type, message } })
const begun = WIRE.events({ text: 'Let me look at this for a while.' }).slice(0, -3)

const LONG = 'prompt is too long: 210000 tokens > 200000 maximum'

/** With how the session ends: it goes on, or fails with these words. */
const FAULTS: readonly (readonly [
  string,
  Script,
  'goes on' | 'refused' | 'does not fit the context window',
])[] = [
  ['429 with a time', says(429, error('rate_limit_error', 'slow down'), { 'retry-after': '1' }), 'goes on'],
  ['500', says(500, error('api_error', 'broken')), 'goes on'],
  ['529', says(529, error('overloaded_error', 'busy')), 'goes on'],
  ['a page instead of an answer', says(502, '<html>bad gateway</html>'), 'goes on'],
  ['overload inside the stream', streams([...begun, WIRE.failing('overloaded_error', 'busy')]), 'goes on'],
  ['a cut', streams(begun, 'cut'), 'goes on'],
  ['an end before the end', streams(begun), 'goes on'],
  ['silence', silence, 'goes on'],
  ['arguments that are no JSON', call('shell', '{"command": "echo', 'toolu_8'), 'goes on'],
  ['a tool that there is not', call('launch', {}, 'toolu_8'), 'goes on'],
  ['an empty answer', reply({ text: '' }), 'goes on'],
  [
    'a huge result',
    call('shell', { command: 'head -c 400000 /dev/zero | tr "\\0" x' }, 'toolu_8'),
    'goes on',
  ],
  ['a refusal', reply({ text: 'I will not.', stop: 'refusal' }), 'refused'],
  ['an overflow', says(400, error('invalid_request_error', LONG)), 'does not fit the context window'],
]

const PLACES = ['first', 'middle', 'last'] as const
/** One of each kind: an error, a stream that breaks, nothing, an answer that can't be used, and two that end the session. */
const EVERYWHERE = ['500', 'a cut', 'silence', 'a tool that there is not', 'a refusal', 'an overflow']

const CASES = FAULTS.flatMap(([name, script, how], index) =>
  PLACES.map((where, at) => ({ name, script, how, at, where })).filter(
    ({ at }) => EVERYWHERE.includes(name) || at === index % PLACES.length,
  ),
)

test.skipIf(UNCONFINED !== null).each(CASES)(
  '$name before the $where answer: nothing is done twice',
  async ({ script, how, at }) => {
    const server = await startModelServer()
    onTestFinished(() => server.close())
    // Only silence is waited for, and long enough for most answers of a busy machine.
    const idle = script === silence ? 0.5 : 30
    const home = makeHome({
      'neo.yaml': `model: fake/some-model\nproviders:\n  fake: { api: anthropic, api_key: key, base_url: "${server.url}", flags: { idle_seconds: ${idle} } }\n`,
      'rooms/shop/ROOM.md': '---\nworker: agent\nreview: none\n---\n',
    })
    home.task('lines', 'Write two lines.\n')
    const answer = stepsWith(script, at)
    server.next(...Array.from({ length: 20 }, () => answer))
    await home.run({ world: await hurried(home) })
    if (how !== 'goes on') {
      expect([home.status('lines'), home.neo('lines', 'error')]).toEqual([
        'failed',
        expect.stringContaining(how),
      ])
      return
    }
    expect([home.status('lines'), home.neo('lines', 'error')]).toEqual(['completed', undefined])
    expect(home.read('workspace/files/lines.txt')).toBe('one\ntwo\n')
  },
)

/** The same world, in which waits are a hundredth as long. */
async function hurried(home: Home): Promise<World> {
  const world = await composeWorld(home.dir)
  return {
    ...world,
    clock: { ...world.clock, after: (ms, run) => world.clock.after(ms > 500 ? ms / 100 : ms, run) },
  }
}
