import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FILE_SLUG_BYTES, fileSlugOf, slugOf } from '../../../src/domain/task/slug.ts'

describe('slugOf', () => {
  test.each([
    ['Fix the login redirect', 'fix-the-login-redirect'],
    ['  Ünïcode & Açcents! ', 'unicode-accents'],
    ['$(rm -rf /); `x` --help', 'rm-rf-x-help'],
    ['../../etc/passwd', 'etc-passwd'],
    ['ﬁne №5', 'fine-no5'],
    ['ログイン', ''],
    ['', ''],
    ['---', ''],
  ])('of %j is %j', (title, slug) => {
    expect(slugOf(title, 60)).toBe(slug)
  })

  test('cuts without a dash at the end', () => {
    expect(slugOf('abc def ghi', 8)).toBe('abc-def')
    expect(slugOf('abc def ghi', 0)).toBe('')
  })

  test('gives names that git takes for branches, whatever the title', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (title, most) => {
        const slug = slugOf(title, most)
        expect(slug).toMatch(/^(?:[a-z0-9]+(?:-[a-z0-9]+)*)?$/)
        expect(slug.length).toBeLessThanOrEqual(most)
        expect(slugOf(slug, most)).toBe(slug)
      }),
    )
  })
})

describe('fileSlugOf', () => {
  test.each([
    ['Fix: the Login', 'fix-the-login'],
    ['ログインを直す', 'ログインを直す'],
    ['Crème Brûlée 2', 'crème-brûlée-2'],
    ['🚀 go / now', 'go-now'],
    ['a\u0000b\nc', 'a-b-c'],
  ])('of %j is %j', (title, slug) => {
    expect(fileSlugOf(title)).toBe(slug)
  })

  test('cuts 120 CJK characters on bytes, at the edge of a character', () => {
    const slug = fileSlugOf('漢'.repeat(120))
    expect(slug).toBe('漢'.repeat(26))
    expect(Buffer.byteLength(slug)).toBeLessThanOrEqual(FILE_SLUG_BYTES)
  })

  test('counts characters of every length', () => {
    expect(fileSlugOf('aé漢𠮷', 9)).toBe('aé漢')
    expect(fileSlugOf('aé漢𠮷', 10)).toBe('aé漢𠮷')
  })

  test('gives names that are safe in any folder, whatever the title', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (title) => {
        const slug = fileSlugOf(title)
        expect(Buffer.byteLength(slug)).toBeLessThanOrEqual(FILE_SLUG_BYTES)
        expect(slug).toMatch(/^[\p{L}\p{M}\p{N}-]*$/u)
        expect(slug).not.toMatch(/^-|-$/)
      }),
    )
  })
})
