/** A home that talks over a scripted Telegram: its daemon, queues and door in this process, with short waits. */
import { readChannel } from '../../../src/channels/connection.ts'
import { openTelegram } from '../../../src/channels/telegram/open-telegram.ts'
import { telegramSettings } from '../../../src/channels/telegram/telegram-settings.ts'
import { type Home, makeHome, until } from '../../path/home.ts'
import { type Wired, wire } from '../bus-home.ts'
import { TOKEN } from './server.ts'

export const readSettings = (
  config: Parameters<typeof readChannel>[0],
  env: Readonly<Record<string, string>>,
) => readChannel(config, { name: 'telegram', env, read: telegramSettings })

export const OWNER = 11
export const PARENT = 12
export const CHILD = 13
export const STRANGER = 14

/** Short waits between tries; only silence that a test is about is given up soon. */
export const TIMES = {
  silentMs: 60_000,
  holdS: 1,
  firstWaitMs: 50,
  longestWaitMs: 400,
  offMs: 100,
  callMs: 60_000,
}
export const HURRIED = { ...TIMES, silentMs: 2_000, callMs: 2_000 }

export function member(role: string, number: number | null, rooms: readonly string[] = []): string {
  const channels = number === null ? '' : `channels: { telegram: "${number}" }\n`
  const allowed = rooms.length === 0 ? '' : `permissions: { rooms: [${rooms.join(', ')}] }\n`
  return `---\nrole: ${role}\n${channels}${allowed}---\n`
}

export function telegramFiles(url: string, config = ''): Record<string, string> {
  const channel = `channels: { telegram: { enabled: true, token: "${TOKEN}", api_root: "${url}", allow_from: ["${OWNER}"] } }\n`
  return {
    'neo.yaml': `${config === '' ? 'daemon: { settle: 0s, rescan: 1s }\n' : config}${channel}`,
    'rooms/lobby/ROOM.md': '---\nname: Lobby\n---\n',
    'rooms/shop/ROOM.md': '---\nname: Shop\nworker: shell\napprovers: [m-ana]\n---\n',
    'workspace/members/m-ana.md': member('parent', PARENT),
    'workspace/members/m-kim.md': member('child', CHILD, ['lobby']),
  }
}

export interface Talking extends Wired {
  readonly home: Home
  readonly troubles: string[]
}

export async function talking(files: Readonly<Record<string, string>>, times = TIMES): Promise<Talking> {
  return again(makeHome(files), times)
}

/** Opens the daemon of a home anew. */
export async function again(home: Home, times = TIMES): Promise<Talking> {
  const troubles: string[] = []
  const daemon = wire(home, troubles)
  await daemon.ready()
  await until(() => daemon.queues().seen() !== null)
  const close = openTelegram({
    context: daemon.context(),
    hub: daemon.hub(),
    queues: daemon.queues(),
    trouble: (why) => void troubles.push(`polling: ${why}`),
    times,
  })
  daemon.closing.push(close)
  return { ...daemon, home, troubles }
}
