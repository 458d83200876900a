/**
 * Loads the parts of the bundle. `scripts/bundle.mjs` copies this file to `dist/parts/`.
 * V8 compiles 1.5 MB of text in the time that two bare `node` starts take; so each part has beside it what V8 made of it
 * when the bundle was built (`PART.BUILD.code`). V8 itself rejects code of another version, and compiles the text then.
 */
const { readFileSync, writeFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { dirname, join } = require('node:path')
const { Script } = require('node:vm')

const parts = new Map()

/** The exports of a part, which runs when it is asked for first. `file` is absolute. */
function load(file) {
  const known = parts.get(file)
  if (known !== undefined) return known.module.exports
  const part = { ...compile(file), module: { exports: {} } }
  parts.set(file, part)
  const run = part.script.runInThisContext()
  run(part.module.exports, requireOf(file), importModule, file, dirname(file))
  return part.module.exports
}

function compile(file) {
  const text = readFileSync(file, 'latin1').replace(/^#!/, '//')
  const code = `${file}.${/^\/\/ build (\w+)$/m.exec(text)?.[1]}.code`
  const script = new Script(`(function (exports, require, importModule, __filename, __dirname) {${text}\n})`, {
    filename: file,
    cachedData: bytesOf(code),
  })
  return { script, code }
}

function bytesOf(file) {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

/** `import()` of a library: a script of `vm` has none. */
function importModule(name) {
  return import(name)
}

function requireOf(file) {
  let others
  return (id) => {
    if (id.startsWith('./')) return load(join(dirname(file), id))
    others ??= createRequire(file)
    return others(id)
  }
}

/** Keeps the code of all parts that have run, with the functions that were called. For the build alone. */
function keepCode() {
  for (const { script, code } of parts.values()) writeFileSync(code, script.createCachedData())
}

module.exports = { load, keepCode }
