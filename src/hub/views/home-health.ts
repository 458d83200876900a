/** How the parts of a home are, in words for people: for `status.global`, and for the channel `health`. */
import { isMap } from '../../domain/text/is-map.ts'
import { join } from 'node:path'
import { type HealthRow, homeRows, troubleRow } from '../../domain/plan/needs.ts'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import { CHANNEL_NAMES } from '../../domain/policy/channel-kinds.ts'
import { counted } from '../../domain/text/counted.ts'
import { freeBytes } from '../../engine/health.ts'
import { lockOwner } from '../../engine/lock.ts'
import { gatherFacts, startFacts } from '../../engine/snapshot/facts.ts'
import { memoryRows } from '../../memory/health-rows.ts'
import { type HubEnv, look } from '../env.ts'

/** With what to do; '' if there is nothing to do. */
export interface HealthItem extends HealthRow {
  readonly next: string
  /** ISO 8601, if the part itself knows it. */
  readonly since?: string
}

export async function healthOf(env: HubEnv): Promise<HealthRow[]> {
  const snapshot = await look(env)
  const facts = await gatherFacts(env.context, snapshot)
  const { home, world } = env.context
  const isOn = env.daemon === 'yes'
  return [
    { part: 'daemon', state: isOn ? 'ok' : 'off', says: isOn ? 'running' : 'not running' },
    ...rowsOf(env, snapshot, facts),
    ...(isOn ? memoryRows(world.files.readJson(join(home, '.neo', 'memory.json'))) : []),
  ]
}

function rowsOf({ context }: HubEnv, snapshot: Snapshot, facts: Parameters<typeof homeRows>[1]): HealthRow[] {
  const troubles = [...context.troubles].map(([part, { why, needs }]) => troubleRow(part, why, needs))
  return [...homeRows(snapshot, facts), ...troubles]
}

/** What only a person ends, as `neo status` lists it first; by part, for the inbox. */
export function homeNeeds(env: HubEnv, snapshot: Snapshot): Readonly<Record<string, HealthRow>> {
  const { context } = env
  const facts = { ...startFacts(context, snapshot), agent: context.agents.facts(snapshot).agent }
  const rows = rowsOf(env, snapshot, facts).filter(({ needs }) => needs === 'person')
  return Object.fromEntries(rows.map((row) => [row.part, row]))
}

/** All that `status.global` says, and the parts that it leaves out while they work. Each part once, troubles first. */
export async function healthItems(env: HubEnv): Promise<readonly HealthItem[]> {
  const snapshot = await look(env)
  const { troubles } = env.context
  const known = (await healthOf(env)).map((row): HealthItem => {
    const since = troubles.get(row.part)?.since
    return { ...row, next: nextOf(row), ...(since === undefined ? {} : { since }) }
  })
  const more = [
    configItem(snapshot),
    filesItem(snapshot),
    lockItem(env),
    watcherItem(env),
    ...channelItems(snapshot),
    syncItem(snapshot),
    schedulesItem(snapshot),
    diskItem(env),
    await sandboxItem(env),
  ]
  const named = new Set(known.filter(({ state }) => state === 'trouble').map(({ part }) => part))
  return [...known, ...more.filter((item) => item !== null).filter(({ part }) => !named.has(part))]
}

/** What to do about it, for the parts that others report. What needs a person says so itself. */
const NEXT: Readonly<Record<string, string>> = {
  daemon: 'Nothing starts until somebody runs neo watch.',
  model:
    'Set a model in the configuration, and its key in the file .env. Tasks of people and scripts need none.',
  disk: 'Delete what you do not need, or raise daemon.disk_limit.',
  watcher: 'Neo reads all files again every daemon.rescan until it works.',
  channel: 'Neo tries again by itself. Check the token and the network.',
}

function nextOf({ part, state, needs }: HealthRow): string {
  if (state === 'ok') return ''
  const [kind = ''] = part.split(' ')
  const known = part === kind || kind === 'channel' ? NEXT[kind] : undefined
  return known ?? (state === 'off' || needs === 'person' ? '' : 'Neo tries again by itself.')
}

function configItem({ problems }: Snapshot): HealthItem {
  const [own] = problems.filter(({ file, severity }) => file === 'neo.yaml' && severity === 'error')
  if (own === undefined) return { part: 'configuration', state: 'ok', says: 'trusted and in force', next: '' }
  const at = own.line === null ? '' : `line ${own.line}: `
  const next =
    own.code === 'untrusted'
      ? 'The old settings stay in force until somebody runs neo trust on the computer where Neo runs.'
      : 'Correct neo.yaml. The last good settings stay in force.'
  return { part: 'configuration', state: 'trouble', says: `${at}${own.message}`, next }
}

function filesItem({ problems }: Snapshot): HealthItem {
  const files = new Set(problems.map(({ file }) => file))
  const hasError = problems.some(({ severity }) => severity === 'error')
  if (files.size === 0) return { part: 'files', state: 'ok', says: 'no problems', next: '' }
  const says = `${counted(files.size, 'file')} with ${hasError ? 'errors' : 'warnings'}`
  return { part: 'files', state: hasError ? 'trouble' : 'ok', says, next: 'The inbox lists them.' }
}

function lockItem({ context: { world } }: HubEnv): HealthItem {
  const owner = lockOwner(world.git.gitDir, world)
  if (owner === null) return { part: 'lock', state: 'off', says: 'no daemon holds the home', next: '' }
  const says = `held by process ${owner.pid} on ${owner.host}, version ${owner.version}`
  return { part: 'lock', state: 'ok', says, next: '', since: owner.at }
}

function watcherItem({ daemon }: HubEnv): HealthItem {
  return daemon === 'yes'
    ? { part: 'watcher', state: 'ok', says: 'saved files are noticed at once', next: '' }
    : { part: 'watcher', state: 'off', says: 'no daemon watches the files', next: '' }
}

function channelItems({ config }: Snapshot): readonly HealthItem[] {
  const all = isMap(config.rest['channels']) ? config.rest['channels'] : {}
  return CHANNEL_NAMES.map((name): HealthItem => {
    const own = all[name]
    const part = `channel ${name}`
    return isMap(own) && own['enabled'] === true
      ? { part, state: 'ok', says: 'connected', next: '' }
      : { part, state: 'off', says: 'not set up', next: `Set channels.${name} in neo.yaml to use it.` }
  })
}

function syncItem({ config: { syncMs } }: Snapshot): HealthItem {
  return syncMs === null
    ? { part: 'sync', state: 'off', says: 'off', next: '' }
    : { part: 'sync', state: 'ok', says: `every ${counted(Math.round(syncMs / 1000), 'second')}`, next: '' }
}

function schedulesItem({ schedules }: Snapshot): HealthItem {
  const all = [...(schedules?.values() ?? [])]
  const active = all.filter(({ schedule }) => schedule.status === 'active').length
  if (all.length === 0) return { part: 'schedules', state: 'off', says: 'none', next: '' }
  const paused = all.length > active ? `, ${all.length - active} paused or ended` : ''
  return { part: 'schedules', state: 'ok', says: `${active} active${paused}`, next: '' }
}

const LEAST_FREE = 500e6

function diskItem({ context: { home } }: HubEnv): HealthItem | null {
  const free = freeBytes(home)
  if (free === null) return null
  const says = `${(free / 1e9).toFixed(1)} GB free`
  return free < LEAST_FREE
    ? { part: 'disk', state: 'trouble', says, next: 'Free some disk space.' }
    : { part: 'disk', state: 'ok', says, next: '' }
}

/** It doesn't change while the process runs. */
const sandboxes = new WeakMap<object, HealthItem>()

async function sandboxItem({ context: { world } }: HubEnv): Promise<HealthItem | null> {
  if (world.agent === undefined) return null
  const known = sandboxes.get(world)
  if (known !== undefined) return known
  const found = await world.agent.sandbox.available()
  const item: HealthItem =
    'kind' in found
      ? { part: 'sandbox', state: 'ok', says: `commands of agents run in ${found.kind}`, next: '' }
      : {
          part: 'sandbox',
          state: 'off',
          says: `none (${found.wrong}): commands of agents need your approval`,
          next: found.next,
        }
  sandboxes.set(world, item)
  return item
}
