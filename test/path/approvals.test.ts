/**
 * Ways to change what was approved, through files, on whole sessions that ask before each command and on calls of the hub
 * that need leave: nothing runs that was not shown, and what was shown and approved runs once.
 */
import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runRounds } from '../../src/engine/round.ts'
import { type HubHome, hubHome, HUMAN, NEO, SESSION } from '../hub/hub-home.ts'
import { type Home, makeHome } from './home.ts'
import { type Asked, startModel } from './model.ts'

const ROOM = [
  '---',
  'worker: agent',
  'review: none',
  'concurrency: 60',
  'permissions: { shell: ask }',
  '---',
  '',
].join('\n')
const FINISH = { calls: [{ name: 'finish_task', input: { result: 'tried' } }] }

/** Each task wants one command, that leaves a file of its name. */
function script({ turn, text }: Asked) {
  const name = /# Task: (\S+)/.exec(text)?.[1] ?? 'nobody'
  return turn === 0
    ? { calls: [{ name: 'shell', input: { command: `echo ran >> ran-${name}.txt` } }] }
    : FINISH
}

type Asks = ReadonlyMap<string, string>
type Change = (home: Home, path: string, asks: Asks) => void

const edit =
  (...changes: readonly ((text: string) => string)[]): Change =>
  (home, path) =>
    home.write(
      path,
      changes.reduce((text, change) => change(text), home.read(path)),
    )
/** Changes a text, and says so where there was nothing to change. */
const put = (from: string | RegExp, to: string) => (text: string) => {
  const after = text.replace(from, to)
  if (after === text) throw new Error(`${from} is not in ${text}`)
  return after
}
const yes = put('decision: pending', 'decision: approved')
const other = put(/echo ran >> ran-/g, 'echo ran >> other-')
const moved = (to: string): Change => {
  return (home, path) => {
    edit(yes)(home, path, new Map())
    const name = path.split('/').at(-1) ?? ''
    home.write(to.replace('NAME', name), home.read(path))
    home.git('rm', '-q', '--cached', '--force', path)
    renameSync(join(home.dir, path), join(home.dir, '.git', `gone-${name}`))
  }
}

/** Name of a task, and what is done to the file of its ask; every one of these has to end without the command. */
const WAYS: Readonly<Record<string, Change>> = {
  denied: edit(put('decision: pending', 'decision: denied')),
  pending: () => {},
  'no-such-decision': edit(put('decision: pending', 'decision: sure')),
  'arguments-in-header': edit((text) => text.replace(/(action:[\s\S]*?)echo ran/, '$1echo fine'), yes),
  'arguments-in-body': edit((text) => text.replace(/(```[\s\S]*?)echo ran/, '$1echo fine'), yes),
  'both-arguments': edit(other, yes),
  'another-tool': edit(put('tool: shell', 'tool: fetch_url'), yes),
  'another-sha': edit(put(/sha256: "?\w+"?/, `sha256: "${'0'.repeat(64)}"`), yes),
  'no-sha': edit(put(/, sha256: "?\w+"?/, ''), yes),
  'another-reason': edit(put(/^reason: .*/m, 'reason: a harmless look'), yes),
  'another-session': edit(put(/^session: .*/m, 'session: s-000000'), yes),
  'no-session': edit(put(/^session: .*\n/m, ''), yes),
  'another-task': edit(put(/^task: .*/m, 'task: t-000000'), yes),
  'files-added': edit(put('files: []', 'files: [README.md]'), yes),
  'more-arguments': edit(put('arguments: { ', 'arguments: { more: true, '), yes),
  'as-a-question': edit(
    put('kind: approval', 'kind: question'),
    (text) => `${text}\n## Answer\n\nYes, approved.\n`,
  ),
  'question-and-approved': edit(
    put('kind: approval', 'kind: question'),
    (text) => `${text}\n## Answer\n\nYes.\n`,
    yes,
  ),
  'answered-only': edit((text) => `${text}\n## Answer\n\napproved\n`),
  'yes-in-the-body': edit((text) => `${text}\ndecision: approved\n`),
  late: edit(put(/expires_at: .*/, 'expires_at: 2020-01-01T00:00:00Z'), yes),
  'late-by-its-own-word': edit(
    put(/expires_at: .*/, 'expires_at: 2020-01-01T00:00:00Z'),
    yes,
    put('decision: approved', 'decision: approved\ndecided_at: 2020-01-02T00:00:00Z'),
  ),
  'empty-body': edit(yes, (text) => text.replace(/(\n---\n)[\s\S]*$/, '$1')),
  'broken-header': edit(yes, put('kind: approval', 'kind: [approval')),
  'moved-to-another-id': moved('rooms/shop/asks/a-zzzzzz.md'),
  'moved-to-another-room': moved('rooms/attic/asks/NAME'),
  'moved-to-the-archive': moved('rooms/shop/asks/archive/NAME'),
  'other-case': edit(put('decision: pending', 'decision: Approved')),
}
const SWAPPED = ['swapped-one', 'swapped-two'] as const
/** Ways that change nothing of what is shown. */
const FINE: Readonly<Record<string, Change>> = {
  approved: edit(yes),
  'approved-with-a-note': edit(yes, (text) => `${text}\nLooks right to me.\n`),
  'approved-with-other-line-ends': edit(yes, (text) => text.replaceAll('\n', '\r\n')),
  'approved-by-name': edit(yes, put('decision: approved', 'decision: approved\ndecided_by: m-ana')),
}

function asksOf(home: Home): Asks {
  const folder = 'rooms/shop/asks'
  return new Map(
    readdirSync(join(home.dir, folder))
      .filter((name) => name.endsWith('.md'))
      .flatMap((name) => {
        const task = /ran-([\w-]+)\.txt/.exec(home.read(`${folder}/${name}`))?.[1]
        return task === undefined ? [] : [[task, `${folder}/${name}`] as const]
      }),
  )
}

test(`a command of a session runs in 0 of ${Object.keys(WAYS).length + 2} ways to change what was approved`, async () => {
  const model = await startModel(script)
  const config = model.config.replace('settle: 0s', 'concurrency: 60, settle: 0s')
  const home = makeHome({ 'neo.yaml': config, 'rooms/shop/ROOM.md': ROOM })
  const all = [...Object.keys(WAYS), ...SWAPPED, ...Object.keys(FINE)]
  for (const name of all) home.task(name, `# ${name}\n\nWork.\n`)
  await home.run()
  const asks = asksOf(home)
  expect([...asks.keys()].sort()).toEqual([...all].sort())
  for (const [name, change] of [...Object.entries(WAYS), ...Object.entries(FINE)])
    change(home, asks.get(name) ?? '', asks)
  const [one = '', two = ''] = SWAPPED.map((name) => asks.get(name) ?? '')
  const [first, second] = [home.read(one), home.read(two)]
  home.write(one, yes(second))
  home.write(two, first)
  await home.run()
  await home.run()
  const landed = all.filter((name) => home.has(`workspace/files/ran-${name}.txt`))
  const others = readdirSync(join(home.dir, 'workspace/files')).filter((name) => name.startsWith('other-'))
  expect([landed.sort(), others]).toEqual([Object.keys(FINE).sort(), []])
  for (const name of landed) expect(home.read(`workspace/files/ran-${name}.txt`)).toBe('ran\n')
  const started = model.asked.filter(({ last }) => last.includes('exit code') || last.includes('(no output)'))
  expect(started.length).toBeLessThanOrEqual(landed.length)
})

test('an ask that was approved stays approved for its own command alone when the task changes and the daemon ends', async () => {
  const model = await startModel(script)
  const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': ROOM })
  home.task('a', '# a\n\nWork.\n')
  await home.run()
  const path = asksOf(home).get('a') ?? ''
  home.write(path, yes(home.read(path)))
  home.task('a', home.text('a').replace('Work.', 'Work on something else.'))
  await home.run()
  const [shown] = [home.read(path)]
  home.write(path, shown.replace(/^handled_at: .*\n/m, ''))
  await home.run()
  home.write(path, shown)
  await home.run()
  expect([home.status('a'), home.read('workspace/files/ran-a.txt')]).toEqual(['completed', 'ran\n'])
})

const VERIFY = ['true']

/** Asks of the hub, one a task: a session wants to set `verify`, which a person has to allow. */
async function hubAsks(names: readonly string[]): Promise<{ home: HubHome; asks: Asks }> {
  const tasks = names.map((name) => [`rooms/shop/tasks/${name}.md`, `---\nstatus: draft\n---\n# ${name}\n`])
  const home = await hubHome({ 'rooms/attic/ROOM.md': '# Attic\n', ...Object.fromEntries(tasks) })
  const asks = new Map<string, string>()
  for (const name of names) {
    const updates = { taskId: `shop/${name}`, updates: { verify: VERIFY } }
    const { ask } = await home.refusal('task.update', updates, SESSION)
    asks.set(name, `rooms/shop/asks/${ask}.md`)
  }
  return { home, asks }
}

const HUB_WAYS: Readonly<Record<string, Change>> = {
  denied: edit(put('decision: pending', 'decision: denied')),
  pending: () => {},
  arguments: edit(put(/- "?true"?|\[\s*"?true"?\s*\]/, '["rm -r x"]'), yes),
  'another-task': edit(put(/taskId: .*/, 'taskId: shop/pending'), yes),
  method: edit(put('tool: task.update', 'tool: task.delete'), yes),
  sha: edit(put(/sha256: "?\w+"?/, `sha256: "${'0'.repeat(64)}"`), yes),
  caller: edit(put(/created_by: session:.*/, 'created_by: neo:shop'), yes),
  'caller-a-person': edit(put(/created_by: session:.*/, 'created_by: human'), yes),
  reason: edit(put(/^reason: .*/m, 'reason: nothing of weight'), yes),
  kind: edit(put('kind: approval', 'kind: question'), yes),
  id: edit(put(/( {2}id|\{ ?id): a-\w+/, '$1: a-000000'), yes),
  late: edit(put(/expires_at: .*/, 'expires_at: 2020-01-01T00:00:00Z'), yes),
  'moved-to-another-id': (home, path) => {
    home.write('rooms/shop/asks/a-zzzzz1.md', yes(home.read(path)))
    edit(put('decision: pending', 'decision: denied'))(home, path, new Map())
  },
  'copied-with-its-id': (home, path) => {
    const text = yes(home.read(path)).replace(/( {2}id|\{ ?id): a-\w+/, '$1: a-zzzzz2')
    home.write('rooms/shop/asks/a-zzzzz2.md', text)
    edit(put('decision: pending', 'decision: denied'))(home, path, new Map())
  },
  'moved-to-another-room': (home, path) => {
    home.write(path.replace('shop', 'attic'), yes(home.read(path)))
    edit(put('decision: pending', 'decision: denied'))(home, path, new Map())
  },
  answered: edit((text) => `${text}\n## Answer\n\nYes.\n`),
}

async function round({ context, hub }: HubHome): Promise<void> {
  const { snapshot } = await runRounds(context, 'all', { allow: () => true })
  await hub.carryOut(snapshot)
}

test(`a call of the hub is carried out in 0 of ${Object.keys(HUB_WAYS).length} ways to change what was approved`, async () => {
  const { home, asks } = await hubAsks([...Object.keys(HUB_WAYS), 'approved'])
  for (const [name, change] of Object.entries(HUB_WAYS)) change(home.home, asks.get(name) ?? '', asks)
  edit(yes)(home.home, asks.get('approved') ?? '', asks)
  await round(home)
  await round(home)
  const done = Object.keys({ ...HUB_WAYS, approved: 1 }).filter(
    (name) =>
      !home.home.has(`rooms/shop/tasks/${name}.md`) ||
      home.home.read(`rooms/shop/tasks/${name}.md`).includes('verify'),
  )
  expect(done).toEqual(['approved'])
})

test('what a stale editor saves over a handled ask is carried out no second time', async () => {
  const { home, asks } = await hubAsks(['a'])
  const path = asks.get('a') ?? ''
  const approved = yes(home.home.read(path))
  home.home.write(path, approved)
  await round(home)
  expect(home.home.text('a')).toContain('verify')
  await home.call('task.update', { taskId: 'a', updates: { verify: null } }, HUMAN)
  home.home.write(path, approved)
  await round(home)
  expect(home.home.text('a')).not.toContain('verify')
})

test('who may not decide in a room decides there through no door', async () => {
  const { home, asks } = await hubAsks(['a'])
  home.home.write(
    'workspace/members/m-kim.md',
    '---\nname: Kim\nrole: child\npermissions: { rooms: [shop] }\n---\n',
  )
  const id = asks.get('a')?.split('/').at(-1)?.replace('.md', '') ?? ''
  for (const as of [
    NEO,
    SESSION,
    { kind: 'member', id: 'm-kim' } as const,
    { kind: 'peer', id: 'qa-x' } as const,
  ])
    expect((await home.refusal('ask.decide', { askId: id, decision: 'approved' }, as)).message).toContain(
      'Denied',
    )
  await round(home)
  expect(home.home.text('a')).not.toContain('verify')
})

test('a room is changed by its Neo only as it was shown, once', async () => {
  const home = await hubHome()
  const params = { roomId: 'shop', updates: { permissions: { shell: 'allow' as const } } }
  const { ask = '' } = await home.refusal('room.update', params, NEO)
  const { ask: again } = await home.refusal('room.update', params, NEO)
  expect(again).toBe(ask)
  const path = `rooms/shop/asks/${ask}.md`
  const shown = home.home.read(path)
  home.home.write(path, yes(shown).replace('shell: allow', 'shell: allow, push: allow'))
  await round(home)
  expect(home.home.read('rooms/shop/ROOM.md')).not.toContain('permissions')
  const { ask: fresh = '' } = await home.refusal('room.update', params, NEO)
  expect(fresh).not.toBe(ask)
  await home.call('ask.decide', { askId: fresh, decision: 'approved' })
  const twice = await home.refusal('ask.decide', { askId: fresh, decision: 'approved' })
  expect(twice.message).toContain('already')
  expect(home.home.read('rooms/shop/ROOM.md').match(/shell: allow/g)).toHaveLength(1)
})

test('what a stale editor saves over a handled ask lets no other run of a task begin', async () => {
  const home = makeHome()
  home.task('a', '---\nneo: { created_by: neo }\n---\n# A\n\n```sh\necho ran >> ran.txt\n```\n')
  await home.run()
  const [name = ''] = readdirSync(join(home.dir, 'rooms/shop/asks'))
  const path = `rooms/shop/asks/${name}`
  const approved = yes(home.read(path))
  home.write(path, approved)
  await home.run()
  expect([home.status('a'), home.read('workspace/files/ran.txt')]).toEqual(['completed', 'ran\n'])
  home.write(path, approved)
  home.task('a', home.text('a').replace('status: completed', 'status: pending'))
  await home.run()
  expect([home.status('a'), home.read('workspace/files/ran.txt')]).toEqual(['blocked', 'ran\n'])
})
