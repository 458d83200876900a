/** Files below a folder in which anything may be a link: the system's own answer inside, and nothing outside. */
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { openWorktreeFiles } from '../../../src/adapters/worktree-files/worktree-files.ts'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'neo-worktree-files-')))
afterAll(() => rmSync(base, { recursive: true, force: true }))
const { look, read, write } = openWorktreeFiles()
let count = 0

/** A folder with a secret beside it. */
function ground(): string {
  const root = join(base, `g${++count}`, 'top')
  mkdirSync(root, { recursive: true })
  writeFileSync(join(dirname(root), 'secret'), 'secret')
  return root
}

function put(root: string, path: string, text = path): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

const all = { maxBytes: 1000, admit: () => null }
const change = (text: string) => ({ ...all, change: () => Buffer.from(text) })

/** What the system says of the same path: its real place below the top, or that it leads out or nowhere. */
function system(root: string, path: string): string | null {
  try {
    const real = realpathSync(join(root, path === '' ? '.' : `./${path}`))
    const inside = relative(root, real)
    return inside === '..' || inside.startsWith('../') ? null : inside
  } catch {
    return null
  }
}

describe('look', () => {
  const root = ground()
  for (const path of ['f', 'd/f', 'd/e/f']) put(root, path)
  const name = fc.constantFrom('f', 'd', 'e', 'l', 'm', '..', '.', 'none')
  const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'))
  const target = fc.oneof(path, fc.constantFrom('/', '/etc', root, `${root}/d`, '../../secret', '..', '.'))
  const places = ['l', 'm', 'd/l', 'd/e/l']

  test('gives what the system gives for a path inside, and never anything outside', () => {
    fc.assert(
      fc.property(
        fc.tuple(target, target, target, target),
        fc.array(path, { minLength: 1 }),
        (targets, paths) => {
          for (const [at, to] of targets.entries()) {
            rmSync(join(root, places[at] ?? ''), { force: true })
            symlinkSync(to, join(root, places[at] ?? ''))
          }
          for (const one of paths) {
            const found = look(root, one)
            if (found.kind === 'file' || found.kind === 'folder')
              expect([one, found.path]).toEqual([one, system(root, one)])
            else if (found.kind === 'missing') expect(system(root, one)).toBeNull()
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  test.each<readonly [string, object]>([
    ['', { kind: 'folder', path: '' }],
    ['d/./e//', { kind: 'folder', path: 'd/e' }],
    ['d/../f', { kind: 'file', path: 'f' }],
    ['none', { kind: 'missing', path: 'none' }],
    ['d/x/y/z', { kind: 'missing', path: 'd/x/y/z' }],
    ['..', { kind: 'refused', why: 'leads out of the worktree' }],
    ['d/../../top/f', { kind: 'refused', why: 'leads out of the worktree' }],
    ['f/x', { kind: 'refused', why: 'has a file in place of a folder' }],
    ['d/none/../f', { kind: 'refused', why: 'goes back (..) from a folder that is not there' }],
    ['x'.repeat(300), { kind: 'refused', why: 'has a name that is too long' }],
  ])('of %j', (path, wanted) => {
    for (const place of places) rmSync(join(root, place), { force: true })
    expect(look(root, path)).toEqual(wanted)
  })

  test('refuses loops, links that lead out, and a top that is none', () => {
    const other = ground()
    symlinkSync('b', join(other, 'a'))
    symlinkSync('a', join(other, 'b'))
    symlinkSync('../secret', join(other, 'out'))
    symlinkSync('/etc/hosts', join(other, 'hosts'))
    symlinkSync(`${other}x`, join(other, 'beside'))
    for (const path of ['a', 'out', 'hosts', 'beside']) expect(look(other, path).kind).toBe('refused')
    symlinkSync(other, join(base, 'linked-top'))
    expect([look(join(base, 'none'), 'f').kind, look(join(base, 'linked-top'), 'f').kind]).toEqual([
      'refused',
      'refused',
    ])
  })
})

describe('read', () => {
  test.each<readonly [string, object]>([
    ['f', { kind: 'file', path: 'f', bytes: Buffer.from('0123456789') }],
    ['l', { kind: 'file', path: 'f', bytes: Buffer.from('0123456789') }],
    ['d', { kind: 'folder', path: 'd' }],
    ['none', { kind: 'missing', path: 'none' }],
    ['out', { kind: 'refused', why: 'leads out of the worktree' }],
    ['dead', { kind: 'missing', path: 'nowhere' }],
  ])('of %s', (path, wanted) => {
    const root = ground()
    put(root, 'f', '0123456789')
    put(root, 'd/x')
    for (const [name, to] of [
      ['l', 'f'],
      ['out', '../secret'],
      ['dead', 'nowhere'],
    ] as const)
      symlinkSync(to, join(root, name))
    expect(read(root, path, all)).toEqual(wanted)
    if (path === 'f') expect(read(root, path, { ...all, maxBytes: 9 })).toMatchObject({ kind: 'refused' })
  })

  test('asks about the real path, and reads nothing that is not admitted', () => {
    const root = ground()
    put(root, 'd/f')
    symlinkSync('d', join(root, 'l'))
    const asked: string[] = []
    const admit = (real: string) => {
      asked.push(real)
      return 'is not yours'
    }
    expect(read(root, 'l/f', { ...all, admit })).toEqual({ kind: 'refused', why: 'is not yours' })
    expect(asked).toEqual(['d/f'])
  })
})

describe('write', () => {
  test('makes a file with its folders, and leaves nothing beside it', () => {
    const root = ground()
    expect(write(root, 'a/b/c', change('new'))).toEqual({ kind: 'written', path: 'a/b/c', before: 'missing' })
    expect([readFileSync(join(root, 'a/b/c'), 'utf8'), readdirSync(join(root, 'a/b'))]).toEqual([
      'new',
      ['c'],
    ])
  })

  test('keeps the mode of a file, and the bytes of its other names', () => {
    const root = ground()
    put(root, 'f', 'old')
    chmodSync(join(root, 'f'), 0o751)
    linkSync(join(root, 'f'), join(root, 'other'))
    expect(write(root, 'f', change('new'))).toEqual({ kind: 'written', path: 'f', before: 'file' })
    expect(statSync(join(root, 'f')).mode & 0o777).toBe(0o751)
    expect(readFileSync(join(root, 'other'), 'utf8')).toBe('old')
  })

  test('follows a link inside to its file, and makes the target of a dead one', () => {
    const root = ground()
    put(root, 'd/f', 'old')
    symlinkSync('d/f', join(root, 'l'))
    symlinkSync('d/new', join(root, 'dead'))
    write(root, 'l', change('one'))
    write(root, 'dead', change('two'))
    expect([readFileSync(join(root, 'd/f'), 'utf8'), readFileSync(join(root, 'd/new'), 'utf8')]).toEqual([
      'one',
      'two',
    ])
    expect(lstatSync(join(root, 'l')).isSymbolicLink()).toBe(true)
  })

  test.each(['../secret', 'out', 'outdir/x', 'd', 'f/x', '', 'dead-out'])(
    'refuses %j and changes nothing',
    (path) => {
      const root = ground()
      put(root, 'f', 'old')
      put(root, 'd/x')
      symlinkSync('../secret', join(root, 'out'))
      symlinkSync('..', join(root, 'outdir'))
      symlinkSync('../made', join(root, 'dead-out'))
      expect(write(root, path, change('new')).kind).toBe('refused')
      expect(readFileSync(join(root, '..', 'secret'), 'utf8')).toBe('secret')
      expect(readdirSync(join(root, '..')).sort()).toEqual(['secret', 'top'])
      expect(readFileSync(join(root, 'f'), 'utf8')).toBe('old')
    },
  )

  test('writes nothing where the change is refused, the file is too large, or not admitted', () => {
    const root = ground()
    put(root, 'f', '0123456789')
    expect(write(root, 'f', { ...all, change: () => ({ refused: 'no' }) })).toEqual({
      kind: 'refused',
      why: 'no',
    })
    expect(write(root, 'a/b', { ...all, change: () => ({ refused: 'no' }) })).toEqual({
      kind: 'refused',
      why: 'no',
    })
    expect(write(root, 'f', { ...change('x'), maxBytes: 9 })).toMatchObject({ kind: 'refused' })
    expect(write(root, 'f', { ...change('x'), admit: () => 'not here' })).toEqual({
      kind: 'refused',
      why: 'not here',
    })
    expect([readFileSync(join(root, 'f'), 'utf8'), existsSync(join(root, 'a'))]).toEqual([
      '0123456789',
      false,
    ])
  })

  test.each<readonly [string, (root: string) => void]>([
    ['was written to', (root) => writeFileSync(join(root, 'f'), 'theirs')],
    ['was replaced', (root) => rmSync(join(root, 'f')) ?? writeFileSync(join(root, 'f'), 'theirs')],
    ['became a link', (root) => rmSync(join(root, 'f')) ?? symlinkSync('../secret', join(root, 'f'))],
    ['is gone', (root) => rmSync(join(root, 'f'))],
  ])('refuses a file that %s in the meantime', (_, act) => {
    const root = ground()
    put(root, 'f', 'old')
    const done = write(root, 'f', {
      ...all,
      change: () => {
        act(root)
        return Buffer.from('ours')
      },
    })
    expect(done).toEqual({ kind: 'refused', why: 'changed while it was written; nothing was written' })
    expect(readFileSync(join(root, '..', 'secret'), 'utf8')).toBe('secret')
    expect(readdirSync(root).filter((name) => name !== 'f')).toEqual([])
  })

  test('a name that somebody takes in the meantime stays theirs', () => {
    const root = ground()
    const done = write(root, 'f', {
      ...all,
      change: () => {
        put(root, 'f', 'theirs')
        return Buffer.from('ours')
      },
    })
    expect([done.kind, readFileSync(join(root, 'f'), 'utf8'), readdirSync(root)]).toEqual([
      'refused',
      'theirs',
      ['f'],
    ])
  })
})
