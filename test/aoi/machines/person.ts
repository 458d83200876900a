/** A person at a machine: a home there, its daemon as a program, and the commands that the person runs. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataOf, type Ended, type Home, makeHome, program, start, until } from '../../cli/program.ts'
import type { Machine } from './two-machines.ts'

/** Homes of tests are trusted without a question, but these people do as the page says. */
const ENV = { NEO_TRUST: '' }

export interface Person {
  readonly home: Home
  neo(...args: readonly string[]): Promise<Ended>
  /** With this on stdin. */
  pipe(input: string, ...args: readonly string[]): Promise<Ended>
  /** The data of `neo … --json`. */
  data<T>(...args: readonly string[]): Promise<T>
  /** What the daemon has printed. */
  said(pattern: RegExp): boolean
  /** Starts the daemon, again too. */
  watch(): Promise<void>
  /** As SIGKILL ends it. */
  kill(): Promise<void>
  /** A key of a task's file, wherever in its header. */
  task(name: string, key: string): string | undefined
}

export function personAt(machine: Machine, files: Readonly<Record<string, string>>): Person {
  const home = makeHome(files)
  const how = { env: ENV, through: machine.through }
  let daemon: ReturnType<typeof start> | null = null
  let printed = ''
  const pipe: Person['pipe'] = (input, ...args) => program([...args, '--home', home.dir], { ...how, input })
  return {
    home,
    pipe,
    neo: (...args) => pipe('', ...args),
    data: async <T>(...args: readonly string[]) => dataOf(await pipe('', ...args, '--json')) as T,
    said: (pattern) => pattern.test(printed),
    async watch() {
      printed = ''
      const child = start(['watch', '--home', home.dir], how)
      daemon = child
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (piece) => (printed += String(piece)))
      await until(() => /on branch \w+/.test(printed) && /^Page: http/m.test(printed))
    },
    async kill() {
      const child = daemon
      if (child === null || child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child.once('close', resolve))
      child.kill('SIGKILL')
      await ended
    },
    task(name, key) {
      const text = readFileSync(join(home.dir, 'rooms/shop/tasks', `${name}.md`), 'utf8')
      return new RegExp(`^ *${key}: "?(.*?)"?$`, 'm').exec(text)?.[1]
    },
  }
}
