/**
 * The built hub as a process of its own that distils a room, or a conversation of its own, and kills itself when so
 * many things are on the disk: lines of the journal, marks, files of memory. Prints what came of it, and how many things it has written.
 */
import { withCommandLock } from '../../src/client/command-lock.ts'
import { composeWorld } from '../../src/compose.ts'
import { openHome } from '../../src/engine/open-engine.ts'
import { TABLE } from '../../src/hub/method-table.ts'
import { openHub } from '../../src/hub/open-hub.ts'
import { dyingWrites } from '../path/dying-writes.mjs'

const [, , home = '', dieAfter = '0', scopeId = ''] = process.argv
const [method, params] =
  scopeId === '' ? ['memory.distill', { roomId: 'shop' }] : ['scope.distill', { scopeId }]
const world = await composeWorld(home)
const WRITES = ['append', 'save', 'saveLater', 'savePrivate', 'writeJson']
const { files, written } = dyingWrites(world.files, WRITES, Number(dieAfter))
const context = await openHome({ home, world: { ...world, files }, settleMs: 0 })
const act = (own) => openHub({ context: own, table: TABLE }).call({ kind: 'human' }, method, params)
const report = await withCommandLock(context, method, act)
process.stdout.write(JSON.stringify({ report, written: written() }))
await world.git.close()
process.exit(0)
