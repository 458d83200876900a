/**
 * `neo open`: opens the web page of the running daemon, signed in. Invariant 1: the browser gets a code that works once,
 * never the token.
 */
import { spawn } from 'node:child_process'
import { type DaemonAddress, daemonAddress } from '../../client/daemon-address.ts'
import { NeoError } from '../../domain/home/error.ts'
import type { Call, Env } from '../spec.ts'
import { withWorld } from '../with-world.ts'

export function open(call: Call): Promise<number> {
  return withWorld(call, async (opened) => {
    const served = daemonAddress(opened.home, opened.world.files, opened.world.processes.alive)
    if (served === null)
      throw new NeoError('failed', 'Cannot open the page: no daemon is running', {
        why: 'neo watch serves the page, a moment after it starts',
        next: 'start neo watch; if it runs, neo status shows why its server does not',
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
      call.out.line(`Opened ${served.url} in your browser.`)
      return 0
    }
    call.out.line('Could not start a browser. This link signs you in once, within ten minutes:')
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

/** Null without a screen. */
function browserOf(env: Env): readonly [string, ...string[]] | null {
  const own = env['BROWSER']
  if (own !== undefined && own !== '') return [own]
  if (process.platform === 'darwin') return ['open']
  if (env['WSL_DISTRO_NAME'] !== undefined) return ['wslview']
  return env['DISPLAY'] === undefined && env['WAYLAND_DISPLAY'] === undefined ? null : ['xdg-open']
}

/** A browser that fails to start does so within this time. */
const PATIENCE_MS = 1_500

/** True if the program started and did not fail at once. This process does not wait for it to end. */
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
