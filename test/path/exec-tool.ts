/**
 * Homes with a command-line agent: a script of node in a folder of its own, configured as the worker `tool`.
 * Imported by the tests of `worker: exec:<name>`.
 */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Home, makeHome } from './home.ts'

const ROOM = '---\nname: Shop\nworker: exec:tool\nreview: none\n---\nWrite in short sentences.\n'
/** A home whose worker `tool` is this script of node; `more` are further lines of its configuration. */
export function withTool(script: string, more: readonly string[] = []): Home & { readonly tool: string } {
  const tool = mkdtempSync(join(tmpdir(), 'neo-tool-'))
  onTestFinished(() => rmSync(tool, { recursive: true, force: true, maxRetries: 5 }))
  const imports = "import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'\n"
  writeFileSync(join(tool, 'tool.mjs'), `${imports}${script}\n`)
  const home = makeHome({ 'neo.yaml': configOf(tool, more), 'rooms/shop/ROOM.md': ROOM })
  return { ...home, tool }
}

function configOf(tool: string, more: readonly string[]): string {
  const own = [`command: [node, ${join(tool, 'tool.mjs')}]`, `read: [${tool}]`, ...more]
  const lines = own.map((line) => `    ${line}\n`).join('')
  return `model: rules\nworkers:\n  tool:\n${lines}daemon: { settle: 0s, rescan: 1s }\n`
}

/** A line of such a script: it goes on when `open` says so. */
export const WAITS =
  "while (!existsSync(new URL('go', import.meta.url))) await new Promise((resolve) => setTimeout(resolve, 20))"

export function open({ tool }: { readonly tool: string }): void {
  writeFileSync(join(tool, 'go'), '')
}

export function says(...events: readonly object[]): string {
  return events.map((event) => `console.log(${JSON.stringify(JSON.stringify(event))})`).join('\n')
}

export function ledger(home: Home): readonly Readonly<Record<string, unknown>>[] {
  // A file a month, and a month may end meanwhile.
  return readdirSync(join(home.dir, '.git/neo/usage'))
    .flatMap((name) => home.read(join('.git/neo/usage', name)).split('\n'))
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

export function sessionFile(home: Home, task: string): string {
  return home.read(`rooms/shop/sessions/${home.neo(task, 'session') ?? ''}.md`)
}
