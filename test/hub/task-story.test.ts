/** The story of a task, from git, session files, transcripts and requests alone: no daemon has to have seen it. */
import { expect, test } from 'vitest'
import type { Principal } from '../../src/domain/policy/policy-acts.ts'
import { tellStory } from '../../src/hub/timeline/tell-story.ts'
import { hubHome, turning } from './hub-home.ts'
import { makeHome, until } from '../path/home.ts'

const AT = '2026-03-01T09:00:00Z'
const LATER = '2026-03-01T09:05:00Z'
const BO: Principal = { kind: 'member', id: 'bo' }
const line = (entry: object) => `${JSON.stringify({ v: 1, ts: AT, ...entry })}\n`
const FILES = {
  'workspace/members/bo.md': '---\nrole: member\npermissions: { rooms: [desk] }\n---\n',
  'rooms/desk/ROOM.md': '---\nname: Desk\n---\n',
  'rooms/shop/tasks/a.md': `---\nstatus: failed\nneo: { id: t-aaaaaa, created_at: ${AT}, created_by: member:kim }\n---\n# A\n`,
  'rooms/shop/sessions/s-aaaaaa.md': `---\nid: s-aaaaaa\ntask: t-aaaaaa\nworker: shell\nstatus: failed\nstarted_at: ${AT}\nended_at: ${LATER}\n---\n# A\n\nAttempt 1 of a.\n\n## Error\n\n\`\`\`\n1 of 2 checks failed\n\`\`\`\n\n## Checks\n\n- x\n`,
  'rooms/shop/transcripts/s-aaaaaa.jsonl': [
    line({ id: '1', type: 'tool_call', call: 'verify-0', name: 'check 1', command: 'npm test' }),
    line({
      id: '2',
      type: 'verify',
      call: 'verify-0',
      is_error: false,
      exit_code: 0,
      ended: 'exit',
      ms: 5,
      output: 'ok',
    }),
    line({ id: '3', type: 'tool_call', call: 'verify-1', name: 'check 2', command: 'npm run lint' }),
    line({
      id: '4',
      type: 'verify',
      call: 'verify-1',
      is_error: true,
      exit_code: 1,
      ended: 'exit',
      ms: 7,
      output: 'bad',
    }),
    line({ id: '5', type: 'end', outcome: 'failed', message: 'x' }),
  ].join(''),
  'rooms/shop/asks/a-aaaaaa.md': `---\nkind: question\ntask: t-aaaaaa\nreason: Which?\ndecision: approved\ndecided_by: Kim\ndecided_at: ${LATER}\nneo: { id: a-aaaaaa, created_at: ${LATER} }\n---\nWhich?\n\n## Answer\n\nThis one.\n`,
}

test('task.story tells of the author, of an attempt with its checks, and of a request', async () => {
  const { call } = await hubHome(FILES)
  const { items, cut } = await call('task.story', { taskId: 'a' })
  expect(items.map(({ kind, by, at }) => [kind, by, at])).toEqual([
    ['created', 'member:kim', AT],
    ['attempt', 'session:s-aaaaaa', AT],
    ['request', 'neo', LATER],
    ['change', 'human', expect.any(String)],
  ])
  const attempt = items[1]?.attempt
  expect(attempt).toMatchObject({ number: 1, status: 'failed', error: '1 of 2 checks failed', isKept: true })
  expect(attempt?.checks).toEqual([
    { command: 'npm test', isPassed: true, ended: '', ms: 5, output: 'ok' },
    { command: 'npm run lint', isPassed: false, ended: 'exit 1', ms: 7, output: 'bad' },
  ])
  expect(items[2]?.request).toMatchObject({ id: 'a-aaaaaa', answer: 'This one.' })
  expect(cut).toBe(false)
})

test('task.story is refused to a member of another room', async () => {
  const { refusal } = await hubHome(FILES)
  expect(await refusal('task.story', { taskId: 'a' }, BO)).toMatchObject({ code: -32001 })
})

test('task.story has the merge of a real attempt', async () => {
  const home = await hubHome({
    'rooms/shop/tasks/a.md': '---\nworker: shell\n---\n# A\n\n```sh\necho hello > a.txt\n```\n',
  })
  await turning(home)
  await until(() => home.home.status('a') === 'completed', 120_000)
  const { items } = await home.call('task.story', { taskId: 'a' })
  const attempt = items.find(({ kind }) => kind === 'attempt')?.attempt
  expect(attempt).toMatchObject({ number: 1, status: 'completed', result: '1 step passed', error: null })
  expect(attempt?.commits.map(({ event }) => event)).toEqual(
    expect.arrayContaining(['start', 'merge', 'complete']),
  )
})

test('an attempt without a session file is told by its commits', () => {
  const commit = (kind: string, at: string) => ({
    at,
    kind,
    actor: 'neo',
    name: 'Neo',
    sessionId: 's-bbbbbb',
    says: `neo(shop): ${kind} a`,
    commit: 'c',
  })
  const task = { createdAt: null, createdBy: null } as never
  const commits = [commit('start', AT), commit('fail', LATER)]
  const [item] = tellStory({ task, commits, attempts: [], requests: [] })
  expect(item?.attempt).toMatchObject({
    isKept: false,
    status: 'failed',
    startedAt: AT,
    endedAt: LATER,
    commits: [{ event: 'start', says: 'start a' }, { event: 'fail' }],
  })
})

test('the story of a task in a repository beside the home has its merge, and commit.get shows what it changed', async () => {
  const beside = makeHome({ 'README.md': 'one\n' })
  const home = await hubHome({
    'rooms/shop/ROOM.md': `---\nworkspace: ${beside.dir}\nworker: shell\nreview: none\n---\n`,
    'rooms/shop/tasks/a.md': '# A\n\n```sh\necho hello > a.txt\n```\n',
  })
  await turning(home)
  await until(() => home.home.status('a') === 'completed', 120_000)
  const { items } = await home.call('task.story', { taskId: 'a' })
  const attempt = items.find(({ kind }) => kind === 'attempt')?.attempt
  const merge = attempt?.commits.find(({ event }) => event === 'merge')?.commit ?? ''
  const { diff, cut } = await home.call('commit.get', { taskId: 'a', commit: merge })
  expect([diff, cut]).toEqual([expect.stringContaining('+hello'), false])
})

test('commit.get shows of a commit of several rooms only the files of the room', async () => {
  const home = await hubHome(FILES)
  home.home.write('rooms/shop/tasks/a.md', `${FILES['rooms/shop/tasks/a.md']}One.\n`)
  home.home.write('rooms/desk/tasks/b.md', '# Secret\n')
  home.home.git('add', '-A')
  home.home.git('commit', '-qm', 'edit both')
  const commit = home.home.git('rev-parse', 'HEAD').trim()
  const { diff } = await home.call('commit.get', { taskId: 'a', commit })
  expect([diff.includes('+One.'), diff.includes('Secret')]).toEqual([true, false])
})
