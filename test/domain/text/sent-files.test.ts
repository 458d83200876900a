import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainName, type SentFile, sentLine, splitSent } from '../../../src/domain/text/sent-files.ts'

const file = (name: string, type = 'image/png'): SentFile => ({
  id: `${'a'.repeat(24)}.png`,
  name,
  type,
  bytes: 5,
})

test.each(['\n', ' ', '[', '[image received: ', 'a, b/c, 5 bytes](neo-file:'])(
  'a long message of %j is read at once',
  (piece) => {
    const text = `a${piece.repeat(100_000 / piece.length)}(neo-file:b`
    expect(splitSent(text)).toEqual({ text, files: [] })
  },
)

test('what sentLine() writes is what splitSent() reads', () => {
  const name = fc.string({ unit: 'binary', maxLength: 150 })
  fc.assert(
    fc.property(name, fc.constantFrom('image/png', 'application/pdf'), (called, type) => {
      const one = file(called, type)
      const { text, files } = splitSent(`Look.\n\n${sentLine(one)}\n${sentLine(one)}`)
      expect(text).toBe('Look.')
      expect(files).toEqual([one, one].map((sent) => ({ ...sent, name: plainName(called) })))
      expect(() => encodeURIComponent(plainName(called))).not.toThrow()
    }),
  )
})
