// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${NAME}` is the syntax of the configuration.
/** What the environment and `.env` files say. */
import { expect, test } from 'vitest'
import { parseEnvFile } from '../../../src/files/config/config-env.ts'
import { readConfig } from '../../../src/files/config/read-config.ts'
import { sources } from '../../house/source.ts'

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

function warningsFor(env: Record<string, string>, text = ''): readonly string[] {
  const read = readConfig('neo.yaml', text, env)
  if (read.kind !== 'ok') throw new Error(JSON.stringify(read))
  return read.warnings.map(({ message, hint }) => `${message}: ${hint}`)
}

test.each([
  ['NEO_DEAMON__CONCURRENCY', 'NEO_DAEMON__CONCURRENCY'],
  ['NEO_HTPP__PORT', 'NEO_HTTP__PORT'],
  ['NEO_HTTP_PORT', 'NEO_HTTP__PORT'],
  ['NEO_HTTP__PROT', 'NEO_HTTP__PORT'],
  ['NEO_MODLE', 'NEO_MODEL'],
  ['NEO_HOEM', 'NEO_HOME'],
  ['NEO_PASSPHRAZE', 'NEO_PASSPHRASE'],
  ['NEO_PROVIDERS__MINE__BASE_ULR', 'NEO_PROVIDERS__MINE__BASE_URL'],
])('a misspelled %s is a warning that names %s', (name, meant) => {
  expect(warningsFor({ [name]: '1' })).toEqual([`the variable ${name} sets nothing: Did you mean ${meant}?`])
})

test('a variable in the form of a setting that is like none is a warning, and changes nothing', () => {
  const said = [expect.stringMatching(/^the variable NEO_MODEL__NAME sets nothing: /)]
  expect(warningsFor({ NEO_MODEL__NAME: 'x' }, 'model: none')).toEqual(said)
})

test.each([
  ...[
    'NEO_MODE',
    'NEO_MODEM',
    'NEO_NOTE',
    'NEO_HOMES',
    'NEO_TRUSTED',
    'NEO_LOGS',
    'NEO_BLOG',
    'NEO_GAME__LEVEL',
  ],
  ...['NEO_SOAK', 'NEO_FP64_EMULATION', 'NEO_TASKS', 'NEO4J_AUTH', 'NEO', 'NEO_'],
])('%s of another program is ignored', (name) => {
  expect(warningsFor({ [name]: '1' })).toEqual([])
})

test('a variable that the file inserts is known', () => {
  expect(warningsFor({ NEO_HTTP_PORT: '80' }, 'http: { port: "${NEO_HTTP_PORT}" }')).toEqual([])
})

test('a guard whose variable is not set is a warning', () => {
  expect(warningsFor({}, 'daemon: { branch: "${BRANCH}" }\nhttp: { token: "${TOKEN}" }')).toEqual([
    'daemon.branch: no value (from BRANCH): Set a value, or remove the key',
  ])
})

test('no variable that the program reads is a misspelled one', () => {
  const text = sources('src')
    .map((file) => file.text)
    .join('\n')
  const names = [...text.matchAll(/(?:env\['|^ +|')(NEO_[A-Z]+(?:_[A-Z]+)*)(?:'\]|: |')/gm)].map(
    ([, name = '']) => name,
  )
  expect(names).toEqual(expect.arrayContaining(['NEO_TRUST', 'NEO_GIT', 'NEO_SIDE']))
  for (const name of new Set(names)) {
    const read = readConfig('neo.yaml', '', { [name]: '1' })
    const said = read.kind === 'ok' ? read.warnings : read.kind === 'bad' ? read.problems : []
    expect(said.filter(({ code, message }) => code === 'variable' || message.includes('NEO_GIT'))).toEqual([])
  }
})
