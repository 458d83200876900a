/**
 * What an index says of each path: its leaf, and the stat data by which git knows a file without reading it. Invariant
 * 1: an index in a format that only git reads is listed by git; its entries then have no stat data.
 */
import { type BigIntStats, existsSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  EXTENDED,
  FIXED,
  FLAGS_AT,
  INTENT_TO_ADD,
  MODE_AT,
  nameAt,
  nameEnd,
  OID_AT,
  parse,
  STAGE,
} from '../commit/index-file.ts'
import type { WorkTree } from '../locate.ts'
import { runGit } from '../process/run-git.ts'
import { zeroSplit } from '../process/spawn.ts'
import type { Leaf } from './tree.ts'

export interface Entry extends Leaf {
  readonly path: string
  /** Not checked out on purpose. */
  readonly isSkipped: boolean
  /** Of a conflict, or marked by `add -N`: git's own to resolve. */
  readonly isOdd: boolean
  /** Null: unknown. */
  readonly stat: Known | null
}

interface Known {
  readonly ctimeNs: bigint
  readonly mtimeNs: bigint
  readonly ino: number
  readonly size: number
}

export interface Entries {
  readonly entries: readonly Entry[]
  /** When the index was written: a file of the same moment may have changed after it was looked at. */
  readonly writtenNs: bigint
}

export async function entriesOf(tree: WorkTree): Promise<Entries> {
  const file = join(tree.gitDir, 'index')
  if (!existsSync(file)) return { entries: [], writtenNs: 0n }
  const writtenNs = lstatSync(file, { bigint: true }).mtimeNs
  const index = parse(readFileSync(file))
  if (index === null) return { entries: await listed(tree), writtenNs }
  return { entries: [...index.starts].map((start) => entryAt(index.bytes, start)), writtenNs }
}

/** True if the file is the one that git saw, by the data that git itself goes by. */
export function isKnown(entry: Entry, stat: BigIntStats, writtenNs: bigint): boolean {
  const { stat: known } = entry
  if (known === null || known.mtimeNs >= writtenNs) return false
  return (
    known.mtimeNs === stat.mtimeNs &&
    known.ctimeNs === stat.ctimeNs &&
    known.size === Number(BigInt.asUintN(32, stat.size)) &&
    known.ino === Number(BigInt.asUintN(32, stat.ino))
  )
}

const SECOND_NS = 1_000_000_000n
const SKIP_WORKTREE = 0x4000

function entryAt(bytes: Buffer, at: number): Entry {
  const flags = bytes.readUInt16BE(at + FLAGS_AT)
  const extended = flags & EXTENDED ? bytes.readUInt16BE(at + FIXED) : 0
  const time = (offset: number) =>
    BigInt(bytes.readUInt32BE(at + offset)) * SECOND_NS + BigInt(bytes.readUInt32BE(at + offset + 4))
  return {
    path: bytes.toString('utf8', nameAt(bytes, at), nameEnd(bytes, at)),
    mode: bytes.readUInt32BE(at + MODE_AT).toString(8),
    oid: bytes.toString('hex', at + OID_AT, at + FLAGS_AT),
    isSkipped: (extended & SKIP_WORKTREE) !== 0,
    isOdd: (flags & STAGE) !== 0 || (extended & INTENT_TO_ADD) !== 0,
    stat: {
      ctimeNs: time(0),
      mtimeNs: time(8),
      ino: bytes.readUInt32BE(at + 20),
      size: bytes.readUInt32BE(at + 36),
    },
  }
}

async function listed(tree: WorkTree): Promise<readonly Entry[]> {
  const lines = zeroSplit((await runGit(tree, ['ls-files', '-s', '-t', '-z'])).out)
  return lines.flatMap((line) => {
    const [, tag, mode = '', oid = '', stage, path] = /^(\S) (\d+) ([0-9a-f]+) (\d)\t(.*)$/s.exec(line) ?? []
    if (path === undefined) return []
    return [{ path, mode, oid, isSkipped: tag === 'S', isOdd: stage !== '0', stat: null }]
  })
}
