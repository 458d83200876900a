/** The built program over a scripted Telegram, started and killed: what the tests of kills share. */
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { type Home, start } from '../../cli/program.ts'
import type { TelegramServer } from './server.ts'

/** A second or two where the machine is free; a busy one was seen to take twenty to start a process. */
export const START_MS = 120_000
/** What a reply says under it where it may be a repeat. */
export const AGAIN = /\n\n<i>\(Possible duplicate[^<]*<\/i>$/

/** The same sequence for the same seed. */
export function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

export async function soon(holds: () => boolean, limitMs: number, says: () => string): Promise<void> {
  const end = Date.now() + limitMs
  while (!holds()) {
    if (Date.now() > end) throw new Error(`Not so within ${limitMs} ms: ${says()}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

export interface Program {
  says(): string
  /** Resolves when it has ended. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
}

/** `neo watch`, once it asks for updates. */
export async function watching(home: Home, server: TelegramServer): Promise<Program> {
  const child = start(['watch', '--home', home.dir])
  const ended = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += String(piece)))
  const says = () => `exit ${child.exitCode}: ${said.slice(-2_000)}`
  const before = server.count('getUpdates')
  await soon(() => server.count('getUpdates') > before || child.exitCode !== null, START_MS, says)
  if (child.exitCode !== null) throw new Error(says())
  return {
    says,
    async end(signal) {
      child.kill(signal)
      await ended
    },
  }
}
