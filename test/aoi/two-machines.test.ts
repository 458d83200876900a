/**
 * Two people at two machines do what docs/other-homes.md says, from the first key to the revocation: real programs, each in
 * a network of its own. The tests are one story, in this order. Wrong clocks: two-homes.test.ts.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../cli/program.ts'
import { documented, wordsOf } from './machines/documented.ts'
import { type Person, personAt } from './machines/person.ts'
import { type Machine, type TwoMachines, twoMachines } from './machines/two-machines.ts'

let machines: TwoMachines
let ana: Person
let ben: Person

const DAEMON = 'daemon: { settle: 100ms, rescan: 1s }\n'
const AGENT = documented(/^agent:\n {2}id: ana/)
const READS = documented(/^access:/)
const WRITES = documented(/^- \{ agent_id: ana/).trim()
const QUERY = wordsOf(/^neo agent query ben/)

/** What a person with this machine writes into neo.yaml. */
function agentAt({ host, address, port }: Machine, id: string): string {
  return AGENT.replace('id: ana', `id: ${id}`)
    .replace('owner: Ana', `owner: ${id}`)
    .replace(/host: \S+/, `host: ${host}\n  port: ${port}`)
    .replace(/endpoint: \S+/, `endpoint: https://${address}:${port}`)
}

beforeAll(async () => {
  machines = await twoMachines()
  process.stderr.write(`test: the two machines are ${machines.are}\n`)
  const [one, other] = machines.machines
  ana = personAt(one, { 'neo.yaml': DAEMON + agentAt(one, 'ana') })
  ben = personAt(other, {
    'neo.yaml': DAEMON + agentAt(other, 'ben'),
    'templates/tasks/build.md': documented(/^---\ntitle: "Build/),
    'workspace/files/build.sh':
      '#!/bin/sh\necho "$1" >> effects\nwhile [ -e "hold-$1" ]; do sleep 0.1; done\n',
    'workspace/files/hold-2.0.0': '',
  })
  ben.home.git('update-index', '--chmod=+x', 'workspace/files/build.sh')
  ben.home.git('commit', '-qm', 'make it a program')
  ben.home.git('checkout', '-q', '.')
  for (const person of [ana, ben]) {
    expect((await person.neo('trust')).code).toBe(0)
    await person.watch()
  }
})

afterAll(async () => {
  await Promise.all([ana?.kill(), ben?.kill()])
  machines?.remove()
})

async function allow(rules: string): Promise<void> {
  ben.home.put('neo.yaml', `${DAEMON}${agentAt(machines.machines[1], 'ben')}${rules}`)
  expect((await ben.neo('trust')).code).toBe(0)
  const count = rules.split('agent_id').length - 1
  await until(
    async () => (await ben.data<{ rules: unknown[] }>('rpc', 'access.rules')).rules.length === count,
  )
}

/** Approves what waits for Ben, as he finds it. */
async function approve(): Promise<string> {
  let waiting: readonly { readonly id: string; readonly decision: string }[] = []
  await until(async () => {
    waiting = (await ben.data<typeof waiting>('ask', 'list')).filter(({ decision }) => decision === 'pending')
    return waiting.length > 0
  })
  const { id = '' } = waiting[0] ?? {}
  const { out } = await ben.neo('ask', 'show', id)
  expect((await ben.neo('ask', 'approve', id)).code).toBe(0)
  return out
}

test('each takes what the other has printed, and both are found', async () => {
  const [fromAna, fromBen] = [await ana.neo('agent', 'keygen'), await ben.neo('agent', 'keygen')]
  const [added, other] = [
    await ana.pipe(fromBen.out, 'agent', 'add', '-'),
    await ben.pipe(fromAna.out, 'agent', 'add', '-'),
  ]
  expect([added.out, other.out]).toEqual(['workspace/agents/ben.md\n', 'workspace/agents/ana.md\n'])
  expect((await ana.neo('agent', 'discover')).out).toMatch(/^ben +pm +ben +online/)
  expect((await ben.neo('agent', 'status')).out).toMatch(/^ana +pm +ana +online /m)
})

test('without a rule, a question is refused', async () => {
  const { code, err } = await ana.neo(...QUERY)
  expect([code, err]).toEqual([1, expect.stringContaining('ben refused: Permission denied (no rule')])
  expect(await ben.data('rpc', 'agent.requests')).toEqual([])
})

test('a rule counts once its person has trusted it', async () => {
  ben.home.put('neo.yaml', `${ben.home.text('neo.yaml')}${READS}`)
  const check = () => ben.neo('access', 'check', 'ana', 'read', 'repository:acme/shop')
  await until(async () => (await check()).err.includes('neo trust'))
  expect((await check()).out).toMatch(/^refused /)
  await allow(READS)
  expect((await check()).out).toMatch(/^allowed /)
})

test('Ben approves the answer, and Ana gets it as a notice', async () => {
  expect((await ana.neo(...QUERY)).out).toBe('A person has to approve the answer first.\n')
  expect(await approve()).toContain('How far is the login page?')
  await until(() => ana.said(/ben answered "How far is the login page\?": There are no tasks\./))
  expect(await ben.data('rpc', 'agent.requests')).toMatchObject([{ agentId: 'ana', status: 'answered' }])
})

test('with auto, an answer comes at once, or later as a notice', async () => {
  await allow(READS.replace('permission: read', 'permission: read, auto: true'))
  expect((await ana.neo(...QUERY)).out).toMatch(/^There are no tasks\./)
  const [agent, query, id, , ...context] = QUERY
  const later = await ana.neo(...[agent, query, id].map(String), 'Later?', ...context, '--async')
  expect([later.code, later.err]).toEqual([0, 'The answer comes later, as a notice.\n'])
  await until(() => ana.said(/ben answered "Later\?": There are no tasks\./))
})

/** The text of a task that Ana hands over. */
const handedOver = (version: string) =>
  documented(/^---\ntitle: Build the release/).replace(/version: [\d.]+/, `version: ${version}`)

/** What the script has done in Ben's home. */
const effects = () => readFileSync(join(ben.home.dir, 'workspace/files/effects'), 'utf8')

test('a task that Ana hands over is done in Ben’s home, and its end comes back', async () => {
  await allow(`access:\n  rules:\n    ${WRITES}\n`)
  ana.home.put('rooms/shop/tasks/one.md', handedOver('1.4.0'))
  expect(await approve()).toContain('1.4.0')
  await until(() => ana.task('one', 'status') === 'completed')
  expect(ana.task('one', 'result')).toMatch(/^ben: 1 step passed/)
  expect(effects()).toBe('1.4.0\n')
})

test('a task type that no rule names is refused, with those that are', async () => {
  ana.home.put('rooms/shop/tasks/wrong.md', handedOver('1.4.0').replace('build', 'deploy'))
  await until(() => ana.task('wrong', 'status') === 'failed')
  expect(ana.task('wrong', 'error')).toContain('allowed: build')
})

/** The folder in which Ben's home works on it, once the script has begun. */
function working(): string | undefined {
  const listed = ben.home.git('worktree', 'list', '--porcelain')
  const folders = [...listed.matchAll(/^worktree (.*)$/gm)].map(([, dir = '']) =>
    join(dir, 'workspace/files'),
  )
  const hasBegun = (path: string) => existsSync(path) && readFileSync(path, 'utf8').includes('2.0.0')
  return folders.find((dir) => hasBegun(join(dir, 'effects')))
}

test('Ben’s daemon is killed in the middle of a task: it is done once, and ends once on both sides', async () => {
  ana.home.put('rooms/shop/tasks/two.md', handedOver('2.0.0'))
  await approve()
  await until(() => working() !== undefined)
  await ben.kill()
  expect(ana.task('two', 'status')).toBe('in_progress')
  await ben.watch()
  rmSync(join(working() ?? '', 'hold-2.0.0'))
  await until(() => ana.task('two', 'status') === 'completed')
  expect(effects()).toBe('1.4.0\n2.0.0\n')
  expect((await ben.data<{ status: string }[]>('task', 'list')).map(({ status }) => status)).toEqual([
    'completed',
    'completed',
  ])
  for (const { home } of [ana, ben]) {
    const ends = () => home.git('log', '--format=%s').match(/: complete (?:two|build-2)/g) ?? []
    await until(() => ends().length > 0)
    expect(ends()).toHaveLength(1)
  }
})

test('a revoked agent is refused from the next request on', async () => {
  expect((await ben.neo('agent', 'revoke', 'ana')).code).toBe(0)
  const { code, err } = await ana.neo(...QUERY)
  expect([code, err]).toEqual([1, expect.stringContaining('ben refused: Authentication failed')])
})
