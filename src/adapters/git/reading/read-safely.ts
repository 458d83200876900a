/**
 * Reads files and links of a folder in which somebody may swap anything at any moment. Invariant 1: no link is followed
 * on any part of the way, and what was opened is what was looked at.
 */
import fs from 'node:fs'
import { codeOf } from '../../disk/fs.ts'
import { closeFolder, type Folder, nameIn, openIn } from '../../worktree-files/walk.ts'

export interface Read {
  /** Null if the file is too large for memory. */
  readonly bytes: Buffer | null
  readonly isLink: boolean
  readonly isExecutable: boolean
}

/** Larger files are not read into memory: git reads a copy of Neo. */
const MOST_BYTES = 64 * 1024 * 1024

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants
const FLAGS = O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0)

export function readLink(top: Folder, path: string): Read | null {
  return within(top, path, (folder, name) => {
    const target = fs.readlinkSync(nameIn(folder, name), { encoding: 'buffer' })
    return { bytes: target, isLink: true, isExecutable: false }
  })
}

export function readFile(top: Folder, path: string): Read | null {
  return opened(top, path, (file, stat) => ({
    bytes: stat.size > MOST_BYTES ? null : fs.readFileSync(file),
    isLink: false,
    isExecutable: (stat.mode & 0o100) !== 0,
  }))
}

const CHUNK = 1024 * 1024

/** False if it isn't a plain file any more. */
export function copyFile(top: Folder, path: string, to: string): boolean {
  const done = opened(top, path, (file) => {
    const target = fs.openSync(to, 'wx', 0o600)
    try {
      const chunk = Buffer.alloc(CHUNK)
      for (let size = 1; size > 0; ) {
        size = fs.readSync(file, chunk)
        for (let at = 0; at < size; ) at += fs.writeSync(target, chunk, at, size - at)
      }
    } finally {
      fs.closeSync(target)
    }
    return true
  })
  return done === true
}

function opened<T>(top: Folder, path: string, act: (file: number, stat: fs.Stats) => T): T | null {
  return within(top, path, (folder, name) => {
    const file = fs.openSync(nameIn(folder, name), FLAGS)
    try {
      const stat = fs.fstatSync(file)
      return stat.isFile() ? act(file, stat) : null
    } finally {
      fs.closeSync(file)
    }
  })
}

/** Null if a part of the way is a link, or is gone. */
function within<T>(top: Folder, path: string, act: (folder: Folder, name: string) => T): T | null {
  const way: Folder[] = []
  try {
    const parts = path.split('/')
    const name = parts.pop() ?? ''
    for (const part of parts) way.push(openIn(way.at(-1) ?? top, part))
    return act(way.at(-1) ?? top, name)
  } catch (error) {
    if (CHANGED.includes(codeOf(error))) return null
    throw error
  } finally {
    for (const folder of way) closeFolder(folder)
  }
}

const CHANGED = ['ENOENT', 'ELOOP', 'ENOTDIR', 'EMLINK', 'EINVAL', 'ENXIO']
