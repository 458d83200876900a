/**
 * The built engine as a process of its own, for the tests that end it with SIGKILL: runs over the home given until
 * nothing is left to do. With a number, it kills itself when so many lines of the journal are on the disk.
 */
import { composeWorld } from '../../src/compose.ts'
import { runDaemon } from '../../src/engine/daemon.ts'

const [, , home = '', dieAfter = '0'] = process.argv
const world = await composeWorld(home)
let lines = 0
process.stdout.write('begins\n')

function append(path, line) {
  world.files.append(path, line)
  if (!path.endsWith('journal.jsonl')) return
  lines += 1
  if (lines === Number(dieAfter)) process.kill(process.pid, 'SIGKILL')
}

const { exitCode } = await runDaemon({
  home,
  world: { ...world, files: { ...world.files, append } },
  mode: 'run',
  print: ({ kind, text }) => process.stdout.write(`${kind} ${text}\n`),
  signal: new AbortController().signal,
  version: 'test',
})
process.exit(exitCode)
