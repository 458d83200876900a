/**
 * Homes with a command-line agent: a script of node in a folder of its own, configured as the worker `tool`.
 * Imported by the tests of `worker: exec:<name>`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Home, makeHome } from './home.ts'

const ROOM = '---\nname: Shop\nworker: exec:tool\nreview: none\n---\nWrite in short sentences.\n'
/** A home whose worker `tool` is this script of node; `more` are further lines of its configuration. */
export function withTool(script: string, more: readonly string[] = []): Home & { readonly tool: string } {
  const tool = mkdtempSync(join(tmpdir(), 'neo-tool-'))
  onTestFinished(() => rmSync(tool, { recursive: true, force: true, maxRetries: 5 }))
  const imports = "import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'\n"
  writeFileSync(join(tool, 'tool.mjs'), `${imports}${script}\n`)
  const home = makeHome({ 'neo.yaml': configOf(tool, more), 'rooms/shop/ROOM.md': ROOM })
  return { ...home, tool }
}

function configOf(tool: string, more: readonly string[]): string {
  const own = [`command: [node, ${join(tool, 'tool.mjs')}]`, `read: [${tool}]`, ...more]
  const lines = own.map((line) => `    ${line}\n`).join('')
  return `model: rules\nworkers:\n  tool:\n${lines}daemon: { settle: 0s, rescan: 1s }\n`
}

export function says(...events: readonly object[]): string {
  return events.map((event) => `console.log(${JSON.stringify(JSON.stringify(event))})`).join('\n')
}

export function ledger(home: Home): readonly Readonly<Record<string, unknown>>[] {
  const month = `${new Date().toISOString().slice(0, 7)}.jsonl`
  const text = home.read(join('.git/neo/usage', month))
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

export function sessionFile(home: Home, task: string): string {
  return home.read(`rooms/shop/sessions/${home.neo(task, 'session') ?? ''}.md`)
}
