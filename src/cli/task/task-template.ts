/**
 * A task from a template, `templates/tasks/<name>.md`.
 */
import { join } from 'node:path'
import { NeoError } from '../../domain/home/error.ts'
import { editDocument, type Json } from '../../files/edit/edit-header.ts'
import { readDocument } from '../../files/header/document.ts'
import { fillTemplate } from '../../files/kinds/read-template.ts'
import { titleOf } from '../../files/kinds/read-task.ts'
import { MAX_BYTES } from '../edit-file.ts'
import { usage } from '../cli-failure.ts'
import type { Desk } from './task-access.ts'

export interface FromTemplate {
  readonly name: string
  readonly params: readonly string[]
  readonly set: Readonly<Record<string, Json>>
  readonly neo: Readonly<Record<string, Json>>
}

export function fromTemplate(
  desk: Desk,
  { name, params, set, neo }: FromTemplate,
): { title: string; text: string } {
  const file = `templates/tasks/${name}.md`
  const filled = fillTemplate(sourceOf(desk, file, name), valuesOf(params))
  if (filled.kind === 'bad') {
    const [first] = filled.problems
    throw usage(
      `Cannot fill in the template "${name}": ${first?.message ?? 'it is unfinished'}`,
      `say --param NAME=VALUE; ${file} names them`,
    )
  }
  const text = editDocument(filled.text, { set, neo })
  const read = readDocument(file, text)
  if (read.kind !== 'ok')
    throw usage(`Cannot fill in the template "${name}": what comes out is no task`, `look at ${file}`)
  const title = read.value.data['title']
  return { title: titleOf(typeof title === 'string' ? title : undefined, read.value.body, file), text }
}

function sourceOf({ home, files }: Desk, file: string, name: string): string {
  const read = /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(name)
    ? files.read(join(home, file), MAX_BYTES)
    : { kind: 'missing' as const }
  if (read.kind === 'file') return read.bytes.toString('utf8')
  const names = files.names(join(home, 'templates/tasks')).filter((one) => one.endsWith('.md'))
  throw new NeoError(
    'missing',
    `Cannot find the template "${name}": ${read.kind === 'refused' ? `it ${read.why}` : `there is no ${file}`}`,
    {
      why:
        names.length === 0
          ? 'this home has no templates of tasks'
          : `there are: ${names.map((one) => one.slice(0, -3)).join(', ')}`,
      next: 'neo task new --help',
    },
  )
}

/** Values by their names. Throws NeoError `usage` for what is no `name=value`. */
export function valuesOf(params: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    params.map((param) => {
      const at = param.indexOf('=')
      if (at < 1) throw usage(`Cannot take the parameter "${param}": want NAME=VALUE`, '--param folder=docs')
      return [param.slice(0, at), param.slice(at + 1)]
    }),
  )
}
