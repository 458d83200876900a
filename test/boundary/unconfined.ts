/** What the tests of a person's commands over a model's files share: attacks, requests, a machine without bubblewrap. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openSandbox } from '../../src/adapters/sandbox/bubblewrap.ts'
import { composeWorld } from '../../src/compose.ts'
import type { Ground } from './ground.ts'
import { type Row, write } from './rows.ts'

/** The shell lines of an attack, which end well where they were held. */
function attack(text: string, marker: string): string {
  return text.replace('MARK', `id > ${marker} || true`)
}

export function turnsOf(writes: Readonly<Record<string, string>>): Row['turns'] {
  return ({ marker }) => [Object.entries(writes).map(([name, text]) => write(name, attack(text, marker)))]
}

/** Requests to run commands unconfined, as paths in the home. */
export function requests({ home }: Ground): string[] {
  const dir = join(home.dir, 'rooms/shop/asks')
  if (!existsSync(dir)) return []
  const paths = readdirSync(dir).map((name) => `rooms/shop/asks/${name}`)
  return paths.filter((path) => home.read(path).includes('run_unconfined'))
}

/** The world of a home on a machine without bubblewrap. */
export async function bareWorld({ home }: Pick<Ground, 'home'>) {
  const world = await composeWorld(home.dir)
  if (world.agent === undefined) return world
  return { ...world, agent: { ...world.agent, sandbox: openSandbox({ program: 'no-such-program' }) } }
}
