/**
 * The built engine with its Neo as a process of its own, that kills itself when so many things are on the disk: lines of
 * the journal, transcripts and mailboxes, records and files. Runs over the home given until nothing is left to do.
 */
import { composeWorld } from '../../dist/compose.js'
import { runDaemon } from '../../dist/flow/daemon.js'
import { openMind } from '../../dist/mind.js'

const [, , home = '', dieAfter = '0'] = process.argv
const world = await composeWorld(home)
let written = 0

function counted(write) {
  return (...args) => {
    const result = write(...args)
    written += 1
    if (written === Number(dieAfter)) process.kill(process.pid, 'SIGKILL')
    return result
  }
}

const { append, save, writeJson } = world.files
const files = {
  ...world.files,
  append: counted((...args) => append.apply(world.files, args)),
  save: counted((...args) => save.apply(world.files, args)),
  writeJson: counted((...args) => writeJson.apply(world.files, args)),
}
const { exitCode } = await runDaemon({
  home,
  world: { ...world, files },
  mode: 'run',
  mind: openMind,
  print: ({ kind, text }) => process.stdout.write(`${kind} ${text}\n`),
  signal: new AbortController().signal,
  version: 'test',
  timeoutMs: 60_000,
})
process.exit(exitCode)
