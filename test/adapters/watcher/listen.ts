/** A real home for a watcher test, and what the watcher says about it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openWatcher, type Stop, type WatcherOptions } from '../../../src/adapters/watcher/watcher.ts'
import { MOMENT_MS } from '../../wait.ts'

/** The two backends: chokidar for few files, a watch for each folder for many. */
export const BACKENDS: readonly (readonly [string, WatcherOptions])[] = [
  ['chokidar', { fewFiles: 1_000 }],
  ['folder watches', { fewFiles: -1 }],
]

export interface Home {
  readonly root: string
  write(path: string, text?: string): void
  git(...args: string[]): string
}

export function makeHome(paths: readonly string[] = []): Home {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'neo-watch-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const home: Home = {
    root,
    write(path, text = '# x\n') {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    },
    git: (...args) =>
      execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', ...args], {
        cwd: root,
        encoding: 'utf8',
        stdio: 'pipe',
      }),
  }
  for (const path of paths) home.write(path)
  return home
}

export interface Listening {
  readonly hints: string[]
  readonly troubles: string[]
  /** How often it was told that watching works again. */
  wells(): number
  readonly stop: Stop
  /** Waits until this path, a folder above it, or the home was hinted at. */
  heard(path: string): Promise<void>
  /** Forgets what was heard, after all of it has come. */
  quiet(): Promise<void>
}

/** Watches and waits until it is ready. */
export async function listen(root: string, options: WatcherOptions = {}): Promise<Listening> {
  const hints: string[] = []
  const troubles: string[] = []
  let wells = 0
  let stop: Stop | undefined
  await new Promise<void>((resolve) => {
    const watcher = openWatcher(options)
    stop = watcher.watch(root, {
      hint: (path) => hints.push(path),
      trouble: (why) => troubles.push(why),
      ready: resolve,
      well: () => void wells++,
    })
  })
  if (stop === undefined) throw new Error('watch() gave nothing')
  const stopped = stop
  onTestFinished(() => stopped())
  const covers = (hint: string, path: string) => hint === '' || hint === path || path.startsWith(`${hint}/`)
  return {
    hints,
    troubles,
    wells: () => wells,
    stop,
    heard: (path) => until(() => hints.some((hint) => covers(hint, path)), `a hint of ${path}`),
    async quiet() {
      let last = { seen: -1, since: 0, looks: 0 }
      await until(() => {
        if (hints.length !== last.seen) last = { seen: hints.length, since: Date.now(), looks: 0 }
        last.looks++
        return last.looks >= QUIET_LOOKS && Date.now() - last.since >= QUIET_MS
      }, 'quiet')
      hints.length = 0
    },
  }
}

/** Longer than any of the watcher's own delays after an event, the end of a burst apart. */
const QUIET_MS = 150
/** Time that passes while the process has no turn brings no event. */
const QUIET_LOOKS = 10

/** Asks again and again. */
export async function until(done: () => boolean, what: string): Promise<void> {
  for (const end = Date.now() + MOMENT_MS; !done(); ) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
