/** The words of a text, and which of them look like values: everything else about said secrets builds on these. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maskSecrets } from '../../../src/domain/secrets/distill-secrets.ts'
import { candidatesOf, mayHold } from '../../../src/domain/said-secrets/secret-candidates.ts'
import { firstWord } from '../../../src/domain/said-secrets/secret-names.ts'
import { classesOf } from '../../../src/domain/said-secrets/secret-stems.ts'
import { kindOf, saidText, type Word, wordsIn } from '../../../src/domain/said-secrets/secret-text.ts'

const one = (text: string): Word => wordsIn(text)[0] as Word

describe('wordsIn', () => {
  test.each<[string, readonly string[]]>([
    ['', []],
    [' a  b\nc ', ['a', 'b', 'c']],
    ['(hunter2), "two words".', ['hunter2', 'two words']],
    ['¿Qué? „eins zwei“ «trois»', ['Qué', 'eins zwei', 'trois']],
    ['`a b` and ‘x’', ['a b', 'and', 'x']],
    ["don't 'two words' it's", ["don't", 'two words', "it's"]],
    ['Kq7!x9!', ['Kq7!x9']],
    ['a *** b', ['a', '***', 'b']],
    ['…', ['']],
  ])('of %j are %j', (text, bare) => expect(wordsIn(text).map((word) => word.bare)).toEqual(bare))

  test.each<[string, string, boolean]>([
    ['it', '', false],
    ['it,', ',', false],
    ['it:', ':', false],
    ['it.', '.', true],
    ['it).', '.', true],
    ['it?"', '?', true],
    ['終わり。', '。', true],
    ['it\n', '', true],
    ['it:\n', ':', false],
    ['it  \n', '', true],
    ['it  x\n', '', false],
  ])('of %j end with %j, and end a sentence: %s', (text, mark, ends) => {
    expect([one(text).endsWith, one(text).endsSentence]).toEqual([mark, ends])
  })

  test('stand where they say, in order, and no two overlap', () => {
    const unit = fc.constantFrom(
      'a',
      'B',
      '1',
      ' ',
      '\n',
      '"',
      "'",
      '“',
      '”',
      '.',
      ',',
      '*',
      '***',
      '`',
      '(',
      '漢',
      '😀',
    )
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        let end = 0
        for (const { from, to, bare, raw, isQuoted } of wordsIn(text)) {
          expect(from).toBeGreaterThanOrEqual(end)
          expect(to).toBeLessThanOrEqual(text.length)
          if (!isQuoted && bare !== '***') expect(text.slice(from, to)).toBe(bare)
          expect(text).toContain(raw)
          end = Math.max(end, to)
        }
      }),
      { numRuns: 500 },
    )
  })
})

const KINDS: Readonly<Record<ReturnType<typeof kindOf>, string>> = {
  number: '4711 99-12-88 *4711# 0042',
  mixed: 'hunter2 SommerSonne2024 pa$word a_b_c x1y2 Wombat_5 user@home abc123def',
  inner: 'correctHorse correct-horse-battery',
  word: 'swordfish Passwort don’t well-known пароль',
  quoted: '"two_words" `x1` «trois» „vier“',
  other:
    'v2 8-character X200a.md src/a.ts https://x.example a@b.example 2026-03-01 1.10.2 10:30 3rd 50% $40 sha256 gpt-4 iphone-15 ABC-123 1990s ctrl+c README.md 5kg *** … 3月 9/11',
}

test.each(Object.entries(KINDS))('kindOf() takes for %s: %s', (kind, words) => {
  for (const word of words.split(' ')) expect([word, kindOf(one(word))]).toEqual([word, kind])
})

test('saidText() finds the sure names of secrets, in any script', () => {
  const names = (text: string) =>
    saidText(text)
      .sure()
      .map(({ key }) => key)
  expect(names('The password; PIN; my Passwort, contraseña')).toEqual([
    ...['password', 'PIN', 'Passwort', 'contraseña'],
  ])
  expect(names('passwordless spinning compass tokens')).toEqual([])
  expect(names('我的PIN是4711')).toEqual(['PIN'])
  const said = saidText('the password')
  const [words, sure] = [said.words(), said.sure()]
  expect([said.words() === words, said.sure() === sure]).toEqual([true, true])
})

describe('candidatesOf', () => {
  const found = (text: string) => {
    const words = wordsIn(text)
    return candidatesOf(words).map(({ first, last, kind, digits, isGrouped }) => [
      words
        .slice(first, last + 1)
        .map(({ bare }) => bare)
        .join(' '),
      kind + (isGrouped ? ' in groups' : ''),
      digits,
    ])
  }

  test.each<[string, ReturnType<typeof found>]>([
    ['nothing here', []],
    ['it is 4711', [['4711', 'number', 4]]],
    ['it is 24 61 08', [['24 61 08', 'number in groups', 6]]],
    ['118 457', [['118 457', 'number in groups', 6]]],
    ['61 then 84 then 12', [['61 then 84 then 12', 'number in groups', 6]]],
    [
      '24, 61',
      [
        ['24', 'number', 2],
        ['61', 'number', 2],
      ],
    ],
    ['*99#', [['99#', 'number in groups', 2]]],
    ['four seven one one', [['four seven one one', 'number in groups', 4]]],
    ['four seven', []],
    ['use hunter2 now', [['hunter2', 'mixed', 0]]],
    ['set LOG_LEVEL', [['LOG_LEVEL', 'numbered', 0]]],
    ['see Falcon-61', [['Falcon-61', 'numbered', 0]]],
    ['admin/Wombat_5', [['admin/Wombat_5', 'mixed', 0]]],
    ['src/Wombat_5/x', []],
    ['`a_1b` and `git push`', [['a_1b', 'mixed', 0]]],
  ])('of %j', (text, candidates) => {
    const got = found(text).map(([words, kind, digits]) => [
      words,
      kind === 'quoted' ? 'mixed' : kind,
      digits,
    ])
    expect(got).toEqual(candidates)
  })

  test('are only in texts that may hold one', () => {
    const unit = fc.constantFrom(
      'word ',
      'one ',
      'two ',
      '12 ',
      'a1b2 ',
      'x$y ',
      '"q" ',
      'then ',
      '漢 ',
      '. ',
    )
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
        if (candidatesOf(wordsIn(text)).length > 0) expect([text, mayHold(text)]).toEqual([text, true])
      }),
    )
  })
})

test.each([
  ['safe', 'lock'],
  ['Haustür', 'lock'],
  ['Tresorfach', 'lock'],
  ['coffre-fort', 'lock'],
  ['сейфа', 'lock'],
  ['keypad', 'lock'],
  ['Netflix', 'account'],
  ['Bankkarte', 'card'],
  ['öffnet', 'open'],
  ['tippst', 'keyed'],
  ['code', 'loose'],
  ['Türcode', 'loose'],
  ['remember', 'cue'],
  ['kostet', 'amount'],
  ['ticket', 'reference'],
  ['Hauptstraße', 'street'],
  ['Geburtstag', 'birthday'],
  ['postcode', 'otherCode'],
])('classesOf(%j) has %s, also in capitals', (word, kind) => {
  expect([...classesOf(word)]).toContain(kind)
  expect(classesOf(word.toUpperCase())).toEqual(classesOf(word))
})

test.each(['', '4711', '漢字', 'butterfly', 'quiet', 'safety-4711'.slice(7)])(
  'classesOf(%j) has none',
  (word) => {
    expect([...classesOf(word)]).toEqual([])
  },
)

test('firstWord() finds what a search from the start finds', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), fc.nat(20), (numbers, least) => {
      const list = numbers.toSorted((a, b) => a - b)
      const at = list.findIndex((number) => number >= least)
      expect(firstWord(list, (number) => number >= least)).toBe(at < 0 ? list.length : at)
    }),
  )
})

test('maskSecrets() changes nothing but what it masks, and nothing the second time', () => {
  const unit = fc.constantFrom(
    ...[
      'my ',
      'the ',
      'password ',
      'is ',
      'PIN ',
      'code ',
      'safe ',
      'door ',
      'opens ',
      'with ',
      '4711 ',
      'hunter2 ',
    ],
    ...[
      '24-61-08 ',
      'Passwort ',
      'lautet ',
      '密码',
      '是',
      'パスワード',
      'は',
      '. ',
      '\n',
      ': ',
      '"blue horse" ',
      '4111111111111111 ',
    ],
  )
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 14 }), (text) => {
      const { text: masked, keys } = maskSecrets(text)
      expect(maskSecrets(masked)).toEqual({ text: masked, keys: [] })
      expect(keys.length > 0).toBe(masked !== text)
      const parts = masked.split('***')
      let from = 0
      for (const part of parts) {
        const at = text.indexOf(part, from)
        expect(at).toBeGreaterThanOrEqual(from)
        from = at + part.length
      }
      expect([text.startsWith(parts[0] ?? ''), text.endsWith(parts.at(-1) ?? '')]).toEqual([true, true])
    }),
    { numRuns: 300 },
  )
})
