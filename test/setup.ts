/**
 * Runs once before the whole test run: builds `dist/` when it is missing or older than `src/`, so that
 * tests of the command line run the real program.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

export function setup(): void {
  const built = join('dist', 'main.js')
  if (existsSync(built) && statSync(built).mtimeMs >= newest('src')) return
  try {
    execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  } catch (error) {
    // A slip in one file keeps nobody from testing another: the compiler has written the program all the same.
    if (process.env['CI'] !== undefined || !existsSync(built)) throw error
    process.stderr.write('test: the types of src do not hold; the program was built all the same\n')
  }
}

function newest(dir: string): number {
  const times = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs)
  return Math.max(...times)
}
