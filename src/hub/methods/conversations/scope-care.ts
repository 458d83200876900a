/**
 * scope.remember, share, distill, renew, stop, clear, purge: what is kept of a conversation, and what is taken away.
 * Invariant 1: only a person shares or purges. Invariant 2: clear takes nothing away that is not made again. Invariant
 * 3: purge says what git still holds.
 */
import { join, relative } from 'node:path'
import { z } from 'zod'
import { counted } from '../../../domain/text/counted.ts'
import type { ScopeAt } from '../../../domain/policy/scope-types.ts'
import { MAX_BYTES } from '../../../engine/commit/journal.ts'
import { forgetQueued } from '../../../engine/people/scope-board.ts'
import { NOT_SUMMARISED, scopeConversation } from '../../../memory/distill/by-model.ts'
import { forgottenPath } from '../../../memory/distill/read-transcripts.ts'
import { distillScope, rememberIn } from '../../../memory/distill/scope-distilling.ts'
import { scopePart } from '../../../memory/index/sources.ts'
import { memoryOf } from '../../../memory/open-memory.ts'
import { closeScopeIndex, scopeChanged } from '../../../memory/search/scope-recall.ts'
import { commit } from '../../changes/compare-and-write.ts'
import { type Actor, type HubEnv, method, nameOf } from '../../env.ts'
import { badParams, HUB_CODES, HubError } from '../../hub.ts'
import { aboutScope } from '../../views/about.ts'
import { findScope, itemCount } from '../../views/scopes-at.ts'
import { scopeId } from '../../views/shapes.ts'
import { summarise } from '../memory/memory-care.ts'

const ofScope = z.strictObject({ scopeId })

export const scopeRemember = method({
  name: 'scope.remember',
  summary: 'Store a fact in a conversation',
  details: 'For this conversation only. `refused` lists who said a secret and its kind, not the secret.',
  params: z.strictObject({
    scopeId,
    content: z.string().trim().min(1).max(4_000).describe('The fact'),
    key: z
      .string()
      .max(300)
      .optional()
      .describe('Idempotency key: a second call with the same key stores nothing'),
  }),
  result: z.strictObject({ facts: z.number(), refused: z.array(z.string()) }),
  act: 'keep-scope',
  resource: aboutScope,
  run: async (env, { scopeId, content, key }, { principal }) => {
    const scope = findScope(env, scopeId)
    const { world } = env.context
    const of = { speaker: nameOf(principal), content, key: key ?? world.random.id('a') }
    const report = await rememberIn(env.context, scope, of)
    if (report.kind === 'waits') throw busy(scope, 'its MEMORY.md is being edited; try again in a moment')
    scopeChanged(env.context, scope)
    return { facts: report.facts, refused: [...report.refused] }
  },
})

function busy({ name }: ScopeAt, why: string): HubError {
  return new HubError(HUB_CODES.busy, `Cannot change the conversation "${name}": ${why}`)
}

export const scopeDistill = method({
  name: 'scope.distill',
  summary: 'Extract facts from a conversation',
  details:
    'Extracts facts and notes from what was said since the last time. With `memory.distill: model`, a model also writes a summary.',
  params: ofScope,
  result: z.strictObject({
    scope: z.string(),
    kind: z.enum(['done', 'nothing', 'waits']),
    facts: z.number(),
    notes: z.number(),
    /** Messages that a model has summarised (`memory.distill: model`). */
    summarised: z.number(),
    /** Why the model did not; '' if it did, or was not asked. */
    trouble: z.string(),
    refused: z.array(z.string()),
  }),
  act: 'tend-scope',
  resource: aboutScope,
  run: async (env, { scopeId }) => {
    const scope = findScope(env, scopeId)
    const report = await distillScope(env.context, scope)
    const { kind: how, messages, why } = await summarise(env, scopeConversation(env.context, scope))
    scopeChanged(env.context, scope)
    const kind = report.kind === 'nothing' && how === 'done' ? 'done' : report.kind
    return {
      ...report,
      kind,
      summarised: messages,
      trouble: why === '' ? '' : NOT_SUMMARISED,
      refused: [...report.refused],
    }
  },
})

export const scopeRenew = method({
  name: 'scope.renew',
  summary: 'Start a new conversation',
  details: 'Closes the current one. Its transcript stays, and Neo extracts facts and notes from it.',
  params: ofScope,
  result: z.null(),
  act: 'tend-scope',
  resource: aboutScope,
  run: async (env, { scopeId }) => {
    const scope = findScope(env, scopeId)
    const control = env.context.scopes.control()
    if (control === null) throw busy(scope, 'no daemon is running; start one with neo watch')
    await env.aside(() => control.renew(scope.name))
    return null
  },
})

export const scopeStop = method({
  name: 'scope.stop',
  summary: 'Stop the answer in a conversation',
  params: ofScope,
  result: z.strictObject({ stopped: z.boolean() }),
  act: 'tend-scope',
  resource: aboutScope,
  run: async (env, { scopeId }) => ({
    stopped: env.context.turns.orchestrator()?.scopes?.stop(findScope(env, scopeId).name) === 'stopped',
  }),
})

export const scopeClear = method({
  name: 'scope.clear',
  summary: 'Clear the derived data of a conversation',
  details: 'Removes its summary and its index. Neo rebuilds them.',
  params: ofScope,
  result: z.null(),
  act: 'tend-scope',
  resource: aboutScope,
  run: async (env, { scopeId }) => {
    const scope = findScope(env, scopeId)
    await aside(env, scope, async () => clearDerived(env, scope))
    return null
  },
})

function clearDerived({ context }: HubEnv, scope: ScopeAt): void {
  const { files } = context.world
  closeScopeIndex(context, scope)
  files.removeTree(join(scope.state, 'context'))
  context.world.index?.remove(join(scope.state, 'index.db'))
}

/** While nothing is answered there. Without queues nobody answers. */
async function aside(env: HubEnv, { name }: ScopeAt, work: () => Promise<void>): Promise<void> {
  const control = env.context.scopes.control()
  if (control === null) return work()
  const { release } = await env.aside(() => control.hold(name))
  try {
    await work()
  } finally {
    release()
  }
}

export const scopePurge = method({
  name: 'scope.purge',
  summary: 'Purge a conversation',
  details:
    'Removes everything but its SCOPE.md: transcript, notes, facts, index, media and queued messages. `kept` names what git history still holds.',
  params: z.strictObject({ scopeId, confirm: z.string().describe('The `scopeId` again') }),
  result: z.strictObject({
    scopeId: z.string(),
    /** Messages that were said there or waited. */
    messages: z.number(),
    /** Files that went, those that are made again too. */
    files: z.number(),
    /** What git history keeps; '' if it never had anything. */
    kept: z.string(),
  }),
  act: 'purge-scope',
  resource: aboutScope,
  run: async (env, { scopeId, confirm }, actor) => {
    if (confirm !== scopeId) throw badParams(['confirm'], 'want the scopeId again, to confirm')
    const scope = findScope(env, scopeId)
    const gone = { messages: 0, files: 0 }
    await aside(env, scope, async () => {
      gone.messages = itemCount(env, scope) + forgetMessages(env, scope)
      gone.files = (await removeShared(env, scope, actor)) + removePrivate(env, scope)
      removeDerived(env, scope)
    })
    return { scopeId: scope.name, ...gone, kept: await keptByGit(env, scope) }
  },
})

function forgetMessages({ context }: HubEnv, scope: ScopeAt): number {
  const control = context.scopes.control()
  if (control === null) return forgetQueued(context.world.files, context.dir, scope)
  context.scopes.tasks.forget(scope.name)
  return control.forget(scope)
}

const RULES = 'SCOPE.md'
/** By it a scope is found: it goes last, so that a purge that was cut off can be begun again. */
const NAMED = 'scope.json'

/** Its rules are not touched: a group whose file went with it would be dead, or another's. Gives how many went. */
function removePrivate({ context }: HubEnv, scope: ScopeAt): number {
  const { files } = context.world
  const { state } = scope
  const count = (): number => files.scan(state, () => true).filter(({ kind }) => kind === 'file').length
  closeScopeIndex(context, scope)
  const before = count()
  for (const name of files.names(state))
    if (name !== RULES && name !== NAMED) files.removeTree(join(state, name))
  // Where a process died while it wrote one.
  files.sweep(state)
  files.removeTree(files.names(state).includes(RULES) ? join(state, NAMED) : state)
  return before - count()
}

/** The journal holds what was written of a shared one, and the home's index what was said there. */
function removeDerived({ context }: HubEnv, { name, keeps }: ScopeAt): void {
  context.world.files.removeTree(forgottenPath(context.dir, scopePart(name)))
  context.journal.shrink()
  if (keeps === 'shared') memoryOf(context).remake()
}

function sharedFolder({ context }: HubEnv, { name, keeps, folder }: ScopeAt): string {
  return keeps === 'shared' ? relative(context.home, folder) : `workspace/scopes/${name}`
}

async function removeShared(env: HubEnv, scope: ScopeAt, actor: Actor): Promise<number> {
  const { files, git } = env.context.world
  const folder = sharedFolder(env, scope)
  const paths = files
    .scan(join(env.context.home, folder), () => true)
    .filter(({ path, kind }) => kind === 'file' && path !== 'SCOPE.md')
    .map(({ path }) => `${folder}/${path}`)
  const changes = paths.flatMap((path) => {
    const read = files.read(join(env.context.home, path), MAX_BYTES)
    return read.kind === 'file' ? [{ path, before: git.blobId(read.bytes), after: null }] : []
  })
  if (changes.length === 0) return 0
  const done = await commit(env, actor, { room: scope.name, what: 'purge', event: 'purge', changes })
  if (done === 'lost') throw busy(scope, 'one of its files is being edited; try again in a moment')
  return changes.length
}

const MOST_COMMITS = 1_000

async function keptByGit(env: HubEnv, scope: ScopeAt): Promise<string> {
  const folder = sharedFolder(env, scope)
  const entries = await env.context.world.git.log({ paths: [folder], limit: MOST_COMMITS })
  if (entries.length === 0) return ''
  const [newest, oldest] = [entries[0], entries.at(-1)]
  return `git keeps ${counted(entries.length, 'commit')} of ${folder}, ${oldest?.at.slice(0, 10)} to ${newest?.at.slice(0, 10)}; to remove them, rewrite the history here and in every clone`
}
