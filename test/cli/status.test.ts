/** neo status beside a living daemon: how far its sessions are now, and what it says of its own model. */
import { expect, test } from 'vitest'
import { type Asked, startModel } from '../path/model.ts'
import { watching } from './daemon.ts'
import { dataOf, type Home, makeHome, until } from './program.ts'

interface Status {
  readonly runs: readonly { readonly step: string; readonly progress: number | null }[]
  readonly health: readonly { readonly part: string; readonly state: string; readonly says: string }[]
  readonly starts: readonly string[]
}

async function status(home: Home): Promise<Status> {
  return dataOf(await home.neo('status', '--json')) as Status
}

const REPORT = { name: 'report_progress', input: { text: 'The form is done', percent: 40 } }
const ASK = { name: 'ask_human', input: { question: 'Which colour?' } }

test('status shows what an agent at work has reported, and how far a runbook is', async () => {
  const model = await startModel(({ turn }: Asked) => ({ calls: [turn === 0 ? REPORT : ASK] }))
  const home = makeHome({
    'neo.yaml': model.config,
    'rooms/shop/tasks/a.md': '---\nworker: agent\n---\nPick a colour.\n',
    'rooms/shop/tasks/b.md':
      '```sh\ntrue\n```\n\n```sh name=wait\nwhile [ ! -e "$NEO_HOME/go" ]; do sleep 0.05; done\n```\n',
  })
  await watching(home)
  await until(
    async () => (await status(home)).runs.filter(({ progress }) => (progress ?? 0) > 0).length === 2,
  )
  const { runs } = await status(home)
  expect(runs.map(({ step, progress }) => [step, progress]).sort()).toEqual([
    ['The form is done', 40],
    ['step 2 of 2: wait', 50],
  ])
  expect((await home.neo('status')).out).toMatch(/40 % +The form is done/)
  home.put('go', '')
})

test('status says what the daemon says of its model, where the key is in its environment only', async () => {
  const home = makeHome({ 'neo.yaml': 'daemon: { settle: 0s }\n' })
  const model = ({ health }: Status) => health.find(({ part }) => part === 'model')
  expect(model(await status(home))).toMatchObject({ state: 'off' })
  const daemon = await watching(home, { ANTHROPIC_API_KEY: 'only-the-daemon-has-it' })
  await until(async () => model(await status(home))?.state === 'ok')
  expect(model(await status(home))?.says).toMatch(/^anthropic\//)
  home.put('rooms/shop/tasks/a.md', '---\nworker: agent\nstatus: draft\n---\nWork.\n')
  expect((await home.neo('plan')).out).not.toContain('no model')
  await daemon.stop()
  expect(model(await status(home))).toMatchObject({ state: 'off' })
})

test('status says of each block what ends it', async () => {
  const home = makeHome({
    'rooms/shop/tasks/agent.md': '---\nworker: agent\n---\nWork.\n',
    'rooms/shop/tasks/exec.md': '---\nworker: exec:claude\n---\nWork.\n',
    'rooms/shop/tasks/peer.md': '---\nworker: peer:bob\n---\nWork.\n',
  })
  await home.neo('run')
  const { needsYou } = dataOf(await home.neo('status', '--json')) as {
    readonly needsYou: { readonly blocked: readonly { readonly path: string; readonly next: string }[] }
  }
  expect(needsYou.blocked.map(({ path, next }) => [path.slice('rooms/shop/tasks/'.length), next])).toEqual([
    ['agent.md', 'continues when its model can be used: neo doctor says why not'],
    ['exec.md', 'continues when workers: in neo.yaml has claude'],
    ['peer.md', 'continues when workspace/agents/bob.md has an endpoint, and neo watch runs'],
  ])
})

interface Needing {
  readonly needsYou: {
    readonly blocked: readonly { readonly path: string; readonly says: string; readonly next: string }[]
  }
}

test('status says who ends the wait of a used up budget: a person with a command, or the next day', async () => {
  const model = await startModel(() => ({ calls: [REPORT] }))
  const home = makeHome({
    'neo.yaml': `${model.config}budget: { tokens_per_day: 10 }\n`,
    'rooms/shop/tasks/a.md': '---\nworker: agent\npriority: high\nbudget: { tokens: 10 }\n---\nWork.\n',
    'rooms/shop/tasks/b.md': '---\nworker: agent\ndepends_on: [a]\n---\nWork.\n',
  })
  await home.neo('run')
  home.put('rooms/shop/tasks/b.md', '---\nworker: agent\n---\nWork.\n')
  await home.neo('run')
  const { blocked } = (dataOf(await home.neo('status', '--json')) as Needing).needsYou
  expect(blocked.map(({ says, next }) => [says, next])).toEqual([
    [
      'the task budget of 10 tokens is used up (110 tokens); raise budget: in the task',
      expect.stringMatching(/^neo task edit t-\w+$/),
    ],
    [
      expect.stringMatching(
        /^the home budget of 10 tokens per day is used up .*; raise budget: in neo.yaml, or wait until/,
      ),
      expect.stringMatching(/^continues at \d{4}-.* 00:00:00, or with a higher budget$/),
    ],
  ])
})

test('status says of a block that is over what takes it on, and lists what stops the home once, as yours', async () => {
  const home = makeHome({
    'rooms/shop/tasks/a.md':
      '---\nstatus: blocked\nworker: agent\nneo: { id: t-aaaaaa, created_by: human, blocked: budget, error: spent }\n---\nWork.\n',
  })
  const { blocked } = (dataOf(await home.neo('status', '--json')) as Needing).needsYou
  expect(blocked.map(({ next }) => next)).toEqual(['continues with neo watch or neo run'])
  await home.neo('stop', '--all')
  const { out } = await home.neo('status')
  expect(out).toMatch(/^Needs you\nstarts +stopped by neo stop --all/)
  expect(out.match(/stopped by neo stop --all/g)).toHaveLength(1)
})

test('status says that what can start starts in a moment, where a daemon runs', async () => {
  const task = (status: string) =>
    `---\nstatus: ${status}\nneo: { id: t-aaaaaa, created_by: human }\n---\n\`\`\`sh\ntrue\n\`\`\`\n`
  const home = makeHome({
    'neo.yaml': 'daemon: { settle: 1h }\n',
    'rooms/shop/tasks/a.md': task('draft'),
  })
  const daemon = await watching(home)
  home.put('rooms/shop/tasks/a.md', task('pending'))
  expect((await home.neo('status')).out).toMatch(/Starting\n.*shop\/a +starts in a moment/)
  await daemon.stop()
  expect((await home.neo('status')).out).toMatch(
    /Ready to start\n.*shop\/a +start it with neo watch or neo run/,
  )
})

test('status shows every failure and error first, and what is only worth a note once a file', async () => {
  const at = new Date().toISOString()
  const failed = Array.from({ length: 40 }, (_, n) => [
    `rooms/shop/tasks/f${n}.md`,
    `---\nstatus: failed\nneo: { id: t-f${n}aaaa, created_by: human, completed_at: ${at}, error: "no ${n}" }\n---\nX.\n`,
  ])
  const home = makeHome({
    ...Object.fromEntries(failed),
    'rooms/shop/tasks/odd.md': '---\nstatus: draft\ntags: [x]\nfoo: 1\nbar: 2\nqux: 3\n---\nX.\n',
    'rooms/shop/tasks/bad.md': '---\nstatus: [\n---\nX.\n',
  })
  const { out } = await home.neo('status')
  const [needs = ''] = out.split('\n\n')
  const kinds = needs.split('\n').map((line) => /^(problem|failed)/.exec(line)?.[1] ?? line)
  expect(kinds).toEqual(['Needs you', 'problem', ...Array.from({ length: 40 }, () => 'failed'), 'problem'])
  expect(needs).toMatch(
    /bad\.md[\s\S]*shop\/f39[\s\S]*odd\.md.*foo.*and 2 more in this file: neo config check$/,
  )
})
