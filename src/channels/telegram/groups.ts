/**
 * Groups that a SCOPE.md names by their id; read for each message, because files may have changed. Invariant 1: Neo ignores
 * a group that no file names. Invariant 2: an invalid file configures nothing, and the group that it names is ignored,
 * whatever another file says.
 */
import { join } from 'node:path'
import { type Group, scopeName } from '../../domain/policy/known-people.ts'
import { readScope } from '../../files/kinds/read-scope.ts'
import type { Files } from '../../ports/files-port.ts'

export interface Named extends Group {
  /** Name of its scope. */
  readonly scope: string
}

const MOST_BYTES = 64 * 1024

export interface GroupsOptions {
  readonly files: Pick<Files, 'names' | 'read'>
  /** Folders that hold scopes, each with its SCOPE.md. */
  readonly folders: readonly string[]
  /** The id that a chat has now. */
  readonly now: (chatId: string) => string
}

/** Every group with a file: its chat, as it is called now, and its rules. */
export function configured({
  files,
  folders,
  now,
}: GroupsOptions): readonly (Named & { readonly chatId: string })[] {
  const all = filesIn({ files, folders })
  const unclear = all.filter(({ found }) => found.kind !== 'ok').map(({ bytes }) => bytes.toString('utf8'))
  return all.flatMap(({ scope, found }) => {
    if (found.kind !== 'ok') return []
    const { type, roles, members, channel = '' } = found.value
    const chatId = /^telegram:(-?\d+)$/.exec(channel)?.[1]
    return chatId === undefined || unclear.some((text) => names(text, chatId))
      ? []
      : [{ scope: scopeName(scope), type, roles, members, chatId: now(chatId) }]
  })
}

function filesIn({ files, folders }: Pick<GroupsOptions, 'files' | 'folders'>) {
  return folders.flatMap((folder) =>
    files.names(folder).flatMap((scope) => {
      const path = join(folder, scope, 'SCOPE.md')
      const read = files.read(path, MOST_BYTES)
      return read.kind === 'file' ? [{ scope, bytes: read.bytes, found: readScope(path, read.bytes) }] : []
    }),
  )
}

function names(text: string, chatId: string): boolean {
  return new RegExp(`telegram:${chatId}(?!\\d)`).test(text)
}

/** `null`: Neo ignores the group. Of two files for one group the stricter counts. */
export function groupOf(options: GroupsOptions, chatId: string): Named | null {
  const all = configured(options).filter((group) => group.chatId === chatId)
  return (
    all.find(({ type }) => type === 'parents_group') ??
    all.find(({ roles }) => roles.length > 0) ??
    all[0] ??
    null
  )
}
