/**
 * Small files of Neo in a git dir, which a command may write at the same time as a daemon: replaced in one step, and as
 * good as missing if they can't be read. Also: by what a file is known to be another.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** The JSON in it; null if it is missing or broken. */
export function readState(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

/** The rows of a list; none if it is missing or broken. */
export function readRows<Row>(file: string): readonly Row[] {
  const rows = readState(file)
  return Array.isArray(rows) ? rows : []
}

/** @param flush `flush`: it is on the disk when this returns */
export function writeState(file: string, text: string, flush?: 'flush'): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const temp = `${file}.${process.pid}.tmp`
  writeFileSync(temp, text, { mode: 0o600, flush: flush === 'flush' })
  renameSync(temp, file)
}

/** Without rows there is no file. */
export function writeRows(file: string, rows: readonly unknown[]): void {
  if (rows.length === 0) rmSync(file, { force: true })
  else writeState(file, `${JSON.stringify(rows)}\n`)
}

/** Changes whenever the file is written or replaced; '' if there isn't one. */
export function fileStamp(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`
}
