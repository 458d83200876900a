/** What a file is, by its bytes and not by its name. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mediaTypeOf } from '../../../src/domain/text/media-type.ts'

const bytes = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0))

const BEGINNINGS: readonly (readonly [begin: string, type: string, ending: string])[] = [
  ['\x89PNG\r\n\x1a\n', 'image/png', 'png'],
  ['\xff\xd8\xff', 'image/jpeg', 'jpg'],
  ['GIF89a', 'image/gif', 'gif'],
  ['GIF87a', 'image/gif', 'gif'],
  ['RIFF\x10\x00\x00\x00WEBPVP8 ', 'image/webp', 'webp'],
  ['RIFF\xff\xff\xff\xffWAVEfmt ', 'audio/wav', 'wav'],
  ['%PDF-1.7', 'application/pdf', 'pdf'],
  ['OggS', 'audio/ogg', 'ogg'],
  ['ID3\x04', 'audio/mpeg', 'mp3'],
  ['\xff\xfb\x90', 'audio/mpeg', 'mp3'],
  ['\x00\x00\x00\x20ftypisom', 'video/mp4', 'mp4'],
  ['\x1a\x45\xdf\xa3', 'video/webm', 'webm'],
  ['PK\x03\x04', 'application/zip', 'zip'],
  ['\x1f\x8b\x08', 'application/gzip', 'gz'],
]

test.each(BEGINNINGS)('mediaTypeOf() of %j is %s', (begin, type, ending) => {
  expect(mediaTypeOf(bytes(begin))).toEqual({ type, ending })
  expect(mediaTypeOf(bytes(`${begin}\x00rest`))).toEqual({ type, ending })
})

test.each([
  ['an empty file', ''],
  ['words', 'Hello, world'],
  ['lines and tabs', 'a\tb\r\nc\f\n'],
  ['a name of a type in the middle', 'see %PDF-1.7 and GIF89a'],
  ['a cut beginning', 'GIF'],
  ['RIFF of another form', 'RIFF1234MIDI'],
  ['RIFF that is cut before its form', 'RIFF1234WEB'],
  ['letters that only stand at another place', ' OggS'],
])('mediaTypeOf() takes %s for text', (_, text) => {
  expect(mediaTypeOf(bytes(text))).toEqual({ type: 'text/plain', ending: 'txt' })
})

test.each([
  ['a zero byte', '\0'],
  ['an escape', 'a\x1b[31m'],
  ['Latin 1', 'caf\xe9 '],
  ['half of a long form', '\xc3('],
])('mediaTypeOf() takes %s for unknown bytes', (_, text) => {
  expect(mediaTypeOf(bytes(text))).toEqual({ type: 'application/octet-stream', ending: 'bin' })
})

test('mediaTypeOf() takes UTF-8 for text wherever it is cut, and looks at 8,192 bytes', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '😀', '\n'), maxLength: 40 })
  fc.assert(
    fc.property(texts, fc.nat(60), (text, at) => {
      const whole = new TextEncoder().encode(text)
      expect(mediaTypeOf(whole.subarray(0, at)).type).toBe('text/plain')
    }),
  )
  const long = (size: number) => bytes(`${'a'.repeat(size)}\0`)
  expect(mediaTypeOf(long(8_191)).ending).toBe('bin')
  expect(mediaTypeOf(long(8_192)).ending).toBe('txt')
})
