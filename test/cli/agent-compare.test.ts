/** neo agent add with only an endpoint: a person at a terminal compares the key that is found there. */
import { resolve } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { fingerprintOf } from '../../src/cli/agent/agent-block.ts'
import type { Surroundings } from '../../src/cli/spec.ts'
import { watching } from './daemon.ts'
import { dataOf, type Home, makeHome, until } from './program.ts'

const PROGRAM = pathToFileURL(resolve('dist/cli/program.js')).href
type RunProgram = (argv: readonly string[], around: Surroundings) => Promise<number>

/** Runs a command on a terminal on which somebody types one line. */
async function atTerminal({ dir }: Home, args: readonly string[], typed: string) {
  const { runProgram } = (await import(PROGRAM)) as { readonly runProgram: RunProgram }
  let shown = ''
  const screen = Object.assign(
    new Writable({
      write: (chunk, _encoding, done) => {
        shown += String(chunk)
        done()
      },
    }),
    { isTTY: true, columns: 120 },
  ) as unknown as NodeJS.WriteStream
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  stdin.write(`${typed}\r`)
  const around = {
    version: '0',
    env: { NO_COLOR: '1', NEO_TRUST: '1' },
    cwd: dir,
    stdout: screen,
    stderr: screen,
  }
  const code = await new Promise((end, fail) => {
    const more = { stdin: stdin as unknown as NodeJS.ReadStream, onSignal: () => () => {}, exit: end }
    runProgram([...args, '--home', dir], { ...around, ...more }).then(end, fail)
  })
  return { code, shown }
}

/** A home that is reached, with what it says of itself. */
async function reached() {
  const home = makeHome({ 'neo.yaml': 'agent: { id: eng-sato, port: 0 }\ndaemon: { settle: 100ms }\n' })
  await watching(home)
  const self = async () => {
    const status = dataOf(await home.neo('agent', 'status', '--json'))
    return (status as { self: { listening: string | null; publicKey: string | null } }).self
  }
  await until(async () => (await self()).listening !== null)
  const { listening, publicKey } = await self()
  return { endpoint: listening ?? '', publicKey: publicKey ?? '' }
}

test('the found key is saved if the person agrees, and only then', async () => {
  const { endpoint, publicKey } = await reached()
  const ana = makeHome({ 'neo.yaml': 'agent: { id: pm-ana }\n' })
  const words = ['agent', 'add', 'eng-sato', '--endpoint', endpoint]
  const no = await atTerminal(ana, words, 'n')
  expect([no.code, no.shown]).toEqual([1, expect.stringContaining(fingerprintOf(publicKey))])
  expect(ana.git('status', '--porcelain')).toBe('')
  expect((await atTerminal(ana, words, 'y')).code).toBe(0)
  const file = ana.text('workspace/agents/eng-sato.md')
  expect(file).toContain(`public_key: ${publicKey}`)
  expect(file).toContain(`endpoint: ${endpoint}`)
})

test('an agent is not saved under a name that it does not have', async () => {
  const { endpoint } = await reached()
  const ana = makeHome({ 'neo.yaml': 'agent: { id: pm-ana }\n' })
  const { code, shown } = await atTerminal(ana, ['agent', 'add', 'qa-kim', '--endpoint', endpoint], 'y')
  expect([code, shown]).toEqual([5, expect.stringContaining('is called eng-sato')])
  expect(ana.git('status', '--porcelain')).toBe('')
})
