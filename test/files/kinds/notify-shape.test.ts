/** How notices are wished for, as ROOM.md says it. */
import { expect, test } from 'vitest'
import { readRoom } from '../../../src/files/kinds/read-room.ts'

const header = (line: string): string => `---\n${line}\n---\n`

test('reads places, members and rules of notices', () => {
  const entry = '{ to: m-ana, what: [asks, failures], quiet: 22-7, digest: 30m }'
  expect(readRoom('rooms/a/ROOM.md', header(`notify: ["telegram:1", ${entry}]`), 'a')).toMatchObject({
    value: {
      notify: ['telegram:1', 'm-ana'],
      notifyRules: { 'm-ana': { what: ['asks', 'failures'], quiet: [22, 7], digestMs: 1_800_000 } },
    },
  })
  for (const wrong of [
    '{ to: m-ana, quiet: 25-7 }',
    '{ to: m-ana, what: [gossip] }',
    '{ to: m-ana, digest: soon }',
  ])
    expect(readRoom('rooms/a/ROOM.md', header(`notify: [${wrong}]`), 'a')).toMatchObject({ kind: 'bad' })
})
