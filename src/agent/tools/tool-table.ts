/** The tools that an agent has. A new tool is one file and one row here. */
import { nearest } from '../../files/values/suggest.ts'
import { fetchUrl, shell } from './commands-and-web.ts'
import { readFile } from './read-file.ts'
import { find, grep } from './search-files.ts'
import {
  askHuman,
  finishTask,
  recall,
  remember,
  reportProgress,
  spawnSubagent,
  useSkill,
} from './session-tools.ts'
import type { Tool } from './tool.ts'
import { updateFile, writeFile } from './write-files.ts'

export const TOOLS: readonly Tool[] = [
  readFile,
  writeFile,
  updateFile,
  grep,
  find,
  shell,
  remember,
  recall,
  reportProgress,
  askHuman,
  spawnSubagent,
  fetchUrl,
  useSkill,
  finishTask,
]

/** The tool of a name; else one sentence with what is meant or what there is. */
export function toolNamed(name: string, tools: readonly Tool[] = TOOLS): Tool | { readonly wrong: string } {
  const found = tools.find((tool) => tool.name === name)
  if (found !== undefined) return found
  const names = tools.map((tool) => tool.name)
  const near = nearest(name, names)
  const hint = near === null ? '' : ` (did you mean "${near}"?)`
  const shown = name.length > 60 ? `${name.slice(0, 60)}…` : name
  return { wrong: `Unknown tool "${shown}"${hint}; the tools are ${names.join(', ')}` }
}
