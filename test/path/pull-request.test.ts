/** Review by pull request on the path: pushed, opened, followed to its end, on a forge with git over HTTP behind it. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { git } from '../adapters/forges/git-server.ts'
import { scene, TOKEN } from '../adapters/forges/scene.ts'
import { type Home, makeHome, runbook } from './home.ts'

type Forge = Awaited<ReturnType<typeof scene>>

/** A home whose room works in a clone of the forge's repository. */
async function reviewed(review = 'review: pr'): Promise<{ readonly home: Home; readonly at: Forge }> {
  const at = await scene('github')
  const env = Object.entries(at.env).map(([name, value]) => `${name}=${value}\n`)
  const room = `---\nworkspace: ${at.clone.dir}\nworker: shell\n${review}\n---\n`
  const home = makeHome({ '.env': env.join(''), 'rooms/shop/ROOM.md': room })
  home.task('fix', runbook(['echo fixed > fix.txt']))
  await home.run()
  return { home, at }
}

test('a finished task is pushed, its pull request opened and named in the task', async () => {
  const { home, at } = await reviewed()
  expect([home.status('fix'), home.neo('fix', 'error')]).toEqual(['review', undefined])
  const [pull] = at.forge.pulls
  expect(pull).toMatchObject({ branch: 'neo/shop/fix-1', base: 'main', title: 'Do it', state: 'open' })
  expect(pull?.body).toContain(home.neo('fix', 'session'))
  expect(home.neo('fix', 'pr')).toMatch(/\/1$/)
  expect(home.git('log', '-1', '--format=%s')).toContain('open pull request for fix')
  expect(home.git('log', '-p')).not.toContain(TOKEN)
})

test('a pull request that is merged there completes the task', async () => {
  const { home, at } = await reviewed()
  for (const pull of at.forge.pulls) pull.state = 'merged'
  await home.run()
  expect(home.status('fix')).toBe('completed')
})

test('a pull request that is closed there fails the task, with the last comment as the reason', async () => {
  const { home, at } = await reviewed()
  for (const pull of at.forge.pulls) {
    pull.state = 'closed'
    pull.comments.push('the shop moves, not now')
  }
  await home.run()
  expect(home.status('fix')).toBe('failed')
  expect(home.neo('fix', 'error')).toContain('the shop moves, not now')
})

test('a forge that does not answer is said in the task, which stays in review', async () => {
  const at = await scene('github')
  at.forge.faults.push({ status: 500 }, { status: 500 }, { status: 500 }, { status: 500 })
  const env = Object.entries(at.env).map(([name, value]) => `${name}=${value}\n`)
  const room = `---\nworkspace: ${at.clone.dir}\nworker: shell\nreview: pr\n---\n`
  const home = makeHome({ '.env': env.join(''), 'rooms/shop/ROOM.md': room })
  home.task('fix', runbook(['echo fixed > fix.txt']))
  await home.run()
  expect(home.status('fix')).toBe('review')
  expect(home.neo('fix', 'error')).not.toBe(undefined)
})

const ASKING = 'review: pr\npermissions: { push: ask }'

/** A finished task whose room asks before each push; gives the path of its ask too. */
async function askedBefore(): Promise<{ readonly home: Home; readonly at: Forge; readonly ask: string }> {
  const { home, at } = await reviewed(ASKING)
  const [name = ''] = readdirSync(join(home.dir, 'rooms/shop/asks'))
  return { home, at, ask: `rooms/shop/asks/${name}` }
}

function decide(home: Home, ask: string, decision: string): void {
  home.write(ask, home.read(ask).replace('decision: pending', `decision: ${decision}`))
}

function pushed({ server }: Forge): string {
  return git(server.bare, 'for-each-ref', '--format=%(refname)', 'refs/heads/neo')
}

test('a room that asks before pushes sends nothing before a person has said yes to what the ask shows', async () => {
  const { home, at, ask } = await askedBefore()
  expect([pushed(at), at.forge.pulls.length, home.status('fix')]).toEqual(['', 0, 'review'])
  expect(home.neo('fix', 'error')).toMatch(/^waits for approval: neo ask show a-/)
  const shown = home.read(ask)
  const tip = at.clone.git('rev-parse', 'neo/shop/fix-1').trim()
  expect(shown).toMatch(/push neo\/shop\/fix-1 and open its pull request/)
  expect(shown).toContain(tip)
  decide(home, ask, 'approved')
  await home.run()
  expect(at.forge.pulls).toHaveLength(1)
  expect([home.neo('fix', 'pr'), home.neo('fix', 'error')]).toEqual([
    expect.stringMatching(/\/1$/),
    undefined,
  ])
  expect(home.read(ask)).toMatch(/^handled_at: /m)
  const by = home.git('log', '--format=%(trailers:key=Neo-Approved-By,valueonly)', '--grep=open pull').trim()
  expect(by).toBe('Person')
  await home.run()
  expect(readdirSync(join(home.dir, 'rooms/shop/asks'))).toHaveLength(1)
})

test('a push that a person has denied is not asked about again, and its work stays in review', async () => {
  const { home, at, ask } = await askedBefore()
  decide(home, ask, 'denied')
  await home.run()
  await home.run()
  expect([home.status('fix'), at.forge.pulls.length]).toEqual(['review', 0])
  expect(home.neo('fix', 'error')).toContain('its push was denied by Person')
  expect(readdirSync(join(home.dir, 'rooms/shop/asks'))).toHaveLength(1)
})

const CHANGES: Readonly<Record<string, (home: Home, at: Forge, ask: string) => void>> = {
  'the branch': (_home, { clone }) => {
    const tree = clone.git('rev-parse', 'neo/shop/fix-1^{tree}').trim()
    const commit = clone.git('commit-tree', tree, '-p', 'neo/shop/fix-1', '-m', 'more').trim()
    clone.git('update-ref', 'refs/heads/neo/shop/fix-1', commit)
  },
  'the remote': (_home, { clone }) =>
    void clone.git('remote', 'set-url', 'origin', 'https://other.example/a/b'),
  'the title': (home) => home.task('fix', home.text('fix').replace('# Do it', '# Do more')),
  'what the ask shows': (home, _at, ask) =>
    home.write(ask, home.read(ask).replace(/sha256: "?\w+"?/, `sha256: "${'0'.repeat(64)}"`)),
  'what the ask says': (home, _at, ask) =>
    home.write(ask, home.read(ask).replace(/^reason: .*/m, 'reason: A harmless look')),
}

test.each(Object.entries(CHANGES))(
  'an approved push is not made where %s has changed, and is asked anew',
  async (_, change) => {
    const { home, at, ask } = await askedBefore()
    change(home, at, ask)
    decide(home, ask, 'approved')
    await home.run()
    expect([pushed(at), at.forge.pulls.length]).toEqual(['', 0])
    expect(home.read(ask)).toMatch(/^decision: denied$/m)
    expect(readdirSync(join(home.dir, 'rooms/shop/asks'))).toHaveLength(2)
  },
)

test('an ask about a push is withdrawn when the work is accepted otherwise', async () => {
  const { home, ask } = await askedBefore()
  home.task('fix', home.text('fix').replace('status: review', 'status: completed'))
  await home.run()
  expect(home.read(ask)).toMatch(/^handled_at: /m)
  expect(home.read(ask)).not.toMatch(/^decided_by: /m)
})
