/** Files below `workspace/agents/`: this version does not use them. */
import { readDocument } from '../header/document.ts'
import type { Read } from '../header/read-header.ts'

/** Reads the file and warns that it has no effect. */
export function readAgent(file: string, bytes: Buffer | string): Read<{ readonly body: string }> {
  const read = readDocument(file, bytes)
  if (read.kind !== 'ok') return read
  const warning = {
    file,
    line: null,
    column: null,
    severity: 'warning',
    code: 'unused',
    message: 'files in workspace/agents/ have no effect in this version',
    hint: 'Remove it, or keep it for a later version',
  } as const
  return { kind: 'ok', value: { body: read.value.body }, warnings: [warning] }
}
