/**
 * Builds an imported home in a temporary folder. Invariants: 1. domain/home/export-paths.ts checks each path, and each
 * file is created (`wx`) in folders created here: no link is followed; 2. links are created last; 3. only the owner can
 * read state and private files (700, 600).
 */
import { closeSync, mkdirSync, openSync, readdirSync, renameSync, symlinkSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { linkTrouble, openExportPaths } from '../../domain/home/export-paths.ts'
import { type Entry, refused } from './archive.ts'
import { isStatePath } from './contents.ts'

const MOST_LINK = 4_096

export class Staging {
  private readonly files = openExportPaths()
  private readonly state = openExportPaths()
  private readonly links: { readonly path: string; readonly target: string }[] = []
  /** Null if the export has no history. */
  bundle: string | null = null

  constructor(
    private readonly root: string,
    private readonly name: string,
  ) {
    mkdirSync(join(root, 'home'))
    mkdirSync(join(root, 'state'), { mode: 0o700 })
  }

  async take(entry: Entry, from: 'private' | 'open' = 'open'): Promise<void> {
    const { kind, path, mode } = entry.head
    const fits = from === 'private' ? kind === 'state' : kind !== 'state' || isStatePath(path)
    if (!fits) throw this.refuse(path, 'it is not allowed in this place')
    switch (kind) {
      case 'bundle':
        return this.takeBundle(entry)
      case 'state': {
        this.check(path, this.state.take(path))
        return this.copy(entry.body(), join(this.root, 'state', path), 0o600)
      }
      case 'file': {
        this.check(path, this.files.take(path))
        return this.copy(entry.body(), join(this.root, 'home', path), mode === '755' ? 0o755 : 0o644)
      }
      case 'link':
        return this.takeLink(entry)
      default:
        throw this.refuse(path, 'its kind is unknown')
    }
  }

  /** Writes chunks to a new file. */
  async copy(chunks: AsyncIterable<Buffer>, path: string, mode = 0o600): Promise<void> {
    mkdirSync(dirname(path), { recursive: true, mode: mode === 0o600 ? 0o700 : 0o755 })
    const fd = openSync(path, 'wx', mode)
    try {
      for await (const chunk of chunks) for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at)
    } finally {
      closeSync(fd)
    }
  }

  /** Creates the links; returns the folder of the home. */
  finish(): string {
    for (const { path, target } of this.links) {
      mkdirSync(dirname(join(this.root, 'home', path)), { recursive: true })
      symlinkSync(target, join(this.root, 'home', path))
    }
    return join(this.root, 'home')
  }

  /** Moves the state to the git dir. */
  moveState(dir: string): void {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    for (const name of readdirSync(join(this.root, 'state')))
      renameSync(join(this.root, 'state', name), join(dir, name))
  }

  private async takeBundle(entry: Entry): Promise<void> {
    if (this.bundle !== null) throw this.refuse(entry.head.path, 'it occurs twice')
    this.bundle = join(this.root, 'history.bundle')
    return this.copy(entry.body(), this.bundle)
  }

  private async takeLink(entry: Entry): Promise<void> {
    const { path } = entry.head
    this.check(path, this.files.take(path))
    if (entry.size > MOST_LINK) throw this.refuse(path, 'its target is too long')
    const chunks: Buffer[] = []
    for await (const chunk of entry.body()) chunks.push(chunk)
    const target = Buffer.concat(chunks).toString('utf8')
    this.check(path, linkTrouble(path, target))
    this.links.push({ path, target })
  }

  private check(path: string, trouble: string | null): void {
    if (trouble !== null) throw this.refuse(path, trouble)
  }

  private refuse(path: string, why: string): Error {
    return refused(this.name, `"${path}" is refused: ${why}`)
  }
}
