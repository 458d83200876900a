/**
 * The kernel's proof that a daemon of this home is alive. On Linux: a listening socket with an abstract name of the git
 * dir's device and inode. Exactly one process can have it; the kernel frees it when the process dies, keeps it while the
 * process is stopped, and there is no file to delete. Links, other paths and a moved folder have the same name. On other
 * systems, and across containers with their own network, there is no guard; then lock.json decides.
 */
import { jsonIn } from '../domain/text/is-map.ts'

import { statSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'

export type Guarding =
  | { readonly kind: 'ours'; release(): void }
  /** `owner`: its answer; null if it doesn't answer (stopped, busy or dying). */
  | { readonly kind: 'busy'; readonly owner: unknown }
  | { readonly kind: 'none' }

/** Holds the guard of a git dir until `release`; others get `answer`. */
export type Guard = (gitDir: string, answer: () => unknown) => Promise<Guarding>

/** A running owner answers at once, a stopped one never. */
const ANSWER_MS = 500
const ANSWER_BYTES = 16 * 1024

export const socketGuard: Guard = async (gitDir, answer) => {
  if (process.platform !== 'linux') return { kind: 'none' }
  const stat = statSync(gitDir, { bigint: true })
  const name = `\0neo-rooms-${stat.dev}-${stat.ino}`
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.end(JSON.stringify(answer()))
  })
  const failed = await listen(server, name)
  if (failed === null) {
    // The guard must not keep the process alive.
    server.unref()
    return { kind: 'ours', release: () => server.close() }
  }
  if (failed === 'EADDRINUSE') return { kind: 'busy', owner: await ask(name) }
  return { kind: 'none' }
}

/** Error code; null if it listens. */
function listen(server: Server, name: string): Promise<string | null> {
  return new Promise((resolve) => {
    // Also later: an error of a caller's connection, such as too many open files, ends no daemon.
    server.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen(name, () => resolve(null))
  })
}

function ask(name: string): Promise<unknown> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(name)
    const end = () => {
      socket.destroy()
      resolve(jsonIn(text))
    }
    socket.setTimeout(ANSWER_MS, end)
    socket.on('data', (piece) => {
      text += piece
      if (text.length > ANSWER_BYTES) end()
    })
    socket.on('end', end)
    socket.on('error', end)
  })
}
