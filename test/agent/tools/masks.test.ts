/** Files with secrets: what a model was shown masked, it must not write back masked. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesOf, maskRefusal, textOf } from '../../../src/agent/tools/confined-paths.ts'
import { redact } from '../../../src/domain/secrets/redact.ts'

const TOKEN = `ghp_${'a1B2c3D4'.repeat(5)}`
const WITH = `name: shop\ntoken: ${TOKEN}\nport: 80\n`

test.each<[string, string, string]>([
  ['the masked text as it was shown', WITH, redact(WITH)],
  ['the masked text with another line changed', WITH, redact(WITH).replace('80', '81')],
  ['a mask in a new file, at the place of a password', '', 'password: ***\n'],
  ['a mask in an URL', '', 'db: postgres://me:***@localhost/shop\n'],
  ['a second mask beside one that was there', 'password: ***\n', 'password: ***\ntoken = "***"\n'],
])('refused: %s', (_, old, fresh) => {
  expect(maskRefusal(old, fresh)).toContain('instead of a secret')
})

test.each<[string, string, string]>([
  ['the text with its secret', WITH, WITH.replace('80', '81')],
  ['a text without the secret’s line', WITH, 'name: shop\n'],
  ['stars that are no mask', '', '*** a heading ***\n'],
  ['four stars', '', 'password: ****\n'],
  ['a mask that was in the file', 'password: ***\n', '# note\npassword: ***\n'],
  ['stars as a rule of markdown', '# a\n', '# a\n\n***\n\n# b\n'],
])('allowed: %s', (_, old, fresh) => {
  expect(maskRefusal(old, fresh)).toBeNull()
})

test('the same text again is never refused', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom(WITH, 'password: ***', '***'))), (parts) => {
      const text = parts.join('\n')
      expect(maskRefusal(text, text)).toBeNull()
    }),
  )
})

test.each<[string, Buffer, string]>([
  ['with a NUL', Buffer.from('a\0b'), 'is a binary file of 3 bytes'],
  ['in Latin 1', Buffer.from([0x61, 0xe9]), 'is a file of 2 bytes that is not UTF-8 text'],
  ['with half a character', Buffer.from('é').subarray(0, 1), 'is a file of 1 byte that is not UTF-8 text'],
])('a file %s is no text', (_, bytes, wrong) => {
  expect(textOf(bytes)).toEqual({ wrong })
})

test('any text comes back as its bytes, with its mark of order and its line ends', () => {
  for (const text of ['', '\ufeffa', 'a\r\nb\r', '😀', 'a'.repeat(20_000)])
    expect(textOf(bytesOf(text))).toEqual({ text })
})
