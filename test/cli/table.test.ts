/** What holds for every command: help, grammar of errors, exit codes, JSON, escapes, pipes. */
import { beforeAll, expect, test } from 'vitest'
import { COMMANDS, GROUPS, READING } from './commands.ts'
import { type Ended, type Home, makeHome, neo, program, RUNBOOK, temporary } from './program.ts'

const SPITEFUL = 'rooms/shop/tasks/spite.md'
let home: Home
beforeAll(() => {
  home = makeHome({
    'rooms/shop/tasks/hello.md': `---\ntitle: Hello\n---\n${RUNBOOK}`,
    [SPITEFUL]:
      '---\ntitle: "a\\e[31mb\\u202ec"\nlabels: ["\\x9b2J", "\\n"]\n---\nBody \u001b[2J and \u009b31m\r\n',
    'rooms/shop/tasks/na\nme.md': '# In a file with a line end\n',
  })
})

test.each(COMMANDS)('neo %s --help says what it does, with an example that names it', async (command) => {
  const { code, out, err } = await neo([...command.split(' '), '--help'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/Example:\n {2}\S/)
  expect(out.slice(out.indexOf('Example:'))).toMatch(/neo |npm start/)
})

test.each(['', ...GROUPS])('neo %s --help lists its commands', async (group) => {
  const { code, out } = await neo([...group.split(' ').filter((word) => word !== ''), '--help'])
  const wanted = COMMANDS.filter((command) => group === '' || command.startsWith(`${group} `))
  expect(code).toBe(0)
  for (const command of wanted) expect(out).toContain(command.split(' ')[group === '' ? 0 : 1])
  if (group !== '') expect(out).toMatch(new RegExp(`\\nExamples:\\n {2}neo ${group} `))
})

test.each([...READING, ['task show spite', 'task.show'] as const])(
  'neo %s prints one JSON document or text, no control character of a file and no colour into a pipe, and changes nothing outside .neo',
  async (command, kind) => {
    const before = home.git('status', '--porcelain')
    const text = await home.neo(...command.split(' '))
    const json = await home.program(...command.split(' '), '--json')
    expect(home.git('status', '--porcelain')).toBe(before)
    expect([0, 1]).toContain(json.code)
    expect(json.out.trimEnd().split('\n')).toHaveLength(1)
    expect(JSON.parse(json.out)).toMatchObject({ schemaVersion: 1, kind })
    expect(Object.keys(JSON.parse(json.out))).toEqual(['schemaVersion', 'kind', 'data'])
    const printed = text.out + text.err + json.out + json.err
    expect(printed.match(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu)).toBeNull()
  },
)

/** What runs inside of this process stands for the program: some rows of each kind, both ways. */
test.each([
  '',
  'help',
  'task list --help',
  'review --help',
  'task list',
  'task show spite --json',
  'nonsense',
  'task',
  'task show no-such-task',
  'room new shop',
  'ask approve a-zzzzzz',
])('neo %s is the same as a process', async (command) => {
  const words = command === '' ? [] : [...command.split(' '), '--home', home.dir]
  expect(await program(words)).toEqual(await neo(words))
})

const WRONG = [
  ['nonsense', 2],
  ['task', 2],
  ['task nonsense', 2],
  ['task list --nonsense', 2],
  ['task list --status nonsense', 2],
  ['task show', 2],
  ['task show hello extra words', 2],
  ['task show no-such-task', 4],
  ['task start t-zzzzzz', 4],
  ['task list --room nowhere', 4],
  ['task new --room nowhere --title X', 4],
  ['task new --room shop', 2],
  ['task new --room shop --title X --worker robot', 2],
  ['task new --template nowhere', 4],
  ['task show ../../../etc/passwd', 4],
  ['task edit hello', 2],
  ['room show nowhere', 4],
  ['room new .hidden', 2],
  ['room new a/b', 2],
  ['room new shop', 1],
  ['session show s-zzzzzz', 4],
  ['session tail hello', 4],
  ['session tail hello -n none', 2],
  ['ask show a-zzzzzz', 4],
  ['ask approve a-zzzzzz', 4],
  ['review diff hello', 4],
  ['review accept no-such-task', 4],
  ['config show no.such.key', 4],
  ['config schema nonsense', 2],
  ['completion tcsh', 2],
  ['run --timeout soon', 2],
  ['run --room nowhere', 4],
  ['run --task nowhere', 4],
  ['stop', 2],
  ['stop s-zzzzzz', 4],
  ['wait no-such-task', 4],
  ['log no-such-thing', 4],
  ['agent keygen', 2],
  ['agent add eng-sato', 2],
  ['agent add eng-sato --endpoint https://127.0.0.1:1', 2],
  ['agent revoke nobody', 4],
  ['agent query nobody hello', 2],
  ['agent query nobody hello --context acme/webapp', 4],
  ['agent query nobody hello --context acme/../webapp', 2],
  ['agent query nobody hello --context acme/webapp --timeout 1h', 2],
  ['agent exec nobody fix --context acme/webapp --param x', 2],
  ['agent exec nobody fix --context acme/webapp', 4],
  ['access check nobody nonsense acme/webapp', 2],
  ['access check nobody read nonsense', 2],
] as const

test.each(WRONG)('neo %s ends with %i and says what is wrong', async (command, code) => {
  expectRefusal(await home.neo(...command.split(' ')), code)
})

const HOMELESS = ['init', 'completion', 'config schema', 'rpc']
/** How many words a command wants, where they are not one. */
const THREE = ['access check']
const TWO = [
  'ask answer',
  'session send',
  'say',
  'memory add',
  'agent query',
  'agent exec',
  'mirror config',
  'mirror hook',
]
const ONE =
  /room|task (?!list|new)|session (?!list)|ask [sad]|review [sdar]|memory (?!list)|agent (?:add|revoke)|mirror show/

test.each(COMMANDS.filter((command) => !HOMELESS.includes(command)))(
  'neo %s ends with 4 where there is no home',
  async (command) => {
    const many = THREE.includes(command) ? 3 : TWO.includes(command) ? 2 : 0
    const wants = many > 0 ? many : ONE.test(command) && !command.endsWith('list') ? 1 : 0
    const words = [...command.split(' '), ...['x', 'y', 'z'].slice(0, wants)]
    expectRefusal(await neo(words, { cwd: temporary() }), 4)
  },
)

function expectRefusal({ code, out, err }: Ended, wanted: number): void {
  const [first = '', ...rest] = err.trimEnd().split('\n')
  expect(out).toBe('')
  expect(first).toMatch(/^neo: [A-Z].*[^.]$/)
  expect(rest.every((line) => /^(?:why|next): /.test(line))).toBe(true)
  expect(rest.at(-1)).toMatch(/^next: /)
  expect(code).toBe(wanted)
}
