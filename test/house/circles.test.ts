/**
 * No circle of imports, of types either: what two files know of each other is one thing, and belongs into one file or a third.
 * KNOWN are the circles that are still there. It only gets shorter: a circle that is gone is taken out of it.
 */
import { expect, test } from 'vitest'
import { circlesIn } from './graph.ts'
import { sources } from './source.ts'

/** The first file of each, in the order of the alphabet, and how many files it has. */
const KNOWN: readonly (readonly [string, number])[] = [
  ['src/bus/inbound.ts', 2],
  ['src/cli/care/checks.ts', 8],
  ['src/cli/care/completion.ts', 3],
  ['src/cli/chat/answer.ts', 7],
  ['src/cli/status/gather.ts', 2],
  ['src/cli/task/cache.ts', 2],
  ['src/core/rules/policy-keys.ts', 4],
  ['src/doors/telegram/commands.ts', 4],
  ['src/flow/agents.ts', 13],
  ['src/flow/away-rooms.ts', 2],
  ['src/formats/edit-line.ts', 2],
  ['src/hub/env.ts', 2],
  ['src/memory/index-sync.ts', 4],
]

test('files import each other in no circle but the known ones', () => {
  const found = circlesIn(sources('src')).map((files) => [files[0], files.length])
  expect(found).toEqual(KNOWN)
})

test('a circle is found, with all of its files and no other', () => {
  const file = (path: string, ...imports: string[]) => ({ path, imports, text: '', code: '' })
  const files = [
    file('a/1.ts', './2.ts'),
    file('a/2.ts', '../b/3.ts'),
    file('b/3.ts', '../a/1.ts', './4.ts'),
    file('b/4.ts'),
  ]
  expect(circlesIn(files)).toEqual([['a/1.ts', 'a/2.ts', 'b/3.ts']])
})
