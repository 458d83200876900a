/**
 * Guard: the operating system's own proof that a daemon of this home lives. On Linux it is a listening socket with an
 * abstract name made of the git dir's device and inode: the kernel lets exactly one process have it, frees it when the
 * process dies in whatever way, keeps it while the process is stopped, and there is no file that somebody could
 * delete. The same home through a link, another path or a moved folder has the same name.
 * Elsewhere, and across containers with networks of their own, there is none; then lock.json decides alone.
 */
import { statSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'

export type Guarding =
  | { readonly kind: 'ours'; release(): void }
  /** `owner` is what the owner answered; null where it does not answer (stopped, busy, or just dying). */
  | { readonly kind: 'busy'; readonly owner: unknown }
  | { readonly kind: 'none' }

/** Holds the guard of a git dir until `release`; whoever asks meanwhile is answered with `answer`. */
export type Guard = (gitDir: string, answer: () => unknown) => Promise<Guarding>

/** An owner that is alive answers at once; one that is stopped never does. */
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
    // The daemon lives by its own work, not by its guard.
    server.unref()
    return { kind: 'ours', release: () => server.close() }
  }
  if (failed === 'EADDRINUSE') return { kind: 'busy', owner: await ask(name) }
  return { kind: 'none' }
}

/** Error code, or null where it listens. */
function listen(server: Server, name: string): Promise<string | null> {
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen(name, () => resolve(null))
  })
}

function ask(name: string): Promise<unknown> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(name)
    const end = () => {
      socket.destroy()
      resolve(parse(text))
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
