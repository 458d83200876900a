/**
 * The first commit of a repository for tests, without a process: a test of a home starts git some ten times in all, there
 * are thousands of them, and starting git from the process of the tests is most of what they take.
 * Takes a folder with files, and who commits; leaves a repository on the branch `main` with one commit of all of them, as
 * git itself leaves it. Where more than plain names are ignored, or attributes have a say, git makes it.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  type BigIntStats,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'

export interface Beginning {
  readonly name: string
  readonly email: string
  /** The message of the commit. */
  readonly message: string
  /** More of the repository's own configuration; default: who commits, and that nothing is signed. */
  readonly settings?: string
}

interface Entry {
  readonly path: string
  readonly mode: number
  readonly id: string
  readonly stat: BigIntStats
}

/** Nothing of a test's home needs to outlive a power cut, and nobody clears up behind its first commit. */
const QUICK = ['-c', 'core.fsync=none', '-c', 'gc.auto=0', '-c', 'maintenance.auto=false'] as const
const CONFIG =
  '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n'
const FOLDERS = [
  'hooks',
  'info',
  'objects/info',
  'objects/pack',
  'refs/heads',
  'refs/tags',
  'logs/refs/heads',
]
/** Of git's format of the index: the longest length of a name in its flags. */
const MOST_NAME = 0xfff
const SECOND_NS = 1_000_000_000n
const MODES = { file: 0o100644, program: 0o100755, link: 0o120000, folder: 0o40000 } as const

export function beginRepository(dir: string, by: Beginning): void {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' })
  const ignored = plainlyIgnored(dir, names)
  if (ignored === null) beginByGit(dir, by)
  else beginPlainly(dir, { by, ignored })
}

function beginPlainly(
  dir: string,
  { by, ignored }: { readonly by: Beginning; readonly ignored: ReadonlySet<string> },
): void {
  const git = join(dir, '.git')
  for (const folder of FOLDERS) mkdirSync(join(git, folder), { recursive: true })
  writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(join(git, 'config'), `${CONFIG}${ownSettings(by)}`)
  const entries: Entry[] = []
  const tree = writeTree(dir, '', { ignored, entries })
  const at = `${Math.floor(Date.now() / 1000)} +0000`
  const who = `${by.name} <${by.email}> ${at}`
  const commit = writeObject(
    git,
    'commit',
    Buffer.from(`tree ${tree}\nauthor ${who}\ncommitter ${who}\n\n${by.message}\n`),
  )
  writeFileSync(join(git, 'refs/heads/main'), `${commit}\n`)
  const line = `${'0'.repeat(40)} ${commit} ${who}\tcommit (initial): ${by.message}\n`
  for (const log of ['logs/HEAD', 'logs/refs/heads/main']) writeFileSync(join(git, log), line)
  writeFileSync(join(git, 'COMMIT_EDITMSG'), `${by.message}\n`)
  writeFileSync(join(git, 'index'), index(entries))
}

/** A bare repository of what `dir` holds since `beginRepository`, which becomes the origin of it. */
export function shareRepository(dir: string, bare: string, settings = ''): void {
  for (const folder of FOLDERS) mkdirSync(join(bare, folder), { recursive: true })
  for (const part of ['HEAD', 'objects', 'refs'])
    cpSync(join(dir, '.git', part), join(bare, part), { recursive: true })
  writeFileSync(join(bare, 'config'), `${CONFIG.replace('bare = false', 'bare = true')}${settings}`)
  appendFileSync(join(dir, '.git/config'), originAt(bare))
  follow(join(dir, '.git'))
}

/** As `git clone` of that bare repository leaves it. */
export function cloneShared(
  { dir, bare }: { readonly dir: string; readonly bare: string },
  to: string,
  settings = '',
): void {
  cpSync(dir, to, { recursive: true, filter: (path) => path !== join(dir, '.git/config') })
  const branch = '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n'
  writeFileSync(join(to, '.git/config'), `${CONFIG}${settings}${originAt(bare)}${branch}`)
  follow(join(to, '.git'))
  writeFileSync(join(to, '.git/refs/remotes/origin/HEAD'), 'ref: refs/remotes/origin/main\n')
  const entries: Entry[] = []
  const ignored = plainlyIgnored(
    to,
    readdirSync(to).filter((name) => name !== '.git'),
  )
  writeTree(to, '', { ignored: ignored ?? new Set(), entries })
  writeFileSync(join(to, '.git/index'), index(entries))
}

function originAt(bare: string): string {
  return `[remote "origin"]\n\turl = ${bare}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`
}

function follow(git: string): void {
  mkdirSync(join(git, 'refs/remotes/origin'), { recursive: true })
  cpSync(join(git, 'refs/heads/main'), join(git, 'refs/remotes/origin/main'))
}

function beginByGit(dir: string, by: Beginning): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, stdio: 'pipe' })
  git('init', '-q', '-b', 'main', '--template=')
  appendFileSync(join(dir, '.git/config'), ownSettings(by))
  git(...QUICK, 'add', '-A')
  git(...QUICK, 'commit', '-q', '-m', by.message)
}

function ownSettings({ name, email, settings }: Beginning): string {
  return settings ?? `[user]\n\tname = ${name}\n\temail = ${email}\n[commit]\n\tgpgSign = false\n`
}

/** Names that are ignored in each folder; null where only git can tell. */
function plainlyIgnored(dir: string, names: readonly string[]): ReadonlySet<string> | null {
  const own = names.filter((name) => /(^|\/)(\.git|\.gitattributes|\.gitmodules)$/.test(name))
  const nested = names.filter((name) => name.endsWith('/.gitignore'))
  if (own.length + nested.length > 0) return null
  const lines = names.includes('.gitignore') ? readFileSync(join(dir, '.gitignore'), 'utf8').split('\n') : []
  const wanted = lines.filter((line) => line !== '' && !line.startsWith('#'))
  if (!wanted.every((line) => /^[\w.-]+\/?$/.test(line))) return null
  // A line that ends in a slash is about folders alone: no test has a file of such a name.
  return new Set(wanted.map((line) => line.replace(/\/$/, '')))
}

/** Writes a folder's tree and all below it; null for one without files. */
function writeTree(
  top: string,
  folder: string,
  { ignored, entries }: { readonly ignored: ReadonlySet<string>; readonly entries: Entry[] },
): string | null {
  const git = join(top, '.git')
  const rows: { readonly name: string; readonly mode: number; readonly id: string }[] = []
  for (const name of readdirSync(join(top, folder))) {
    if (ignored.has(name) || (folder === '' && name === '.git')) continue
    const path = folder === '' ? name : `${folder}/${name}`
    const stat = lstatSync(join(top, path), { bigint: true })
    if (stat.isDirectory()) {
      const id = writeTree(top, path, { ignored, entries })
      if (id !== null) rows.push({ name, mode: MODES.folder, id })
      continue
    }
    const isLink = stat.isSymbolicLink()
    const bytes = isLink ? Buffer.from(readlinkSync(join(top, path))) : readFileSync(join(top, path))
    const mode = isLink ? MODES.link : stat.mode & 0o100n ? MODES.program : MODES.file
    const id = writeObject(git, 'blob', bytes)
    rows.push({ name, mode, id })
    entries.push({ path, mode, id, stat })
  }
  if (rows.length === 0 && folder !== '') return null
  // Git sorts a folder as if its name ended in a slash.
  const key = ({ name, mode }: { name: string; mode: number }) =>
    Buffer.from(mode === MODES.folder ? `${name}/` : name)
  const sorted = rows.toSorted((a, b) => Buffer.compare(key(a), key(b)))
  const parts = sorted.flatMap(({ name, mode, id }) => [
    Buffer.from(`${mode.toString(8)} ${name}\0`),
    Buffer.from(id, 'hex'),
  ])
  return writeObject(git, 'tree', Buffer.concat(parts))
}

function writeObject(git: string, type: string, content: Buffer): string {
  const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])
  const id = createHash('sha1').update(bytes).digest('hex')
  const folder = join(git, 'objects', id.slice(0, 2))
  mkdirSync(folder, { recursive: true })
  const path = join(folder, id.slice(2))
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined)
    writeFileSync(path, deflateSync(bytes, { level: 1 }), { mode: 0o444 })
  return id
}

/** The index of these files, in version 2 of its format. */
function index(entries: readonly Entry[]): Buffer {
  const head = Buffer.from('DIRC\0\0\0\x02\0\0\0\0', 'latin1')
  head.writeUInt32BE(entries.length, 8)
  const sorted = entries.toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
  const all = Buffer.concat([head, ...sorted.map(indexEntry)])
  return Buffer.concat([all, createHash('sha1').update(all).digest()])
}

function indexEntry({ path, mode, id, stat }: Entry): Buffer {
  const name = Buffer.from(path)
  const size = 62 + name.length
  const bytes = Buffer.alloc(size + 8 - (size % 8))
  const times = [stat.ctimeNs, stat.mtimeNs].flatMap((ns) => [ns / SECOND_NS, ns % SECOND_NS])
  const numbers = [...times, stat.dev, stat.ino, BigInt(mode), stat.uid, stat.gid, stat.size]
  for (const [at, number] of numbers.entries())
    bytes.writeUInt32BE(Number(BigInt.asUintN(32, number)), at * 4)
  bytes.write(id, 40, 'hex')
  bytes.writeUInt16BE(Math.min(name.length, MOST_NAME), 60)
  name.copy(bytes, 62)
  return bytes
}
