/** The kernel's proof that a daemon lives: who asks gets an answer, whatever the one before did. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { connect, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Guarding, socketGuard } from '../../src/engine/lock-guard.ts'

const onLinux = test.skipIf(process.platform !== 'linux')

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-guard-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

async function guard(dir: string, answer: unknown): Promise<Guarding> {
  const held = await socketGuard(dir, () => answer)
  onTestFinished(() => {
    if (held.kind === 'ours') held.release()
  })
  return held
}

onLinux(
  'socketGuard() gives the answer of the holder, also through a link, until it is released',
  async () => {
    const dir = folder()
    const link = join(folder(), 'link')
    symlinkSync(dir, link)
    const first = await guard(dir, { pid: 7, path: 'Häuser/ä' })
    expect(await guard(link, null)).toEqual({ kind: 'busy', owner: { pid: 7, path: 'Häuser/ä' } })
    if (first.kind === 'ours') first.release()
    expect((await guard(link, null)).kind).toBe('ours')
  },
)

onLinux('socketGuard() gives no owner for an answer that is no JSON or too long', async () => {
  const dir = folder()
  await guard(dir, 'x'.repeat(64 * 1024))
  expect(await guard(dir, null)).toEqual({ kind: 'busy', owner: null })
})

onLinux('socketGuard() survives callers that hang up, and errors of its socket', async () => {
  const dir = folder()
  const listening = new Promise<Server>((resolve) => {
    const { listen } = Server.prototype
    Server.prototype.listen = function (this: Server, ...args: never[]) {
      resolve(this)
      Server.prototype.listen = listen
      return Reflect.apply(listen, this, args) as Server
    } as typeof listen
  })
  await guard(dir, { pid: 7 })
  const server = await listening
  for (let n = 0; n < 3; n++) server.emit('error', new Error('EMFILE: too many open files'))
  const socket = connect(server.address() as string)
  socket.on('error', () => {})
  socket.destroy()
  expect(await guard(dir, null)).toEqual({ kind: 'busy', owner: { pid: 7 } })
})
