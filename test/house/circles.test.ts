/**
 * No circle of imports, of types either: what two files know of each other is one thing, and belongs into one file or a
 * third.
 */
import { expect, test } from 'vitest'
import { circlesIn } from './graph.ts'
import { sources } from './source.ts'

test('no file imports itself by way of others', () => {
  expect(circlesIn(sources('src'))).toEqual([])
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
