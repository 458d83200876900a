// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${NAME}` is the syntax of the configuration.
/** What the environment and `.env` files say. */
import { expect, test } from 'vitest'
import { parseEnvFile } from '../../../src/files/config/config-env.ts'

test('parseEnvFile() gives the pairs of a file', () => {
  const text =
    '# note\nA=1\nexport B = "two words" # c\r\nC=\'$x\'\nD=a#b # c\nE=\nF="a\\nb\\"c"\nnot a line\n1X=2\n__proto__=x\n'
  const pairs = parseEnvFile(text)
  expect({ ...pairs }).toStrictEqual(
    Object.fromEntries([
      ['A', '1'],
      ['B', 'two words'],
      ['C', '$x'],
      ['D', 'a#b'],
      ['E', ''],
      ['F', 'a\nb"c'],
      ['__proto__', 'x'],
    ]),
  )
})

test.each([
  ['A=1', '1'],
  ['A = 1', '1'],
  ['export A=1', '1'],
  ['  A=  1  ', '1'],
  ['A=a b', 'a b'],
  ['A=a#b', 'a#b'],
  ['A=a #b', 'a'],
  ['A=#b', ''],
  ['A="a #b"', 'a #b'],
  ['A="a" #b', 'a'],
  ['A="a" b', '"a" b'],
  ['A="a\\tb\\\\n"', 'a\tb\\n'],
  ['A="it\'s"', "it's"],
  ["A='a\\n'", 'a\\n'],
  ["A='a'b'", "'a'b'"],
  ['A="open', '"open'],
  ['A==', '='],
  ['A=${B}', '${B}'],
  ['A=1\nA=2', '2'],
])('parseEnvFile() reads the value of %j as %j', (text, value) => {
  expect(parseEnvFile(text)).toEqual({ A: value })
})

test.each(['', '#A=1', 'A', '=1', '1A=1', 'A-B=1', 'A B=1', 'export', ': x'])(
  'parseEnvFile() skips %j',
  (line) => {
    expect(parseEnvFile(`${line}\nB=2\n`)).toEqual({ B: '2' })
  },
)
