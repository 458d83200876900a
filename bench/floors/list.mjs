/**
 * Floor of `neo task list`: reads every task file of a home and prints one line each, with nothing but node.
 *
 *   node list.mjs HOME          reads and parses all, by hand
 *   node list.mjs HOME CACHE    stats all and takes what has not changed from CACHE (written where it is missing)
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'

const [home, cacheFile] = process.argv.slice(2)
const cache = cacheFile ? readCache(cacheFile) : null
const seen = {}
const lines = []
for (const room of readdirSync(`${home}/rooms`)) {
  const folder = `${home}/rooms/${room}/tasks`
  for (const name of readdirSync(folder)) {
    const task = cache ? cached(`${folder}/${name}`) : parse(readFileSync(`${folder}/${name}`, 'utf8'))
    lines.push(`${room}/${name.slice(0, -3)}  ${task.status}  ${task.title}`)
  }
}
process.stdout.write(`${lines.join('\n')}\n`)
if (cache && Object.keys(cache).length === 0) writeFileSync(cacheFile, JSON.stringify(seen))

function cached(path) {
  const { mtimeMs, size, ino } = statSync(path)
  const known = cache[path]
  if (known && known.mtimeMs === mtimeMs && known.size === size && known.ino === ino) return known
  seen[path] = { mtimeMs, size, ino, ...parse(readFileSync(path, 'utf8')) }
  return seen[path]
}

function readCache(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}

/** The plain scalars of a header, by hand. */
function parse(text) {
  const task = { title: '', status: 'pending' }
  const end = text.indexOf('\n---', 4)
  for (const line of text.slice(4, end).split('\n')) {
    const colon = line.indexOf(': ')
    if (colon > 0) task[line.slice(0, colon).trim()] = line.slice(colon + 2)
  }
  return { title: task.title, status: task.status, priority: task.priority, labels: task.labels, id: task.id }
}
