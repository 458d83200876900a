/** neo config: every file is checked, secrets stay masked, schemas are JSON Schema. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataOf, makeHome, neo, RUNBOOK } from './program.ts'

interface Checked {
  readonly errors: number
  readonly warnings: number
  readonly problems: readonly {
    readonly file: string
    readonly line: number | null
    readonly message: string
  }[]
}

test('neo config check finds what is broken in every kind of file, with its line, and leaves the files', async () => {
  const broken = {
    'rooms/shop/tasks/colon.md': '---\ntitle: a: b\n---\n',
    'rooms/shop/tasks/status.md': '---\nstatus: done\n---\nx\n',
    'rooms/shop/tasks/open.md': '---\ntitle: x\n',
    'rooms/shop/tasks/conflict.md': '<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n',
    'rooms/shop/tasks/code.md': '---js\nglobalThis.x = 1\n---\n',
    'rooms/shop/tasks/circle.md': '---\ndepends_on: [circle]\n---\nx\n',
    'rooms/shop/memories/m.md': '---\ntype: nonsense\n---\nx\n',
    'rooms/shop/schedules/s.md': '---\ncron: nonsense\n---\nx\n',
    'rooms/shop/asks/a-aaaaaa.md': '---\nkind: nonsense\n---\n',
    'rooms/shop/sessions/s-aaaaaa.md': '---\nstatus: nonsense\n---\n',
    'rooms/lobby/ROOM.md': '---\nstatus: nonsense\n---\n',
    'workspace/skills/x/SKILL.md': 'no header\n',
    'templates/tasks/t.md': '---\nparams: 1\n---\nx\n',
  }
  const home = makeHome(broken)
  execFileSync('mkfifo', [join(home.dir, 'rooms/shop/tasks/fifo.md')])
  const checked = await home.neo('config', 'check', '--json')
  const { problems } = dataOf(checked) as Checked
  expect(checked.code).toBe(1)
  expect([...new Set(problems.map(({ file }) => file))].sort()).toEqual(
    [...Object.keys(broken), 'rooms/shop/tasks/fifo.md'].sort(),
  )
  expect(home.git('status', '--porcelain')).toBe('')
})

test('neo config check counts 30 broken of 300 files and ends with 1', async () => {
  const home = makeHome()
  const kinds = ['---\ntitle: a: b\n---\n', "---\ntitle: it's\nlabels: ['a]\n---\n", '---\ntitle: x\n']
  for (let n = 0; n < 300; n++)
    home.put(`rooms/shop/tasks/t-${n}.md`, n % 10 === 0 ? (kinds[n % 3] ?? '') : `# Task ${n}\n`)
  const { code, out } = await home.neo('config', 'check')
  expect({ code, said: /30 errors in 30 files/.test(out) }).toEqual({ code: 1, said: true })
})

test('neo config check says errors first, and the warnings of a file in one line', async () => {
  const home = makeHome({
    'rooms/shop/tasks/a.md': '---\ntitel: A\nprioritty: low\nlabls: [b]\n---\nx\n',
    'rooms/shop/tasks/z.md': '---\ntitle: a: b\n---\n',
  })
  const { out } = await home.neo('config', 'check')
  const lines = out.split('\n').filter((line) => line.startsWith('rooms/'))
  expect(lines.map((line) => /^rooms\/shop\/tasks\/(\w)/.exec(line)?.[1])).toEqual(['z', 'a'])
  expect(lines[1]).toMatch(
    /"titel" \(line 2\); did you mean "title"\? .*"prioritty" \(line 3\); .*"labls" \(line 4\); did you mean "labels"\?$/,
  )
})

test('neo config check ends with 0 when there are warnings alone', async () => {
  const home = makeHome({
    'rooms/shop/tasks/a.md': `---\ntitel: A\ndepends_on: [nothing]\n---\n${RUNBOOK}`,
    'rooms/shop/tasks/empty.md': '',
  })
  const { code, out } = await home.neo('config', 'check')
  expect(code).toBe(0)
  expect(out).toMatch(/no errors, 3 warnings/)
})

test('a bad neo.yaml ends status, plan and run with 2, and file, line and column', async () => {
  const home = makeHome({ 'neo.yaml': 'daemon:\n  concurrency: many\n' })
  for (const command of ['status', 'plan', 'run', 'watch']) {
    const { code, err } = await home.neo(command)
    expect({ command, code, where: /neo\.yaml:2:\d+/.test(err) }).toEqual({ command, code: 2, where: true })
  }
  expect((await home.neo('config', 'check')).code).toBe(1)
})

test('neo config show takes the environment and .env, and masks secrets', async () => {
  const home = makeHome({
    'neo.yaml': `providers:\n  x: { api: openai, api_key: "\${KEY}" }\n`,
    '.env': 'KEY=s3cret\n',
  })
  const { out } = await neo(['config', 'show', '--home', home.dir], { env: { NEO_DAEMON__CONCURRENCY: '7' } })
  expect(out).toMatch(/daemon\.concurrency +7\n/)
  expect(out).toMatch(/providers\.x\.api_key +\*\*\*\n/)
  expect(out).not.toContain('s3cret')
})

test('neo config show KEY prints the value alone', async () => {
  expect((await makeHome().neo('config', 'show', 'daemon.branch')).out).toBe('main\n')
})

test.each(['task', 'room', 'ask', 'config', 'transcript'])(
  'neo config schema %s prints JSON Schema',
  async (kind) => {
    const { out } = await makeHome().neo('config', 'schema', kind)
    expect(JSON.parse(out)).toMatchObject({ type: 'object', properties: expect.any(Object) })
  },
)

test('a .env that git tracks gives no command a key, and config check and doctor name it', async () => {
  const home = makeHome({ 'neo.yaml': 'model: rules\n' })
  writeFileSync(join(home.dir, '.env'), 'ANTHROPIC_API_KEY=planted\n')
  const says = async () => {
    const doctor = (await home.neo('doctor', '--json')).out
    const check = (await home.neo('config', 'check', '--json')).out
    return [
      /ANTHROPIC_API_KEY is set/.test(doctor),
      ...[doctor, check].map((out) => /git tracks this file/.test(out)),
    ]
  }
  expect(await says()).toEqual([true, false, false])
  execFileSync('git', ['-C', home.dir, 'add', '-f', '.env'])
  execFileSync('git', ['-C', home.dir, 'commit', '-qm', 'plant'])
  expect(await says()).toEqual([false, true, true])
})
