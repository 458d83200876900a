/** Trees in process, against a map of paths: whatever is set and removed, in whatever order, and nothing else changes. */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Repository } from '../../../src/adapters/git/git-repository.ts'
import { objectId } from '../../../src/adapters/git/reading/objects.ts'
import { type Leaf, openTrees, readTree, TREE_MODE } from '../../../src/adapters/git/reading/tree.ts'

/** A store of trees in memory. */
function store() {
  const objects = new Map<string, Buffer>()
  let reads = 0
  const living = {
    contents: async (oid: string) => {
      reads += 1
      const bytes = objects.get(oid)
      return bytes === undefined ? null : { oid, type: 'tree', bytes }
    },
  } as Repository['living']
  const batch = {
    add(type: 'blob' | 'tree' | 'commit', bytes: Buffer) {
      const oid = objectId(type, bytes)
      objects.set(oid, bytes)
      return oid
    },
    land: async () => {},
    drop: () => {},
  }
  return { objects, living, batch, reads: () => reads, trees: openTrees({ living } as Repository) }
}

function leaf(text: string, mode = '100644'): Leaf {
  return { mode, oid: createHash('sha1').update(text).digest('hex') }
}

async function filesIn(
  { living }: ReturnType<typeof store>,
  root: string | null,
  at = '',
): Promise<string[]> {
  const found: string[] = []
  for (const [name, one] of root === null ? [] : await readTree(living, root)) {
    const path = at + Buffer.from(name, 'latin1').toString('utf8')
    if (one.mode === TREE_MODE) found.push(...(await filesIn({ living } as never, one.oid, `${path}/`)))
    else found.push(`${one.mode} ${one.oid} ${path}`)
  }
  return found
}

const name = fc.constantFrom('a', 'b', 'a.b', 'a0', 'ä', '日', ' x ', 'a\tb')
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))
const change = fc.tuple(path, fc.option(fc.constantFrom('one', 'two', 'three'), { nil: null }))

/** As a work tree behaves: a file takes the place of a folder, and the other way round. */
function apply(model: Map<string, Leaf>, changes: readonly (readonly [string, Leaf | null])[]): void {
  for (const [at, now] of changes) {
    for (const known of [...model.keys()]) if (known === at || known.startsWith(`${at}/`)) model.delete(known)
    if (now === null) continue
    for (const known of [...model.keys()]) if (at.startsWith(`${known}/`)) model.delete(known)
    model.set(at, now)
  }
}

test('rewrite() gives the tree of the files, whatever is set and removed one after the other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 25 }), async (changes) => {
      const all = store()
      const model = new Map<string, Leaf>()
      let root: string | null = null
      for (const [at, text] of changes) {
        const now = text === null ? null : leaf(text)
        apply(model, [[at, now]])
        root = await all.trees.rewrite(root, new Map([[at, now]]), all.batch)
      }
      const wanted = [...model].map(([at, { mode, oid }]) => `${mode} ${oid} ${at}`)
      expect((await filesIn(all, root)).sort()).toEqual(wanted.sort())
      expect(root === null).toBe(model.size === 0)
    }),
    { numRuns: 200 },
  )
})

test('rewrite() of many changes at once gives the same tree as of one after the other', async () => {
  const distinct = fc.uniqueArray(
    change.filter(([, text]) => text !== null),
    { selector: ([at]) => at.split('/')[0], maxLength: 8 },
  )
  await fc.assert(
    fc.asyncProperty(distinct, async (changes) => {
      const all = store()
      const leaves = changes.map(([at, text]) => [at, leaf(text ?? '')] as const)
      const whole = await all.trees.rewrite(null, new Map(leaves), all.batch)
      let root: string | null = null
      for (const one of leaves.toReversed()) root = await all.trees.rewrite(root, new Map([one]), all.batch)
      expect(root).toBe(whole)
    }),
    { numRuns: 100 },
  )
})

test('rewrite() orders a folder as if its name ended in a slash', async () => {
  const all = store()
  const leaves = ['a/x', 'a.b', 'a0', 'a-'].map((at) => [at, leaf(at)] as const)
  const root = (await all.trees.rewrite(null, new Map(leaves), all.batch)) ?? ''
  expect([...(await readTree(all.living, root)).keys()]).toEqual(['a-', 'a.b', 'a', 'a0'])
})

test('rewrite() reads no tree beside the way, and none that it has just written', async () => {
  const all = store()
  const paths = Array.from({ length: 30 }, (_, at) => `room-${at}/tasks/one.md`)
  const root = await all.trees.rewrite(null, new Map(paths.map((at) => [at, leaf(at)])), all.batch)
  const fresh = openTrees({ living: all.living } as Repository)
  const before = all.reads()
  const next = await fresh.rewrite(root, new Map([['room-7/tasks/one.md', leaf('new')]]), all.batch)
  expect(all.reads() - before).toBe(3)
  expect(await fresh.at(next, 'room-7/tasks/one.md')).toEqual(leaf('new'))
  expect(all.reads() - before).toBe(3)
})

test.each([
  ['', null],
  ['a', TREE_MODE],
  ['a/b', '100755'],
  ['a/b/c', null],
  ['a/none', null],
  ['link', '120000'],
])('at() finds %j as %s', async (at, mode) => {
  const all = store()
  const leaves = new Map([
    ['a/b', leaf('b', '100755')],
    ['link', leaf('l', '120000')],
  ])
  const root = await all.trees.rewrite(null, leaves, all.batch)
  expect((await all.trees.at(root, at))?.mode ?? null).toBe(mode)
  expect(await all.trees.at(null, at)).toBeNull()
})
