/** Review by pull request on the path: pushed, opened, followed to its end, on a forge with git over HTTP behind it. */
import { expect, test } from 'vitest'
import { scene, TOKEN } from '../adapters/forges/scene.ts'
import { type Home, makeHome, runbook } from './home.ts'

type Forge = Awaited<ReturnType<typeof scene>>

/** A home whose room works in a clone of the forge's repository. */
async function reviewed(): Promise<{ readonly home: Home; readonly at: Forge }> {
  const at = await scene('github')
  const env = Object.entries(at.env).map(([name, value]) => `${name}=${value}\n`)
  const room = `---\nworkspace: ${at.clone.dir}\nworker: shell\nreview: pr\n---\n`
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
  expect(home.git('log', '-1', '--format=%s')).toContain('open pull request of fix')
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
