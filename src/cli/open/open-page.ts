/**
 * `neo open`: the page of the daemon that runs, in the browser, signed in. Invariant 1: what is handed on holds a code
 * that is good once, never the token.
 */
import { spawn } from 'node:child_process'
import { NeoError } from '../../domain/home/error.ts'
import { type DaemonAddress, daemonAddress } from '../../client/daemon-address.ts'
import type { Call, Env } from '../spec.ts'
import { withWorld } from '../with-world.ts'

export function open(call: Call): Promise<number> {
  return withWorld(call, async (opened) => {
    const served = daemonAddress(opened.home, opened.world.files, opened.world.processes.alive)
    if (served === null)
      throw new NeoError('failed', 'Cannot open the page: no daemon serves it', {
        why: 'the page is served by neo watch, a moment after it is ready',
        next: 'neo watch; where it runs already, neo status says what is wrong with its door',
      })
    const link = await signInLink(served)
    call.out.data('open', { url: served.url, link })
    if (call.isSet('print')) {
      call.out.line(link)
      return 0
    }
    if (call.out.mode === 'json') return 0
    const browser = browserOf(call.around.env)
    if (browser !== null && (await starts([...browser, link]))) {
      call.out.line(`Opened ${served.url} in the browser.`)
      return 0
    }
    call.out.line('No browser could be started here. This link signs in once, for ten minutes:')
    call.out.line(link)
    return 0
  })
}

/** The page's address with a code for one sign-in. Throws NeoError `failed` if the daemon can't be reached. */
async function signInLink({ url, token }: DaemonAddress): Promise<string> {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
  try {
    const signal = AbortSignal.timeout(LINK_MS)
    const answer = await fetch(`${url}/codes`, { method: 'POST', headers, body: '{}', signal })
    const said: unknown = await answer.json()
    if (!answer.ok) throw new Error(`it answers ${answer.status}`)
    return `${url}/#code=${(said as { readonly code: string }).code}`
  } catch (error) {
    const { message, cause } = error as Error
    throw new NeoError('failed', `Cannot reach the daemon at ${url}`, {
      why: cause instanceof Error ? cause.message : message,
      next: 'neo status says whether it runs',
    })
  }
}

const LINK_MS = 10_000

/** Null where there is no screen. */
function browserOf(env: Env): readonly [string, ...string[]] | null {
  const own = env['BROWSER']
  if (own !== undefined && own !== '') return [own]
  if (process.platform === 'darwin') return ['open']
  if (env['WSL_DISTRO_NAME'] !== undefined) return ['wslview']
  return env['DISPLAY'] === undefined && env['WAYLAND_DISPLAY'] === undefined ? null : ['xdg-open']
}

/** How long a program has to say that it cannot. */
const PATIENCE_MS = 1_500

/** True where the program began and did not fail at once. Afterwards it keeps nobody waiting, however long it stays. */
function starts([program = '', ...args]: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { detached: true, stdio: 'ignore' })
    const patience = setTimeout(() => settle(true), PATIENCE_MS)
    function settle(began: boolean): void {
      clearTimeout(patience)
      child.unref()
      resolve(began)
    }
    child.on('error', () => settle(false))
    child.on('exit', (code) => settle(code === 0))
  })
}
