/** A worktree in a real folder, and a context for tools over it; what a test does not give refuses to be called. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import { openSearch } from '../../../src/adapters/search/ripgrep.ts'
import { openWorktreeFiles } from '../../../src/adapters/worktree-files/worktree-files.ts'
import type { Services, ToolContext, ToolResult } from '../../../src/agent/tools/tool.ts'
import { readArguments } from '../../../src/agent/tools/tool.ts'
import { toolNamed } from '../../../src/agent/tools/tool-table.ts'
import type { JsonObject } from '../../../src/domain/agent/model-message.ts'

/** A real folder; removed after the test. */
export function folder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'neo-tools-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** A folder with a worktree `ws` in it and what is given around it; gives the worktree's path. */
export function worktree(files: Readonly<Record<string, string>> = {}, around: string = folder()): string {
  const root = join(around, 'ws')
  mkdirSync(root)
  for (const [path, text] of Object.entries(files)) put(join(root, path), text)
  return root
}

export function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

export function text(...path: readonly string[]): string {
  return readFileSync(join(...path), 'utf8')
}

const search = openSearch()

const nobody = async (): Promise<never> => {
  throw new Error('nobody was to be called')
}

export const SERVICES: Services = {
  remember: nobody,
  recall: nobody,
  report: nobody,
  ask: nobody,
  approve: nobody,
  spawn: nobody,
  skill: nobody,
}

export function context(root: string, more: Partial<ToolContext> = {}): ToolContext {
  return {
    root,
    cwd: root,
    call: 'call-1',
    permissions: { shell: 'allow', network: 'allow', write: [] },
    tree: openWorktreeFiles(),
    files: openFiles(),
    search,
    web: { fetch: nobody },
    services: SERVICES,
    run: nobody,
    signal: new AbortController().signal,
    ...more,
  }
}

/** Calls a tool as a model does. */
export async function call(name: string, input: JsonObject, to: ToolContext): Promise<ToolResult> {
  const tool = toolNamed(name)
  if ('wrong' in tool) throw new Error(tool.wrong)
  const read = readArguments(tool, input)
  if ('wrong' in read) return { text: read.wrong, isError: true }
  return await tool.run(read.args, to)
}
