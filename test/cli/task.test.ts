/** neo task new, edit, start, cancel, done, fail, retry, delete: files are made and changed a line at a time. */
import { describe, expect, test } from 'vitest'
import { dataOf, makeHome, neo, RUNBOOK } from './program.ts'

const HAND =
  '---\r\ntitle: By hand   # mine\r\ndue: 2026-03-05\r\nlabels:\r\n  - a # first\r\n---\r\nBody\r\n'

/** Without what the hub adds to a file that it takes in. */
function unadopted(text: string): string {
  return text.replace(/^neo:\r?\n(?: {2}.*\r?\n)*/m, '')
}

describe('neo task new', () => {
  test('prints the path of a file that holds title, status and text, when the text comes from stdin', async () => {
    const home = makeHome()
    const made = await neo(
      ['task', 'new', '--home', home.dir, '--room', 'shop', '--title', 'Fix: the login', '-'],
      { input: RUNBOOK },
    )
    expect(made.out.trim()).toMatch(/^rooms\/shop\/tasks\/fix-the-login--t-[a-z0-9]{6}\.md$/)
    expect(home.text(made.out.trim())).toMatch(
      /^---\ntitle: "Fix: the login"\nstatus: pending\nneo:\n {2}id: t-\w{6}\n {2}created_at: .*\n {2}created_by: human\n---\n```sh name=one\n/,
    )
  })

  test.each([
    'a: b',
    "it's",
    '"quoted"',
    '- dash',
    '# hash',
    '@at',
    '{{x}}',
    'null',
    '0012',
    '61e9540',
    '[1, 2]',
    '&anchor',
    '*star',
    '!tag',
    '%',
    '`x` $(touch canary); rm',
    '--- ',
    '題'.repeat(120),
    '\u{1f600}'.repeat(60),
  ])('keeps the title %s as it is typed', async (title) => {
    const home = makeHome()
    const made = dataOf(await home.neo('task', 'new', '--json', `--title=${title}`)) as {
      path: string
      title: string
    }
    const shown = dataOf(await home.neo('task', 'show', made.path, '--json')) as { title: string }
    expect(shown.title).toBe(title.trim())
    expect(Buffer.byteLength(made.path.split('/').at(-1) ?? '')).toBeLessThan(200)
  })

  test('takes the title from the first line when none is said', async () => {
    const home = makeHome()
    const made = dataOf(await home.neo('task', 'new', '--json', 'Mend the pump\n\nIt leaks.')) as {
      title: string
    }
    expect(made.title).toBe('Mend the pump')
  })

  test('puts a title with a line end on one line', async () => {
    const made = dataOf(await makeHome().neo('task', 'new', '--json', '--title', 'one\ntwo')) as {
      title: string
    }
    expect(made.title).toBe('one two')
  })

  test('keeps a text that looks like a header, or holds our own markers, byte for byte', async () => {
    const home = makeHome()
    const text = '---\ntitle: other\nneo:\n  id: t-xxxxxx\n---\n## Answer\n\nx\n'
    const made = await neo(['task', 'new', '--home', home.dir, '--title', 'Own', '-'], { input: text })
    expect(home.text(made.out.trim()).endsWith(`---\n${text}`)).toBe(true)
  })

  test('refuses a text whose fence is open, and leaves no file', async () => {
    const home = makeHome()
    const { code } = await neo(['task', 'new', '--home', home.dir, '--room', 'shop', '--title', 'X', '-'], {
      input: '```sh\nx\n',
    })
    expect({ code, files: home.names('rooms/shop/tasks') }).toEqual({ code: 2, files: ['.gitkeep'] })
  })

  test('writes all fields that are said', async () => {
    const home = makeHome()
    const made = await home.neo(
      'task',
      'new',
      '--title',
      'X',
      '--worker',
      'shell',
      '--priority',
      'high',
      '--depends-on',
      'later',
      '--label',
      'a',
      '--label',
      'b, c',
      '--status',
      'draft',
    )
    expect(home.text(made.out.trim())).toContain(
      'status: draft\npriority: high\ndepends_on: [later]\nworker: shell\nlabels: [a, "b, c"]\n',
    )
    expect(made.err).toContain('Task "later" does not exist yet')
  })

  test('writes a dependency by a name that depends_on finds', async () => {
    const home = makeHome()
    const first = (await home.neo('task', 'new', '--room', 'shop', '--title', 'Dig')).out.trim()
    const [, name = ''] = /tasks\/(.+)\.md$/.exec(first) ?? []
    const made = await home.neo('task', 'new', '--title', 'Plant', '--depends-on', 'dig')
    expect(home.text(made.out.trim())).toContain(`depends_on: [shop/${name}]\n`)
    const circle = await home.neo('task', 'edit', 'dig', '--depends-on', 'dig')
    expect(circle).toMatchObject({ code: 2, err: expect.stringContaining('Invalid depends-on: ') })
  })

  test('refuses a worker that does not exist, and says which do', async () => {
    const home = makeHome({ 'neo.yaml': 'workers: { tool: { command: [tool] } }\n' })
    const asked = ['task', 'new', '--room', 'shop', '--title', 'X', '--worker'] as const
    expect(await home.neo(...asked, 'exec:tol')).toMatchObject({
      code: 2,
      err: expect.stringContaining('worker tol not found under workers: in neo.yaml; it has tool'),
    })
    expect((await home.neo(...asked, 'mcp:docs')).err).toContain('MCP server docs not found')
    expect((await home.neo(...asked, 'peer:ben')).err).toContain('no agent "ben" in workspace/agents/')
    expect((await home.neo('room', 'new', 'own', '--worker', 'exec:tol')).code).toBe(2)
    expect((await home.neo(...asked, 'exec:tool')).code).toBe(0)
  })

  test('takes a name that only looks like an id, a path and a name in a folder', async () => {
    const home = makeHome({
      'rooms/shop/tasks/t-shirt.md': '# Shirt\n',
      'rooms/shop/tasks/deep/print--t-aaaaaa.md': '# Print\n',
    })
    for (const name of ['t-shirt', 'shop/t-shirt', 'print', 'deep/print', 'shop/deep/print--t-aaaaaa'])
      expect({ name, code: (await home.neo('task', 'show', name)).code }).toEqual({ name, code: 0 })
    const made = await home.neo('task', 'new', '--title', 'Y', '--depends-on', 'rooms/shop/tasks/t-shirt.md')
    expect(home.text(made.out.trim())).toContain('depends_on: [shop/t-shirt]\n')
  })

  test('fills a template in strictly', async () => {
    const home = makeHome({
      'templates/tasks/greet.md':
        '---\ntitle: Greet {{who}}\nworker: shell\nparams:\n  who: { type: string }\n---\n```sh\necho "$who"\n```\n',
    })
    const made = await home.neo('task', 'new', '--room', 'shop', '--template', 'greet', '--param', 'who=Ana')
    expect(home.text(made.out.trim())).toContain('title: Greet Ana\n')
    expect((await home.neo('task', 'new', '--template', 'greet')).code).toBe(2)
    const without = await home.neo('task', 'new', '--room', 'shop', '--param', 'who=Ana', 'Greet')
    expect([without.code, without.err]).toEqual([2, expect.stringContaining('without a template')])
    expect((await home.neo('task', 'new', '--template', 'greet', '--param', 'whom=Ana')).code).toBe(2)
  })

  test('gives each of many tasks made at once its own file', async () => {
    const home = makeHome()
    const ended = await Promise.all(
      Array.from({ length: 8 }, () => home.program('task', 'new', '--room', 'shop', '--title', 'Same')),
    )
    expect(ended.filter(({ code }) => code !== 0)).toEqual([])
    expect(home.names('rooms/shop/tasks').filter((name) => name.startsWith('same--t-'))).toHaveLength(8)
  })
})

describe('neo task edit', () => {
  test('changes one line when one field is said, whatever the file looks like', async () => {
    const home = makeHome({ 'rooms/shop/tasks/Hand Made.md': HAND })
    await home.neo('task', 'edit', 'Hand Made', '--label', 'c')
    const { code } = await home.neo('task', 'edit', 'Hand Made', '--label', 'b')
    expect(code).toBe(0)
    expect(home.git('show', '--numstat', '--format=')).toMatch(/^1\t0\t/)
    expect(home.text('rooms/shop/tasks/Hand Made.md')).toContain('due: 2026-03-05\r\n')
  })

  test('changes status, title and priority, and takes labels away', async () => {
    const home = makeHome({ 'rooms/shop/tasks/x.md': '---\ntitle: X\nlabels: [a, b]\n---\nBody\n' })
    await home.neo(
      'task',
      'edit',
      'x',
      '--status',
      'draft',
      '--title',
      'A: b',
      '--priority',
      'low',
      '--unlabel',
      'a',
    )
    expect(unadopted(home.text('rooms/shop/tasks/x.md'))).toBe(
      '---\ntitle: "A: b"\nlabels: [b]\npriority: low\nstatus: draft\n---\nBody\n',
    )
  })

  test('replaces the text when it comes from stdin', async () => {
    const home = makeHome({ 'rooms/shop/tasks/x.md': '---\ntitle: X\n---\nOld\n' })
    await neo(['task', 'edit', 'x', '-', '--home', home.dir], { input: 'New' })
    expect(unadopted(home.text('rooms/shop/tasks/x.md'))).toBe('---\ntitle: X\n---\nNew\n')
  })

  test.each([
    ['--due', 'someday'],
    ['--worker', 'robot'],
    ['--unset', 'neo'],
  ])('refuses %s %s and leaves the file', async (...args) => {
    const home = makeHome({ 'rooms/shop/tasks/x.md': HAND })
    expect((await home.neo('task', 'edit', 'x', ...args)).code).not.toBe(0)
    expect(home.text('rooms/shop/tasks/x.md')).toBe(HAND)
  })

  test('refuses a file that is broken, names the line, and leaves it', async () => {
    const home = makeHome({ 'rooms/shop/tasks/x.md': '---\ntitle: a: b\n---\n' })
    const { code, err } = await home.neo('task', 'edit', 'x', '--status', 'draft')
    expect({ code, text: home.text('rooms/shop/tasks/x.md') }).toEqual({
      code: 1,
      text: '---\ntitle: a: b\n---\n',
    })
    expect(err).toContain('rooms/shop/tasks/x.md:2:')
  })
})

describe('neo task start, cancel, done, fail, retry', () => {
  test.each([
    ['start', 'draft', 'pending'],
    ['start', 'blocked', 'pending'],
    ['start', 'completed', 'pending'],
    ['start', 'failed', 'pending'],
    ['start', 'review', 'pending'],
    ['cancel', 'pending', 'cancelled'],
    ['cancel', 'in_progress', 'cancelled'],
    ['done', 'in_progress', 'completed'],
    ['done', 'review', 'completed'],
    ['fail', 'in_progress', 'failed'],
    ['retry', 'failed', 'pending'],
    ['retry', 'cancelled', 'pending'],
  ])('%s turns %s into %s in one line', async (verb, from, to) => {
    const home = makeHome({ 'rooms/shop/tasks/x.md': `---\ntitle: X\nstatus: ${from} # now\n---\n` })
    expect((await home.neo('task', verb, 'x')).code).toBe(0)
    expect(unadopted(home.text('rooms/shop/tasks/x.md'))).toBe(`---\ntitle: X\nstatus: ${to} # now\n---\n`)
  })

  test.each([
    ['start', 'in_progress'],
    ['retry', 'draft'],
    ['retry', 'in_progress'],
  ])('%s refuses %s', async (verb, from) => {
    const text = `---\ntitle: X\nstatus: ${from}\n---\n`
    const home = makeHome({ 'rooms/shop/tasks/x.md': text })
    expect((await home.neo('task', verb, 'x')).code).toBe(1)
    expect(home.text('rooms/shop/tasks/x.md')).toBe(text)
  })

  test.each([
    ['done', 'result'],
    ['fail', 'error'],
  ])('%s keeps words on one line as %s', async (verb, key) => {
    const home = makeHome({ 'rooms/shop/tasks/x.md': '---\ntitle: X\n---\n' })
    await home.neo('task', verb, 'x', '-m', 'all: of\nit')
    expect(home.text('rooms/shop/tasks/x.md')).toMatch(
      new RegExp(`^neo:\n(  .*\n)*  ${key}: "all: of it"\n`, 'm'),
    )
  })

  test('changes nothing when it is said twice', async () => {
    const home = makeHome({ 'rooms/shop/tasks/x.md': '---\ntitle: X\n---\n' })
    await home.neo('task', 'cancel', 'x')
    const before = home.text('rooms/shop/tasks/x.md')
    expect(await home.neo('task', 'cancel', 'x')).toMatchObject({ code: 0 })
    expect(home.text('rooms/shop/tasks/x.md')).toBe(before)
  })
})

test('neo task delete removes the file and says that git keeps it', async () => {
  const home = makeHome({ 'rooms/shop/tasks/a.md': '# A\n' })
  expect(await home.neo('task', 'delete', 'a')).toMatchObject({ code: 0 })
  expect(home.names('rooms/shop/tasks')).toEqual(['.gitkeep'])
  expect((await home.neo('task', 'delete', 'a')).code).toBe(4)
})
