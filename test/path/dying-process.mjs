/**
 * The built engine with its Neo as a process of its own, that kills itself when so many things are on the disk: lines of
 * the journal, transcripts and mailboxes, records and files. Runs over the home given until nothing is left to do.
 */
import { composeWorld } from '../../src/compose.ts'
import { runDaemon } from '../../src/engine/daemon.ts'
import { openMind } from '../../src/compose-orchestrator.ts'
import { dyingWrites } from './dying-writes.mjs'

const [, , home = '', dieAfter = '0'] = process.argv
const world = await composeWorld(home)
const WRITES = ['append', 'save', 'writeJson']
const { files } = dyingWrites(world.files, WRITES, Number(dieAfter))
const { exitCode } = await runDaemon({
  home,
  world: { ...world, files },
  mode: 'run',
  openOrchestrator: openMind,
  print: ({ kind, text }) => process.stdout.write(`${kind} ${text}\n`),
  signal: new AbortController().signal,
  version: 'test',
})
process.exit(exitCode)
