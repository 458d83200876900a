/**
 * source.preview: what a save would change, before it is made: the new text, its problems, and what is risky about it.
 * For neo.yaml it also sets keys in the text, so that fields and the file are saved in one way.
 */
import { z } from 'zod'
import { riskyChanges } from '../../../domain/policy/risky-changes.ts'
import { maskSure } from '../../../domain/secrets/known-secrets.ts'
import { maskedConfig } from '../../../files/config/config-secrets.ts'
import { BOM, splitHeader } from '../../../files/header/read-header.ts'
import { parseYaml } from '../../../files/header/yaml.ts'
import { method } from '../../env.ts'
import { aboutHome } from '../../views/about.ts'
import { badParams } from '../../hub.ts'
import { bodyText } from '../../views/shapes.ts'
import { withPaths } from './config-methods.ts'
import {
  knownAt,
  problemsIn,
  readAt,
  sourcePath,
  sourceProblem,
  unmasked,
  untrustedIn,
} from './source-methods.ts'

const scalar = z.union([z.string().max(1_000), z.number(), z.boolean()])
const value = z.union([scalar, z.array(scalar).max(200)]).nullable()
const KEY = /^[a-z_]+(?:\.[a-z_]+)?$/

const risk = z.strictObject({
  key: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
  why: z.string(),
  needsTrust: z.boolean().describe('Neo ignores the change until somebody runs `neo trust`'),
})

export const sourcePreview = method({
  name: 'source.preview',
  summary: 'Show what a save would change',
  details:
    'The text with secrets masked, its problems, and the changes that a person should look at first: commands, servers, permissions, limits. Nothing is written.',
  params: z.strictObject({
    path: sourcePath,
    text: bodyText.optional().describe('The text that would be saved. Default: the file as it is'),
    set: z
      .record(z.string().regex(KEY, 'want a key such as daemon.concurrency'), value)
      .optional()
      .describe('Keys of neo.yaml to set in this text, such as `daemon.concurrency`; null removes one'),
  }),
  result: z.strictObject({
    path: z.string(),
    text: z.string(),
    version: z.string().nullable().describe('Of the file, for `source.set`; null: no such file yet'),
    before: z.string().describe('The text of the file now'),
    problems: z.array(sourceProblem),
    risks: z.array(risk),
    values: z.record(z.string(), z.unknown()).describe('Of neo.yaml: its keys, secrets masked; else empty'),
  }),
  act: 'change-home',
  resource: aboutHome,
  run: async (env, { path, text, set = {} }) => {
    const known = knownAt(path)
    const file = readAt(env, path)
    const before = file?.text ?? ''
    const given = text === undefined ? before : unmasked(before, text)
    const after = withKeys(path, given, set)
    const found = await problemsIn(env, { path, known, text: after })
    const problems = after === before ? [...found, ...(await untrustedIn(env, path))] : found
    const data = dataOf(path, after)
    return {
      path,
      text: maskSure(after),
      version: file?.version ?? null,
      before: maskSure(before),
      problems,
      risks: data === null ? [] : [...riskyChanges(path, dataOf(path, before) ?? {}, data)],
      values: path === CONFIG ? maskedConfig(data ?? {}) : {},
    }
  },
})

const CONFIG = 'neo.yaml'

type Set = Readonly<Record<string, z.output<typeof value>>>

/** Throws HubError `params` for keys of another file, and for a text in which nothing can be set. */
function withKeys(path: string, text: string, set: Set): string {
  const keys = Object.entries(set)
  if (keys.length === 0) return text
  if (path !== CONFIG) throw badParams(['set'], 'only keys of neo.yaml can be set')
  try {
    return withPaths(
      text,
      keys.map(([key, value]) => [key.split('.'), value ?? undefined]),
    )
  } catch {
    throw badParams(['set'], 'neo.yaml has an error; correct the file first')
  }
}

/** Null for a text that can't be read: then its problems say why. */
function dataOf(path: string, text: string): Readonly<Record<string, unknown>> | null {
  if (path === CONFIG) return parsed(text.startsWith(BOM) ? text.slice(1) : text)
  const split = splitHeader(text)
  return split.kind === 'header' ? parsed(text.slice(split.from, split.to)) : {}
}

function parsed(source: string): Readonly<Record<string, unknown>> | null {
  const read = parseYaml(source)
  return 'data' in read ? read.data : null
}
