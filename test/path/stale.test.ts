/** Old editor buffers: what they lack of ours comes back, what a person wrote stays, and nothing starts. */
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Home, makeHome, runbook, subjects, until } from './home.ts'

const COUNTS = runbook(['echo x >> "$NEO_HOME/.git/ran"'])

async function done(): Promise<{ home: Home; first: string }> {
  const home = makeHome()
  home.task('a', COUNTS)
  await home.run()
  return { home, first: home.git('show', `${commitOf(home, 'start a')}:rooms/shop/tasks/a.md`) }
}

function commitOf(home: Home, subject: string): string {
  return home.git('log', '-1', '--format=%H', `--grep=${subject}`)
}

test('run starts nothing from a buffer without a block, and keeps what was added to it', async () => {
  const { home } = await done()
  const id = home.neo('a', 'id')
  home.task('a', `${COUNTS}\nMy note.\n`)
  await home.run()
  expect([home.status('a'), home.neo('a', 'id'), home.read('.git/ran')]).toEqual(['completed', id, 'x\n'])
  expect(home.text('a')).toContain('My note.')
})

test('run starts nothing from a buffer that says pending as its version did', async () => {
  const home = makeHome()
  const pending = `---\nstatus: pending\n---\n${COUNTS}`
  home.task('a', pending)
  await home.run()
  home.task('a', pending.replace('# Do it', '# Do it well'))
  await home.run()
  expect([home.status('a'), home.read('.git/ran')]).toEqual(['completed', 'x\n'])
  expect(home.text('a')).toContain('# Do it well')
})

test('run starts nothing from a buffer of the time when the task ran', async () => {
  const { home, first } = await done()
  home.task('a', `${first}\nMy note.\n`)
  await home.run()
  expect([home.status('a'), home.read('.git/ran')]).toEqual(['completed', 'x\n'])
  expect(home.text('a')).toContain('My note.')
  expect(home.neo('a', 'completed_at')).toBeDefined()
})

test('run takes a status that a person changed in an old buffer for theirs', async () => {
  const { home, first } = await done()
  home.task('a', first.replace('status: in_progress', 'status: pending'))
  await home.run()
  expect([home.status('a'), home.read('.git/ran'), home.neo('a', 'attempt')]).toEqual([
    'completed',
    'x\nx\n',
    '2',
  ])
})

test('run commits the merge of an old buffer as the person and leaves nothing uncommitted', async () => {
  const { home } = await done()
  home.task('a', `${COUNTS}\nMy note.\n`)
  await home.run()
  expect(home.git('log', '-1', '--format=%an %s')).toBe('Person neo(shop): merge edit of a')
  expect(home.git('status', '--porcelain')).toBe('')
})

test('run merges an old buffer once', async () => {
  const { home } = await done()
  home.task('a', `${COUNTS}\nMy note.\n`)
  await home.run()
  await home.run()
  expect(subjects(home).filter((subject) => subject.includes('merge edit'))).toHaveLength(1)
})

test('run lets their body stand on a conflict and names where ours is', async () => {
  const { home } = await done()
  const newer = home.text('a').replace('# Do it', '# Do it now')
  home.task('a', newer)
  home.git('commit', '-q', '-a', '-m', 'mine elsewhere')
  home.task('a', COUNTS.replace('# Do it', '# Do it later'))
  const ran = await home.run()
  expect(home.text('a')).toContain('# Do it later')
  expect(ran.events.filter(({ kind }) => kind === 'notice').map(({ text }) => text)).toEqual([
    expect.stringContaining('git log -p -- rooms/shop/tasks/a.md'),
  ])
})

test('run stops nothing and loses no session when an old buffer is saved over a running task', async () => {
  const home = makeHome()
  const daemon = home.watch()
  const text = runbook(['while ! test -e "$NEO_HOME/.git/go"; do sleep 0.02; done'])
  home.task('a', text)
  await until(() => home.status('a') === 'in_progress')
  home.task('a', `${text}\nMy note.\n`)
  await until(() => home.neo('a', 'session') !== undefined && home.text('a').includes('My note.'))
  home.write('.git/go', '')
  await until(() => home.status('a') === 'completed')
  await daemon.stop()
  expect([home.neo('a', 'attempt'), home.text('a').includes('My note.')]).toEqual(['1', true])
})

/** A person who opens the file, takes a while, adds a line, and saves in one of three ways. */
async function edits(home: Home, name: string, random: () => number): Promise<void> {
  const path = join(home.dir, `rooms/shop/tasks/${name}.md`)
  for (let edit = 0; edit < EDITS; edit++) {
    const buffer = opened(home, name)
    await new Promise((resolve) => setTimeout(resolve, random() * 120))
    const again = random() < 0.25 ? buffer.replace('status: completed', 'status: pending') : buffer
    const text = `${again}note ${name} ${edit}\n`
    if (random() < 0.5) writeFileSync(path, text)
    else {
      writeFileSync(`${path}~`, text)
      renameSync(`${path}~`, path)
    }
    await new Promise((resolve) => setTimeout(resolve, random() * 120))
  }
}

/** An editor that finds the file half written by itself reads it again. */
function opened(home: Home, name: string): string {
  const text = home.text(name)
  if (!text.endsWith('\n')) throw new Error(`${name} is cut: ${text}`)
  return text
}

/** Lines that differ from what is committed. A note that was added to a task at rest is no transition: it is theirs to commit. */
function uncommitted(home: Home): string[] {
  const lines = home.git('diff', '-U0').split('\n')
  return lines.filter((line) => /^[-+](?![-+]{2} )/.test(line))
}

/** The same numbers for the same seed. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const TASKS = 10
const EDITS = Number(process.env['NEO_EDITS'] ?? 8)

test('watch loses no line of a person and no key of ours while edits and runs interleave', async () => {
  const home = makeHome({ 'neo.yaml': 'daemon: { settle: 20ms, rescan: 1s, concurrency: 4 }\n' })
  const names = Array.from({ length: TASKS }, (_, index) => `t${index}`)
  for (const name of names) home.task(name, runbook(['true']))
  const daemon = home.watch()
  await until(() => names.every((name) => home.neo(name, 'id') !== undefined))
  const ids = names.map((name) => home.neo(name, 'id'))
  await Promise.all(names.map((name, index) => edits(home, name, seeded(index + 1))))
  await until(() => names.every((name) => home.status(name) === 'completed'), 30_000)
  await until(() => uncommitted(home).every((line) => /^\+note t\d \d+$/.test(line)))
  const { events } = await daemon.stop()
  const lines = names.flatMap((name) => Array.from({ length: EDITS }, (_, edit) => `note ${name} ${edit}`))
  const all = names.map((name) => home.text(name)).join('')
  expect(lines.filter((line) => !all.includes(`${line}\n`))).toEqual([])
  expect(names.map((name) => home.neo(name, 'id'))).toEqual(ids)
  const starts = events.filter(({ kind }) => kind === 'start').length
  expect(names.reduce((sum, name) => sum + Number(home.neo(name, 'attempt')), 0)).toBe(starts)
  expect(events.filter(({ kind }) => kind === 'trouble')).toEqual([])
})
