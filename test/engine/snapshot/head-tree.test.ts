/** How a file stands against what is committed: new, same, edited, stale. */
import { expect, test } from 'vitest'
import { composeWorld } from '../../../src/compose.ts'
import { openHeadTree, type HeadComparison } from '../../../src/engine/snapshot/head-tree.ts'
import { type Home, makeHome } from '../../path/home.ts'

const PATH = 'rooms/shop/tasks/a.md'
const block = (status: string, attempt: number, body = 'Text.') =>
  `---\nstatus: ${status}\nneo:\n  id: t-abc123\n  attempt: ${attempt}\n---\n${body}\n`
const PLAIN = '# Text\n'

/** A home in which Neo has written the file twice. */
function written(): Home {
  const home = makeHome({ [PATH]: block('pending', 1) })
  home.write(PATH, block('completed', 2))
  home.git('commit', '-q', '-a', '-m', 'second')
  return home
}

async function stands(home: Home, text: string, path = PATH): Promise<HeadComparison> {
  const { git } = await composeWorld(home.dir)
  const ledger = openHeadTree(git, () => 'UTC')
  await ledger.load((await git.head()).commit)
  const stood = await ledger.compareToHead(path, git.blobId(Buffer.from(text)), text)
  await git.close()
  return stood
}

test.each([
  ['same', 'the committed text', block('completed', 2)],
  ['same', 'the committed text with other line ends', block('completed', 2).replaceAll('\n', '\r\n')],
  ['edited', 'another body under the committed block', block('completed', 2, 'More.')],
  ['edited', 'another status under the committed block', block('pending', 2)],
  ['stale', 'an older block of ours', block('pending', 1)],
  ['stale', 'an older block of ours with another body', block('pending', 1, 'More.')],
  ['stale', 'no block', PLAIN],
  ['stale', 'a block of another task', block('pending', 2).replace('abc123', 'zzz999')],
  ['edited', 'a block that a person has changed', block('completed', 7)],
])('compareToHead() gives %s for %s', async (gitStatus, _what, text) => {
  expect((await stands(written(), text)).gitStatus).toBe(gitStatus)
})

test('compareToHead() gives new for a path that is not committed', async () => {
  expect(await stands(written(), PLAIN, 'rooms/shop/tasks/b.md')).toEqual({ gitStatus: 'new', status: null })
})

test('compareToHead() asks git again after it has failed once', async () => {
  const home = written()
  const { git } = await composeWorld(home.dir)
  let fails = true
  const blob = async (id: string) => {
    if (fails) throw new Error('no process can be started')
    return await git.blob(id)
  }
  const tree = openHeadTree({ ...git, blob }, () => 'UTC')
  await tree.load((await git.head()).commit)
  const compare = () => tree.compareToHead(PATH, 'h', block('pending', 2))
  await expect(compare()).rejects.toThrow('no process')
  fails = false
  expect((await compare()).gitStatus).toBe('edited')
  await git.close()
})

test('ledger.stands() tells the committed status of an edited task', async () => {
  expect((await stands(written(), block('pending', 2))).status).toBe('completed')
})

test('compareToHead() gives edited for any text over a committed file without a block', async () => {
  expect((await stands(makeHome({ [PATH]: PLAIN }), block('pending', 1))).gitStatus).toBe('edited')
})

test.each([
  ['stale', 'our newest text', block('completed', 2)],
  ['edited', 'an edit of our newest text', block('completed', 2, 'More.')],
])('compareToHead() gives %s for %s where a commit took that back', async (gitStatus, _what, text) => {
  const home = written()
  home.write(PATH, block('pending', 1))
  home.git('commit', '-q', '-a', '-m', 'back')
  expect(await stands(home, text)).toEqual({ gitStatus, status: 'pending' })
})
