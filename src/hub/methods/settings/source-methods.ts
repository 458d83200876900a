/**
 * source.get, check, set, and schema.get: files of the home as text, for an editor. A save names the version that it
 * changes, so nobody overwrites what they haven't seen. Secrets are masked; a save that would lose one is refused.
 */
import { join } from 'node:path'
import { z } from 'zod'
import { kindOf, type Known } from '../../../domain/home/home-paths.ts'
import type { Problem } from '../../../domain/home/problem.ts'
import { LOBBY } from '../../../domain/policy/policy.ts'
import { maskSure } from '../../../domain/secrets/known-secrets.ts'
import { restoreMasked } from '../../../domain/secrets/restore-masked.ts'
import { MAX_BYTES } from '../../../engine/commit/journal.ts'
import { readKnown } from '../../../engine/snapshot/file-catalog.ts'
import { readConfig } from '../../../files/config/read-config.ts'
import { jsonSchema, SCHEMA_KINDS } from '../../../files/values/schemas.ts'
import { commit } from '../../changes/compare-and-write.ts'
import { type HubEnv, look, method } from '../../env.ts'
import { aboutHome } from '../../views/about.ts'
import { badParams, HUB_CODES, HubError } from '../../hub.ts'

import { missing } from '../../views/find-in-home.ts'
import { bodyText, lineText } from '../../views/shapes.ts'

export const sourcePath = lineText.describe('In the home: a task, a room, a schedule, …, or `neo.yaml`')
const text = bodyText.describe('The whole text of the file')

export const sourceProblem = z.strictObject({
  code: z.string().describe('`yaml`, `unknown-key`, …; `untrusted`: ignored until somebody runs `neo trust`'),
  line: z.number().nullable(),
  column: z.number().nullable(),
  severity: z.enum(['error', 'warning']),
  message: z.string(),
  hint: z.string(),
})

const sourceView = z.strictObject({
  path: z.string(),
  kind: z.string().describe('What the file is: `task`, `room`, `config`, …'),
  text: z.string(),
  version: z.string().nullable().describe('Of the text, for `source.set`; null: no such file yet'),
  problems: z.array(sourceProblem),
})

export const sourceGet = method({
  name: 'source.get',
  summary: 'Get a file of the home as text',
  details: 'With the problems in it. Secrets are masked. Only for people.',
  params: z.strictObject({ path: sourcePath }),
  result: sourceView,
  act: 'change-home',
  resource: aboutHome,
  run: async (env, { path }) => await viewOf(env, path),
})

export const sourceCheck = method({
  name: 'source.check',
  summary: 'Check the text of a file',
  details: 'Returns the problems that the file would have with this text. Nothing is written.',
  params: z.strictObject({ path: sourcePath, text }),
  result: z.array(sourceProblem),
  act: 'change-home',
  resource: aboutHome,
  run: async (env, { path, text }) => await problemsIn(env, { path, known: knownAt(path), text }),
})

export const sourceSet = method({
  name: 'source.set',
  summary: 'Save a file of the home as text',
  details:
    'Writes the text in a commit, also with problems in it. Masked secrets stay as they are. `version` is the one of `source.get`: if the file has changed since, nothing is written.',
  params: z.strictObject({
    path: sourcePath,
    text,
    version: z.string().nullable().describe('The version that the text was made from; null for a new file'),
  }),
  result: sourceView,
  act: 'change-home',
  resource: aboutHome,
  run: async (env, { path, text, version }, actor) => {
    const known = knownAt(path)
    await look(env)
    const before = readAt(env, path)
    if ((before?.version ?? null) !== version) throw changed(path)
    const after = unmasked(before?.text ?? '', text)
    if (before?.text === after) return await viewOf(env, path)
    const done = await commit(env, actor, {
      room: known.room === '' ? LOBBY : known.room,
      ...(known.room === '' ? { part: 'home' } : {}),
      what: `edit ${path}`,
      event: 'edit',
      changes: [{ path, before: version, after }],
    })
    if (done === 'lost') throw changed(path)
    await look(env, path)
    return await viewOf(env, path)
  },
})

/** With the secrets of the file in place of their masks. */
export function unmasked(before: string, text: string): string {
  return restoreMasked(before, maskSure(before), text)
}

function changed(path: string): HubError {
  return new HubError(
    HUB_CODES.busy,
    `Cannot save ${path}: it was changed in the meantime; look at the new version and save again`,
    { conflict: true },
  )
}

/** Throws HubError `params` if it is no file that Neo reads. */
export function knownAt(path: string): Known {
  const known = kindOf(path)
  if (known === null) throw badParams(['path'], `"${path}" is not a file that Neo reads`)
  return known
}

interface Source {
  readonly text: string
  readonly version: string
}

/** Null: there is no such file. */
export function readAt({ context: { home, world } }: HubEnv, path: string): Source | null {
  const read = world.files.read(join(home, path), MAX_BYTES)
  if (read.kind === 'refused') throw new HubError(HUB_CODES.busy, `Cannot read ${path}: it ${read.why}`)
  if (read.kind !== 'file') return null
  return { text: read.bytes.toString('utf8'), version: world.git.blobId(read.bytes) }
}

async function viewOf(env: HubEnv, path: string): Promise<z.input<typeof sourceView>> {
  const known = knownAt(path)
  const source = readAt(env, path)
  if (source === null) throw missing('file', path)
  return {
    path,
    kind: known.kind,
    text: maskSure(source.text),
    version: source.version,
    problems: [
      ...(await problemsIn(env, { path, known, text: source.text })),
      ...(await untrustedIn(env, path)),
    ],
  }
}

interface Text {
  readonly path: string
  readonly known: Known
  readonly text: string
}

export async function problemsIn(env: HubEnv, of: Text): Promise<z.input<typeof sourceProblem>[]> {
  const { config } = await look(env)
  return found(env, of, config.timezone).map(viewProblem)
}

/** What is in the file, but not in force until the home is trusted again. */
export async function untrustedIn(env: HubEnv, path: string): Promise<z.input<typeof sourceProblem>[]> {
  const { problems } = await look(env)
  return problems.filter(({ file, code }) => file === path && code === 'untrusted').map(viewProblem)
}

function viewProblem(of: Problem): z.input<typeof sourceProblem> {
  const { code, line, column, severity, message, hint } = of
  return { code, line, column, severity, message, hint }
}

function found({ context }: HubEnv, { path, known, text }: Text, zone: string): readonly Problem[] {
  if (known.kind === 'config') {
    const read = readConfig(path, text, context.env)
    return read.kind === 'ok' ? read.warnings : read.kind === 'bad' ? read.problems : []
  }
  const reading = readKnown({ path, known, bytes: Buffer.from(text), zone })
  if (reading.kind !== 'unfinished') return reading.problems
  const rest = { severity: 'warning', code: 'unfinished', hint: '' } as const
  return [{ file: path, line: null, column: null, message: `unfinished: ${reading.why}`, ...rest }]
}

export const schemaGet = method({
  name: 'schema.get',
  summary: 'Get the JSON Schema of a kind of file',
  details: 'The keys of its header, with their descriptions; for `config` the whole of neo.yaml.',
  params: z.strictObject({ kind: z.enum(SCHEMA_KINDS) }),
  result: z.record(z.string(), z.unknown()),
  act: 'see',
  resource: aboutHome,
  run: async (_env, { kind }) => jsonSchema(kind) as Record<string, unknown>,
})
