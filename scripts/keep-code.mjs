/**
 * One command of the built program, whose code is kept for later starts: `node scripts/keep-code.mjs COMMAND…`
 * Run by scripts/bundle.mjs, one command after the other: each adds the functions that it calls.
 */
import { createRequire } from 'node:module'
import { resolve } from 'node:path'

const { load, keepCode } = createRequire(import.meta.url)('../dist/parts/loader.cjs')
process.on('exit', keepCode)
load(resolve(import.meta.dirname, '../dist/parts/main.cjs'))
