/** The built program, as an editor starts it. */
import { resolve } from 'node:path'

export const NEO_ARGV: readonly [string, ...string[]] = [process.execPath, resolve('dist/main.js')]
