/**
 * The built hub as a process of its own that distils a room, or a conversation of its own, and kills itself when so many things are on the disk: lines
 * of the journal, marks, files of memory. Prints what came of it, and how many things it has written.
 */
import { alone } from '../../dist/cli/rpc/alone.js'
import { composeWorld } from '../../dist/compose.js'
import { openHome } from '../../dist/flow/open.js'
import { openHub } from '../../dist/hub/open-hub.js'

const [, , home = '', dieAfter = '0', scopeId = ''] = process.argv
const [method, params] =
  scopeId === '' ? ['memory.distill', { roomId: 'shop' }] : ['scope.distill', { scopeId }]
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

const { append, save, saveLater, savePrivate, writeJson } = world.files
const files = {
  ...world.files,
  append: counted((...args) => append.apply(world.files, args)),
  save: counted((...args) => save.apply(world.files, args)),
  saveLater: counted((...args) => saveLater.apply(world.files, args)),
  savePrivate: counted((...args) => savePrivate.apply(world.files, args)),
  writeJson: counted((...args) => writeJson.apply(world.files, args)),
}
const context = await openHome({ home, world: { ...world, files }, settleMs: 0 })
const report = await alone(context, method, (own) =>
  openHub({ context: own }).call({ kind: 'human' }, method, params),
)
process.stdout.write(JSON.stringify({ report, written }))
await world.git.close()
process.exit(0)
