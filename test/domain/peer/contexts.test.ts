import { describe, expect, test } from 'vitest'
import { covers, normalContext, repositoryOf, roomOf } from '../../../src/domain/peer/contexts.ts'
import { ref } from './access-table.ts'

describe('normalContext', () => {
  test.each([
    'repository:acme/webapp',
    'folder:acme/webapp/src',
    'file:acme/webapp/src/Login.ts',
    'file:acme/webapp/docs/c#.md',
    'file:acme/webapp/100%.md',
    'file:acme/webapp/..well',
    'issue:acme/webapp#12',
  ])('takes %s as it is', (text) => {
    expect(normalContext(ref(text))).toEqual(ref(text))
  })

  test('gives Unicode in NFC', () => {
    expect(normalContext(ref('file:acme/webapp/cafe\u0301.md'))).toEqual(ref('file:acme/webapp/caf\u00e9.md'))
  })

  test.each([
    ['repo:acme/webapp', 'has an unknown type'],
    ['repository:acme', 'is not a repository'],
    ['repository:acme/webapp/src', 'is not a repository'],
    ['repository:acme/webapp#1', 'is not a repository'],
    ['folder:acme/webapp', 'is not a folder'],
    ['file:acme/web#app/a', 'is not a file'],
    ['issue:acme/webapp', 'is not an issue'],
    ['issue:acme/webapp#0', 'is not an issue'],
    ['issue:acme/webapp#1x', 'is not an issue'],
    ['file:acme/webapp/../x', 'contains . or ..'],
    ['file:acme/webapp/./x', 'contains . or ..'],
    ['file:acme/webapp//x', 'contains an empty name'],
    ['folder:acme/webapp/src/', 'contains an empty name'],
    ['file:/acme/webapp/x', 'is an absolute path'],
    ['file:C:/acme/webapp', 'is an absolute path'],
    ['file:acme\\webapp\\x', 'contains a backslash'],
    ['file:acme/webapp/%2e%2E/x', 'contains a percent-encoded character'],
    ['file:acme/webapp/a\0', 'contains a control character'],
    ['file:acme/webapp/a\nb', 'contains a control character'],
    ['file:acme/webapp/\ud800', 'contains a control character'],
    [`file:acme/webapp/${'a'.repeat(512)}`, 'is longer than 512 characters'],
    [`file:acme/webapp/${'\u0958'.repeat(490)}`, 'is longer than 512 characters'],
    ['repository:', 'contains an empty name'],
  ])('refuses %j: %s', (text, wrong) => {
    expect(normalContext(ref(text))).toEqual({ wrong: expect.stringContaining(wrong) })
  })
})

describe('covers', () => {
  test.each([
    ['repository:acme/webapp', 'repository:acme/webapp', true],
    ['repository:acme/webapp', 'folder:acme/webapp/src', true],
    ['repository:acme/webapp', 'file:acme/webapp/a.ts', true],
    ['repository:acme/webapp', 'issue:acme/webapp#1', true],
    ['repository:acme/webapp', 'file:acme/webapp2/a.ts', false],
    ['repository:acme/webapp', 'issue:acme/webapp2#1', false],
    ['folder:acme/webapp/src', 'file:acme/webapp/src/a.ts', true],
    ['folder:acme/webapp/src', 'folder:acme/webapp/src', true],
    ['folder:acme/webapp/src', 'file:acme/webapp/src2/a.ts', false],
    ['folder:acme/webapp/src', 'repository:acme/webapp', false],
    ['folder:acme/webapp/src', 'issue:acme/webapp#1', false],
    ['file:acme/webapp/a', 'file:acme/webapp/a', true],
    ['file:acme/webapp/a', 'folder:acme/webapp/a', false],
    ['issue:acme/webapp#1', 'issue:acme/webapp#1', true],
    ['issue:acme/webapp#1', 'issue:acme/webapp#12', false],
  ])('%s, %s: %s', (outer, inner, is) => {
    expect(covers(ref(outer), ref(inner))).toBe(is)
  })
})

test('repositoryOf() is the first two names', () => {
  expect(['acme/webapp', 'acme/webapp/src/a#1', 'acme/webapp#3'].map(repositoryOf)).toEqual(
    Array(3).fill('acme/webapp'),
  )
})

test('roomOf() gives the longest context that covers the reference', () => {
  const own = [
    { ...ref('repository:acme/webapp'), room: 'webapp' },
    { ...ref('folder:acme/webapp/docs'), room: 'docs' },
  ]
  const room = (text: string) => roomOf(own, ref(text))?.room ?? null
  expect(room('file:acme/webapp/docs/a.md')).toBe('docs')
  expect(room('file:acme/webapp/src/a.ts')).toBe('webapp')
  expect(room('issue:acme/webapp#1')).toBe('webapp')
  expect(room('repository:acme/shop')).toBeNull()
})
