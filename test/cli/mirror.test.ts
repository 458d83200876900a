/** neo mirror: what hooks of programs say on stdin, and what follows from it. */
import { expect, test } from 'vitest'
import { makeHome, neo } from './program.ts'

const ON = { 'neo.yaml': 'agent: { id: ana, mirror: { enabled: true } }\n' }
const PATCH = { file_path: '/code/shop/src/a.ts', old_string: 'one\n', new_string: 'one\ntwo\n' }

function hook(dir: string, program: string, input: unknown) {
  const text = typeof input === 'string' ? input : JSON.stringify(input)
  return neo(['mirror', 'hook', program, 'shop', '--home', dir], { input: text })
}

test('an edit in Claude Code and a commit are changes of the last two hours', async () => {
  const home = makeHome(ON)
  const edit = { hook_event_name: 'PostToolUse', tool_name: 'Edit', cwd: '/code/shop', tool_input: PATCH }
  expect((await hook(home.dir, 'claude', edit)).code).toBe(0)
  await hook(home.dir, 'claude', { hook_event_name: 'UserPromptSubmit', prompt: 'rename the pump' })
  await hook(home.dir, 'git', 'Begin the list\n\n3\t1\tsrc/list.ts\n-\t-\tlogo.png\n')
  const { out } = await home.neo('mirror', 'show', 'shop')
  expect(out.split('\n').map((line) => line.trimEnd())).toEqual([
    'Works on src/list.ts; 2 files changed.',
    'src/list.ts  +3 -1  Begin the list',
    'src/a.ts  +2 -1',
    '',
  ])
})

test.each([
  ['no JSON', 'claude', 'x'],
  ['more text than fits', 'git', 'x'.repeat(1024 * 1024 + 1)],
  ['text that is not UTF-8', 'claude', 'a\0b'],
  [
    'a file outside of the workspace',
    'claude',
    { hook_event_name: 'PostToolUse', tool_name: 'Read', cwd: '/a', tool_input: { file_path: '/b' } },
  ],
  ['an event of another kind', 'claude', { hook_event_name: 'SessionStart' }],
])('a hook ends with 0 for %s, and records nothing', async (_, program, input) => {
  const home = makeHome(ON)
  expect((await hook(home.dir, program, input)).code).toBe(0)
  expect((await home.neo('mirror', 'show', 'shop')).out).toBe('Nothing in the last two hours.\n')
})

test('a hook ends with 0 while the mirror is off, and says so', async () => {
  const home = makeHome()
  const { code, err } = await hook(home.dir, 'git', 'x\n\n1\t1\ta.ts\n')
  expect([code, err]).toEqual([0, expect.stringContaining('set agent.mirror.enabled')])
})

test('what goes into the settings of Claude Code is JSON, and calls the hook', async () => {
  const home = makeHome(ON)
  const { out } = await home.neo('mirror', 'config', 'claude', 'shop')
  const { hooks } = JSON.parse(out) as { readonly hooks: Readonly<Record<string, unknown>> }
  expect(Object.keys(hooks)).toEqual(['PostToolUse', 'UserPromptSubmit', 'Stop'])
  expect(out).toContain('mirror hook claude shop')
})
