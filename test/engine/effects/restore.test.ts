/** When what lies on disk is put back over what a person committed. */
import { expect, test } from 'vitest'
import { isUndone } from '../../../src/engine/effects/adopt.ts'

const history = (...blobs: string[]) => blobs.map((blob) => ({ blob }))

test.each([
  ['HEAD went back to the version before ours', ['old', 'ours', 'old'], true],
  ['HEAD went back over two versions of ours', ['old', 'ours', 'mid', 'old'], true],
  ['disk holds an older version than HEAD', ['new', 'ours', 'first'], false],
  ['disk holds what HEAD holds', ['ours', 'old'], false],
  ['disk holds what was never committed', ['old', 'first'], false],
])('isUndone() judges that %s', (_, blobs, undone) => {
  const [head = ''] = blobs
  expect(isUndone(history(...blobs), { head, disk: 'ours' })).toBe(undone)
})
