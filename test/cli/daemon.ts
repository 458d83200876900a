/** The built program's daemon on a home, as a child process, for tests of commands beside it. */
import { onTestFinished } from 'vitest'
import { type Home, start, until } from './program.ts'

export interface Daemon {
  /** What it has printed so far. */
  said(): string
  /** Ends it in order, and waits for that. */
  stop(): Promise<void>
}

/** Starts it and waits until it has looked and its doors are open. It is ended with the test. */
export async function watching(
  { dir }: Pick<Home, 'dir'>,
  env: Readonly<Record<string, string>> = {},
): Promise<Daemon> {
  const child = start(['watch', '--home', dir], { env })
  const pieces: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => pieces.push(String(piece)))
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const daemon: Daemon = {
    said: () => pieces.join(''),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
  onTestFinished(daemon.stop)
  await until(() => /on branch \w+/.test(daemon.said()) && /^Page: http/m.test(daemon.said()))
  return daemon
}
