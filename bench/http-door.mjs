/**
 * The door as a daemon opens it, over a hub that answers at once: all that a request costs before the hub. Limits of rate
 * are lifted, all else is as it is. A call of `tell` publishes a change with the time on the channel `bench`.
 *
 *   node bench/http-door.mjs
 *
 * Prints its address and token, then answers until it is killed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFiles } from '../dist/adapters/disk/disk-files.js'
import { openServers } from '../dist/servers/open-servers.js'
import { openChannels } from '../dist/hub/subscriptions/channels.js'

const channels = openChannels(() => Date.now())
const hub = {
  async call(_, method, params) {
    if (method === 'tell') channels.publish('bench', { at: performance.timeOrigin + performance.now() })
    return { method, params }
  },
  subscribe: async (_, { channel }, on) => channels.subscribe({ channel, state: () => ({}), on }),
}
const home = mkdtempSync(join(tmpdir(), 'neo-http-door-'))
process.on('SIGTERM', () => process.exit())
process.on('exit', () => rmSync(home, { recursive: true, force: true }))
const unlimited = { burst: 1e9, perSecond: 1e9 }
const door = await openServers({
  hub,
  files: openFiles(),
  home,
  now: () => Date.now(),
  host: '127.0.0.1',
  port: 0,
  otherwise: 'fail',
  token: () => null,
  about: { version: '', startedAt: '', uptimeMs: () => 0, paths: {} },
  limits: { rates: { known: unlimited, unknown: unlimited } },
})
process.stdout.write(`ready ${door.url} ${door.token()}\n`)
