/**
 * Floor of a daemon at rest: an index of every task file in memory, and fs.watch on each folder. It does nothing more.
 *
 *   node daemon.mjs HOME     prints `ready`, then stays until it is killed
 */
import { readdirSync, readFileSync, watch } from 'node:fs'

const home = process.argv[2]
const index = new Map()
for (const room of readdirSync(`${home}/rooms`)) {
  const folder = `${home}/rooms/${room}/tasks`
  for (const name of readdirSync(folder))
    index.set(`${room}/${name}`, parse(readFileSync(`${folder}/${name}`, 'utf8')))
  watch(folder, (_, name) => index.delete(`${room}/${name}`))
}
watch(`${home}/rooms`, () => {})
console.log('ready')

function parse(text) {
  const task = {}
  const end = text.indexOf('\n---', 4)
  for (const line of text.slice(4, end).split('\n')) {
    const colon = line.indexOf(': ')
    if (colon > 0) task[line.slice(0, colon).trim()] = line.slice(colon + 2)
  }
  return { ...task, body: text.slice(end + 5) }
}
