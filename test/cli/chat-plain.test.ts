/** neo chat outside a home, through a pipe: a plain assistant, tools for one folder alone, and nothing written. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { UNCONFINED } from '../path/confined.ts'
import { type Answer, type Asked, type ModelServer, startModel } from '../path/model.ts'
import { makeHome, neo, temporary } from './program.ts'

const environment = ({ url }: ModelServer) => ({
  NEO_MODEL: 'fake/claude-sonnet-5-5',
  NEO_PROVIDERS__FAKE__API: 'anthropic',
  NEO_PROVIDERS__FAKE__API_KEY: 'test-key',
  NEO_PROVIDERS__FAKE__BASE_URL: url,
})

async function chat(script: (asked: Asked) => Answer, input: string, ...words: string[]) {
  const model = await startModel(script)
  const cwd = temporary()
  const ended = await neo(['chat', ...words], { cwd, input, env: environment(model) })
  return { ...ended, cwd, model }
}

test('outside a home it answers each line, remembers the talk, has no tools and writes nothing', async () => {
  const { code, out, err, cwd, model } = await chat(
    ({ text, turn }) => `${turn}: ${text.includes('My name is Ana') ? 'Ana' : 'nobody'}`,
    'My name is Ana\nWho am I?\n/new\nWho am I?\n',
  )
  expect({ code, out }).toEqual({ code: 0, out: '0: Ana\n1: Ana\n0: nobody\n' })
  expect(err).toBe('New conversation. The old one is forgotten.\n')
  expect(model.asked.flatMap(({ tools }) => tools)).toEqual([])
  expect(readdirSync(cwd)).toEqual([])
})

test('--save keeps the conversation in one new file, without what looks like a secret', async () => {
  const { out, cwd } = await chat(
    () => 'Noted.',
    'sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\nAnd?\n',
    '--save',
  )
  const [name = '', ...more] = readdirSync(cwd)
  const text = readFileSync(join(cwd, name), 'utf8')
  expect([out, more, name]).toEqual([
    'Noted.\nNoted.\n',
    [],
    expect.stringMatching(/^neo-chat-\d{8}T\d{6}Z\.md$/),
  ])
  expect(text).toMatch(/^## You\n\n.*\n\n## Neo\n\nNoted\.\n\n## You\n\nAnd\?\n\n## Neo\n\nNoted\.\n\n$/)
  expect(text).not.toContain('AAAAAAAA')
})

test('--workspace gives tools for that folder and refuses every way out of it', async () => {
  const cwd = temporary()
  mkdirSync(join(cwd, 'work'))
  writeFileSync(join(cwd, 'work', 'a.txt'), 'one\nTODO two\n')
  writeFileSync(join(cwd, 'secret.txt'), 'marker-outside')
  symlinkSync('../secret.txt', join(cwd, 'work', 'link.txt'))
  const paths = ['../secret.txt', 'link.txt', join(cwd, 'secret.txt')]
  const model = await startModel(({ turn, last }) => {
    if (turn === 0) return { calls: [{ name: 'grep', input: { pattern: 'TODO' } }] }
    if (turn === 1)
      return {
        calls: [
          ...paths.map((path) => ({ name: 'read_file', input: { path } })),
          { name: 'write_file', input: { path: 'b.txt', content: 'made\n' } },
          { name: 'write_file', input: { path: '../c.txt', content: 'escaped\n' } },
        ],
      }
    return last.includes('marker-outside') ? 'escaped' : 'confined'
  })
  const { code, out } = await neo(['chat', '--workspace', 'work'], {
    cwd,
    input: 'Look around\n!grep -n TODO\n!read_file ../secret.txt\n',
    env: environment(model),
  })
  expect([code, out]).toEqual([1, 'confined\na.txt:2:TODO two\n'])
  expect(model.asked[1]?.last).toContain('a.txt')
  expect(readdirSync(cwd).sort()).toEqual(['secret.txt', 'work'])
  expect(readFileSync(join(cwd, 'work', 'b.txt'), 'utf8')).toBe('made\n')
})

test.skipIf(UNCONFINED !== null)('commands run confined to the folder, typed or called', async () => {
  const cwd = temporary()
  mkdirSync(join(cwd, 'work'))
  writeFileSync(join(cwd, 'secret.txt'), 'marker-outside')
  const command = 'echo in > in.txt; cat ../secret.txt; echo out > ../out.txt; env | grep -c KEY'
  const model = await startModel(({ turn, last }) =>
    turn === 0
      ? { calls: [{ name: 'shell', input: { command } }] }
      : last.includes('marker-outside')
        ? 'escaped'
        : 'confined',
  )
  const { out } = await neo(['chat', '--workspace', 'work'], {
    cwd,
    input: 'Run it\n!shell ls; pwd\n',
    env: environment(model),
  })
  expect(out).toMatch(/^confined\nin\.txt\n\/.*work\n$/)
  expect(readdirSync(cwd).sort()).toEqual(['secret.txt', 'work'])
})

test.each([
  ['without a model', [], {}, 2, /Cannot chat: no model is configured/],
  ['with a room', ['shop'], {}, 4, /No Neo home found/],
  ['with a home that is not there', ['--home', 'nowhere'], {}, 4, /No Neo home found in/],
  [
    'with a folder that is not there',
    ['--workspace', 'nowhere'],
    { ANTHROPIC_API_KEY: 'x' },
    4,
    /Folder "nowhere" not found/,
  ],
])('outside a home, %s, it ends with a reason', async (_, words, env, code, says) => {
  const ended = await neo(['chat', ...words], { cwd: temporary(), input: 'Hello\n', env })
  expect([ended.code, ended.out]).toEqual([code, ''])
  expect(ended.err).toMatch(says)
})

test('in a home, options of a plain assistant are refused', async () => {
  const { code, err } = await makeHome().neo('chat', '--save')
  expect(code).toBe(2)
  expect(err).toMatch(/--save is only for a plain assistant/)
})
