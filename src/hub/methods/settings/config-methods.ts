/**
 * config.get, config.set: what of neo.yaml is for the eyes of every client, and what of it a person sets from afar.
 * Invariant 1: both know the fields of a list, and no secret is among them. Invariant 2: only the lines of the keys that
 * are set change; what would not be read again is not written.
 */

import { join } from 'node:path'
import { z } from 'zod'
import { LOBBY } from '../../../domain/policy/policy.ts'
import { MAX_BYTES } from '../../../engine/commit/journal.ts'
import { readConfig } from '../../../files/config/read-config.ts'
import { setPaths } from '../../../files/edit/edit-header.ts'
import { BOM, eolOf } from '../../../files/header/read-header.ts'
import { commit } from '../../changes/compare-and-write.ts'
import { badText } from '../../changes/header-inputs.ts'
import { type Actor, type HubEnv, look, method } from '../../env.ts'
import { aboutHome } from '../../views/about.ts'
import { HUB_CODES, HubError } from '../../hub.ts'

const text = z.string()

const configView = z.strictObject({
  timezone: text,
  model: text,
  transcripts: text,
  daemon: z.strictObject({
    branch: text.nullable(),
    node: text.nullable(),
    settleMs: z.number().nullable(),
    rescanMs: z.number(),
    concurrency: z.number(),
    workspaces: z.array(text),
  }),
  budget: z.strictObject({ usdPerDay: z.number().nullable(), tokensPerDay: z.number().nullable() }),
  logLevel: text,
  providers: z.array(z.strictObject({ name: text, api: text })),
  workers: z.array(text),
})

export const configGet = method({
  name: 'config.get',
  summary: 'Get the configuration',
  details: 'The settings in use, without secrets.',
  params: z.strictObject({}),
  result: configView,
  act: 'see-home',
  resource: aboutHome,
  run: view,
})

async function view(env: HubEnv): Promise<z.input<typeof configView>> {
  const { config } = await look(env)
  const { branch, node, settleMs, rescanMs, concurrency, workspaces } = config.daemon
  return {
    timezone: config.timezone,
    model: config.model,
    transcripts: config.transcripts,
    daemon: { branch, node, settleMs, rescanMs, concurrency, workspaces: [...workspaces] },
    budget: {
      usdPerDay: config.budget.usdPerDay ?? null,
      tokensPerDay: config.budget.tokensPerDay ?? null,
    },
    logLevel: config.log.level,
    providers: config.providers.map(({ name, api }) => ({ name, api })),
    workers: Object.keys(config.workers),
  }
}

const line = z.string().trim().min(1).max(300)
const ms = z.int().min(0).max(86_400_000).nullish()
/** As neo.yaml documents them; it also reads the `fatal` and `trace` of older files. */
const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const

const updates = z.strictObject({
  timezone: line.nullish().describe('Such as `Europe/Berlin`'),
  model: line.nullish().describe('The default model, `provider/model` or `none`'),
  transcripts: z.enum(['commit', 'local']).nullish().describe('Whether transcripts are committed'),
  daemon: z
    .strictObject({
      branch: line.nullish().describe('The branch on which the daemon works'),
      node: line.nullish().describe('Name of the only machine that starts work, if several share the home'),
      settleMs: ms.describe('How long a file must be unchanged before it is read, in milliseconds'),
      rescanMs: ms.describe('How often all files are read again, in milliseconds'),
      concurrency: z.int().min(1).max(1000).nullish().describe('Maximum number of sessions at the same time'),
      workspaces: z.array(line).max(100).nullish().describe('Workspaces that models may choose'),
    })
    .optional()
    .describe('Settings of the daemon'),
  budget: z
    .strictObject({
      usdPerDay: z.number().min(0).nullish().describe('US dollars per day'),
      tokensPerDay: z.int().min(0).nullish().describe('Tokens per day'),
    })
    .optional()
    .describe('Spending limits of the whole home'),
  logLevel: z.enum(LOG_LEVELS).nullish(),
})
type Updates = z.output<typeof updates>

export const configSet = method({
  name: 'config.set',
  summary: 'Update the configuration',
  details:
    'Sets fields of neo.yaml; `null` removes one. Comments and all other lines stay. Only for the owner of the home.',
  params: z.strictObject({ updates: updates.describe('The fields to set') }),
  result: configView,
  act: 'change-home',
  resource: async (_env, { updates: given }) => ({ room: null, sets: Object.keys(given) }),
  run: async (env, { updates: given }, actor) => {
    await look(env)
    for (let round = 0; round < ROUNDS; round++)
      if ((await set(env, given, actor)) === 'done') return await view(env)
    throw new HubError(HUB_CODES.busy, 'Cannot change neo.yaml: it is being edited; try again in a moment')
  },
})

const ROUNDS = 4
const FILE = 'neo.yaml'

async function set(env: HubEnv, given: Updates, actor: Actor): Promise<'done' | 'lost'> {
  const { home, world } = env.context
  const read = world.files.read(join(home, FILE), MAX_BYTES)
  if (read.kind === 'refused') throw new HubError(HUB_CODES.busy, `Cannot change neo.yaml: it ${read.why}`)
  const before = read.kind === 'file' ? read.bytes.toString('utf8') : ''
  const after = edited(env, before, given)
  if (after === before) return 'done'
  const hash = read.kind === 'file' ? world.git.blobId(read.bytes) : null
  return await commit(env, actor, {
    room: LOBBY,
    part: 'home',
    what: 'set configuration',
    says: keysOf(given)
      .map(([path]) => path.join('.'))
      .join(', '),
    event: 'config',
    changes: [{ path: FILE, before: hash, after }],
  })
}

/** The new text; throws HubError if it or the present one is invalid. */
function edited({ context }: HubEnv, before: string, given: Updates): string {
  const now = readConfig(FILE, before, context.env)
  if (now.kind !== 'ok')
    throw new HubError(
      HUB_CODES.busy,
      'Cannot change neo.yaml: it has an error; fix it first (neo config check)',
    )
  const after = withPaths(before, keysOf(given))
  const read = readConfig(FILE, after, context.env)
  if (read.kind === 'ok') return after
  throw badText(['updates'], read)
}

type Value = Parameters<typeof setPaths>[1][number]['value']
type Set = readonly [path: readonly string[], value: Value]

/** The text of neo.yaml with these keys; its BOM and line ends stay. Throws if it can't be read. */
export function withPaths(text: string, sets: readonly Set[]): string {
  const bom = text.startsWith(BOM) ? BOM : ''
  const eol = eolOf(text)
  return (
    bom +
    setPaths(
      text.slice(bom.length),
      sets.map(([path, value]) => ({ path, value, eol })),
    )
  )
}

/** As the file names them; undefined takes out. */
function keysOf(given: Updates): readonly Set[] {
  const { daemon = {}, budget = {} } = given
  const { settleMs, rescanMs, ...plain } = daemon
  const all: readonly (readonly [readonly string[], Value | null])[] = [
    [['timezone'], given.timezone],
    [['model'], given.model],
    [['transcripts'], given.transcripts],
    ...Object.entries(plain).map(([key, value]) => [['daemon', key], value] as const),
    [['daemon', 'settle'], durationText(settleMs)],
    [['daemon', 'rescan'], durationText(rescanMs)],
    [['budget', 'usd_per_day'], budget.usdPerDay],
    [['budget', 'tokens_per_day'], budget.tokensPerDay],
    [['log', 'level'], given.logLevel],
  ].filter(([, value]) => value !== undefined) as never
  return all.map(([path, value]) => [path, value ?? undefined] as const)
}

function durationText(of: number | null | undefined): string | null | undefined {
  return typeof of === 'number' ? `${of}ms` : of
}
