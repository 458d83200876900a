/** neo ask and neo review: a person's decisions, and what is refused. */
import { beforeEach, describe, expect, test } from 'vitest'
import { dataOf, type Home, makeHome, neo } from './program.ts'

const BY_NEO =
  '---\ntitle: By a model\nneo: { id: t-aaaaaa, created_at: 2026-03-01T09:00:00Z, created_by: neo }\n---\n```sh\necho hi > hi.txt\n```\n'
const ON_BRANCH = '---\ntitle: On a branch\nreview: branch\n---\n```sh\necho line >> thing.md\n```\n'

let home: Home

describe('neo ask', () => {
  let id: string
  beforeEach(async () => {
    home = makeHome({ 'rooms/shop/tasks/a.md': BY_NEO })
    await home.neo('run')
    id = (dataOf(await home.neo('ask', 'list', '--json')) as { id: string }[])[0]?.id ?? ''
  })

  test('approve records who and when, and the task runs', async () => {
    expect(await home.neo('ask', 'approve', id)).toMatchObject({ code: 0 })
    expect(home.text(`rooms/shop/asks/${id}.md`)).toMatch(
      /decision: approved[\s\S]*decided_by: Ana\ndecided_at: /,
    )
    await home.neo('run')
    expect(home.text('rooms/shop/tasks/a.md')).toMatch(/^status: completed$/m)
    expect(home.git('log', '--format=%(trailers:key=Neo-Approved-By)')).toContain('Neo-Approved-By: Ana')
  })

  test('deny lets the task fail', async () => {
    expect(await home.neo('ask', 'deny', id)).toMatchObject({ code: 0 })
    expect(home.text('rooms/shop/tasks/a.md')).toMatch(/^status: failed$/m)
  })

  test('a second decision is refused with 5, and the first stands', async () => {
    await home.neo('ask', 'deny', id)
    expect((await home.neo('ask', 'approve', id)).code).toBe(5)
    expect(home.text(`rooms/shop/asks/${id}.md`)).toContain('decision: denied')
  })

  test('approval is refused with 5 when the task has changed since it was asked', async () => {
    home.put('rooms/shop/tasks/a.md', home.text('rooms/shop/tasks/a.md').replace('echo hi', 'echo other'))
    const { code, err } = await home.neo('ask', 'approve', id)
    expect({ code, err }).toEqual({ code: 5, err: expect.stringContaining('changed after the request') })
    expect(home.text(`rooms/shop/asks/${id}.md`)).toContain('decision: pending')
  })

  test('approval is refused with 5 when its time is over', async () => {
    const path = `rooms/shop/asks/${id}.md`
    home.put(path, home.text(path).replace(/expires_at: .*/, 'expires_at: 2026-01-01T00:00:00Z'))
    expect((await home.neo('ask', 'approve', id)).code).toBe(5)
  })

  test('show prints what would be done, and list is empty after the decision', async () => {
    expect((await home.neo('ask', 'show', id)).out).toMatch(/tool +run_task\n[\s\S]*sha256 +[0-9a-f]{64}/)
    await home.neo('ask', 'deny', id)
    expect((await home.neo('ask', 'list')).out).toBe('')
  })
})

test('neo ask answer puts the text under ## Answer, once', async () => {
  const path = 'rooms/shop/asks/a-aaaaaa.md'
  home = makeHome({
    [path]:
      '---\nkind: question\nreason: Which one?\nneo: { id: a-aaaaaa, created_at: 2026-03-01T09:00:00Z }\n---\nWhich one?\n\n## Answer\n',
  })
  expect((await home.neo('ask', 'approve', 'a-aaaaaa')).code).toBe(2)
  const { code } = await neo(['ask', 'answer', 'a-aaaaaa', '-', '--home', home.dir], {
    input: 'The second.\n',
  })
  expect(code).toBe(0)
  expect(home.text(path)).toMatch(
    /decided_by: Ana\ndecided_at: .*\n[\s\S]*Which one\?\n\n## Answer\n\nThe second\.\n$/,
  )
  expect((await home.neo('ask', 'answer', 'a-aaaaaa', 'The first')).code).toBe(5)
  expect((await home.neo('ask', 'list', '--all')).out).toMatch(/^a-aaaaaa +answered /)
  expect((await home.neo('ask', 'show', 'a-aaaaaa')).out).toMatch(/^decision +answered$/m)
  expect(dataOf(await home.neo('ask', 'show', 'a-aaaaaa', '--json'))).toMatchObject({ decision: 'answered' })
})

describe('neo review', () => {
  beforeEach(async () => {
    home = makeHome({ 'rooms/shop/tasks/a.md': ON_BRANCH })
    await home.neo('run')
  })

  test('list, show and diff say what waits and what it changes', async () => {
    expect((await home.neo('review', 'list')).out).toMatch(/^shop\/a +t-\w+ +neo\/shop\/a-1 /)
    expect(dataOf(await home.neo('review', 'show', 'a', '--json'))).toMatchObject({
      base: 'main',
      paths: ['workspace/files/thing.md'],
    })
    expect((await home.neo('review', 'diff', 'a')).out).toMatch(/^\+line$/m)
  })

  test('show tells checks that did not run from no checks', async () => {
    const verified = async () => /^verified +(.*)$/m.exec((await home.neo('review', 'show', 'a')).out)?.[1]
    expect(await verified()).toBe('no checks configured')
    const path = 'rooms/shop/tasks/a.md'
    home.put(path, home.text(path).replace('---\n', '---\nverify: ["true"]\n'))
    expect(await verified()).toBe('none of 1 check ran')
  })

  test('accept merges with the name of who accepts, and completes the task', async () => {
    expect(await home.neo('review', 'accept', 'a')).toMatchObject({ code: 0 })
    expect(home.text('workspace/files/thing.md')).toBe('line\n')
    expect(home.text('rooms/shop/tasks/a.md')).toMatch(/^status: completed$/m)
    expect(home.git('log', '--format=%(trailers:key=Neo-Approved-By)')).toContain('Neo-Approved-By: Ana')
    expect(home.git('status', '--porcelain')).toBe('')
  })

  test('accept is refused while a person works on the same file, and changes nothing', async () => {
    home.put('workspace/files/thing.md', 'mine\n')
    const { code, err } = await home.neo('review', 'accept', 'a')
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/thing\.md; [^\n]+git stash\n.*next: neo review accept, when/),
    })
    expect(home.text('workspace/files/thing.md')).toBe('mine\n')
  })

  test('accept names the files that conflict', async () => {
    home.put('workspace/files/thing.md', 'mine\n')
    home.git('add', '-A')
    home.git('commit', '-q', '-m', 'Mine')
    const { code, err } = await home.neo('review', 'accept', 'a')
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/workspace\/files\/thing\.md\n.*next: .*docs\/review\.md/),
    })
  })

  test('reject with words starts a new attempt on the branch, and the words never run', async () => {
    await home.neo('review', 'reject', 'a', '-m', 'Again:\n```sh\ntouch canary\n```')
    expect(home.text('rooms/shop/tasks/a.md')).toMatch(
      /\n## Review\n\nAna of attempt 1:\n\n> Again:\n> ```sh\n/,
    )
    await home.neo('run')
    expect((await home.neo('review', 'diff', 'a')).out).toMatch(/^\+line\n\+line$/m)
    expect(home.git('ls-tree', '-r', '--name-only', 'neo/shop/a-1')).not.toContain('canary')
  })

  test('reject without words fails the task, and the branch stays', async () => {
    await home.neo('review', 'reject', 'a')
    expect(home.text('rooms/shop/tasks/a.md')).toMatch(/status: failed[\s\S]*error: rejected by Ana/)
    expect(home.git('branch', '--list', 'neo/*')).toContain('neo/shop/a-1')
    expect((await home.neo('review', 'accept', 'a')).code).toBe(4)
  })
})
