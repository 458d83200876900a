/**
 * Summarises a conversation of a room or scope with a model (`memory.distill: model`): what is older than half of
 * `memory.window` messages becomes an entry of HISTORY.md, and facts of MEMORY.md are merged. Invariants: 1. the model
 * is called outside the Context's queue, so that nothing waits for it; 2. the budget is checked before the call, which
 * is counted before it is made; 3. an invalid answer changes nothing; 4. a range with an entry in
 * HISTORY.md is never sent again; 5. if the conversation was purged in the meantime, nothing is written; 6. nothing of a
 * private scope leaves its folder: no commit or event mentions it.
 */
import { join } from 'node:path'
import { textOfMessage } from '../../domain/agent/model-message.ts'
import {
  type Asked,
  askAbout,
  type Consolidated,
  consolidate,
  enteredIn,
  readAnswer,
  SYSTEM,
} from '../../domain/memory/distill-model.ts'
import type { Said, Texts } from '../../domain/memory/distill-rules.ts'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import { LOBBY } from '../../domain/policy/policy.ts'
import type { ScopeAt } from '../../domain/policy/scope-types.ts'
import { counted } from '../../domain/text/counted.ts'
import { transact } from '../../engine/commit/transact.ts'
import { type Context, NEO } from '../../engine/context.ts'
import { subjectOf } from '../../engine/effects/commit-words.ts'
import type { Model } from '../../ports/model-port.ts'
import { memorySetting } from '../memory-settings.ts'
import type { OpenTexts } from './distill-files.ts'
import { changesOf, openScopeTexts, openTexts, writeScopeTexts } from './distill-files.ts'
import type { Heard, Mark, Watermark } from './read-transcripts.ts'
import { failedAgain, heardSince, markAt, modelPathOf, NO_FAILURE, saveMarkAt } from './read-transcripts.ts'
import { heardInScope } from './scope-distilling.ts'

/** What came of it. `waits` says why in `why`, and is tried again. */
export interface ModelReport {
  readonly kind: 'done' | 'nothing' | 'waits'
  readonly messages: number
  readonly facts: number
  readonly why: string
}

/** A conversation with what is remembered of it. */
export interface Talk {
  /** The room whose budget pays. */
  readonly room: string
  /** `<provider>/<model>`, or `rules`. */
  readonly model: string
  heard(since: Watermark): Heard
  texts(): OpenTexts
  /** `lost`: a file had changed in the meantime, nothing was written. */
  write(
    before: OpenTexts,
    after: Pick<Texts, 'memory' | 'history' | 'notes'>,
    says: string,
  ): Promise<'done' | 'lost'>
  mark(): Mark
  keep(mark: Mark): void
}

interface ByModel {
  readonly context: Context
  readonly talk: Talk
  /** `all`: whatever was said, also if the window is not full: after `/new`, and when a person asks for it. */
  readonly how: 'due' | 'all'
  readonly signal: AbortSignal
  /** In line with the daemon's rounds; what holds the line already gives `(work) => work()`. */
  line<T>(work: () => Promise<T>): Promise<T>
  /** Lets others have the line while the model is asked. */
  aside<T>(work: () => Promise<T>): Promise<T>
}

const WINDOW = 50
/** Fewer messages say nothing that the rules do not keep. */
const LEAST = 6
const MOST_TOKENS = 4_000
const MOST_MS = 180_000
const NOTHING: ModelReport = { kind: 'nothing', messages: 0, facts: 0, why: '' }

export function isByModel(context: Context): boolean {
  return memorySetting(context.look.config(), 'distill') === 'model'
}

/** Failures are noted in the mark, with the time of the next try; they are not thrown. */
export async function distillByModel(of: ByModel): Promise<ModelReport> {
  const { context, talk } = of
  const mark = talk.mark()
  if (of.how === 'due' && mark.retryAt > context.world.clock.now()) return waiting(mark.error)
  try {
    return await run(of, mark)
  } catch (error) {
    if (of.signal.aborted) return waiting('stopped')
    const failed = failedAgain(context, mark, error)
    talk.keep({ ...talk.mark(), ...failed })
    return waiting(failed.error)
  }
}

function waiting(why: string): ModelReport {
  return { ...NOTHING, kind: 'waits', why }
}

async function run(of: ByModel, mark: Mark): Promise<ModelReport> {
  const { context, talk } = of
  const texts = talk.texts()
  const { said, since } = unfolded(of, mark, texts)
  if (since !== mark) talk.keep(since)
  if (said.length === 0) return NOTHING
  const model = openModel(of)
  const budget = context.agents.neoBudget(talk.room)
  if (!budget.ok) throw new Error(budget.why)
  const asked = askAbout(said, texts.memory)
  const answer = readAnswer(await of.aside(() => ask(of, model, asked)))
  if ('wrong' in answer) throw new Error(answer.wrong)
  return of.line(async () => {
    // It may have been purged in the meantime: then nothing of it comes back.
    if (!isStillSaid(said, talk.heard(since).said)) return NOTHING
    const before = talk.texts()
    return keep(of, { asked, before, made: consolidate(answer, asked, before) })
  })
}

function isStillSaid(asked: readonly Said[], now: readonly Said[]): boolean {
  return asked.every(({ source, text }, at) => now[at]?.source === source && now[at]?.text === text)
}

/** What is due: from the watermark, all but the newest half of a window. */
function unfolded(
  { context, talk, how }: ByModel,
  mark: Mark,
  { history }: OpenTexts,
): { readonly said: readonly Said[]; readonly since: Mark } {
  const entered = enteredIn(history)
  let since = mark
  for (;;) {
    const { said, closed } = talk.heard(since)
    const done = entered.get(said[0]?.source ?? '')
    if (done !== undefined) {
      since = { ...since, ...placeOf(done) }
      continue
    }
    const window = windowOf(context)
    const isWhole = how === 'all' || closed === 'yes'
    if (isWhole ? said.length < LEAST : said.length <= window) return { said: [], since }
    return { said: isWhole ? said : said.slice(0, -Math.floor(window / 2)), since }
  }
}

function placeOf(source: string): { readonly file: string; readonly line: number } {
  const at = source.lastIndexOf(':')
  return { file: source.slice(0, at), line: Number(source.slice(at + 1)) }
}

function windowOf({ look }: Context): number {
  const window = Number(memorySetting(look.config(), 'window') ?? WINDOW)
  return Number.isInteger(window) && window >= 2 ? window : WINDOW
}

function openModel({ context, talk }: ByModel): Model {
  const { world, look } = context
  if (talk.model === 'rules' || world.agent === undefined) throw new Error('no model is configured')
  const model = world.agent.models.open(talk.model, look.config().providers)
  if ('wrong' in model) throw new Error(model.wrong)
  return model
}

async function ask({ context, talk, signal }: ByModel, model: Model, { prompt }: Asked): Promise<string> {
  const late = new AbortController()
  const cancel = context.world.clock.after(MOST_MS, () => late.abort())
  const question = {
    system: [SYSTEM],
    tools: [],
    messages: [{ role: 'user', parts: [{ kind: 'text', text: prompt }] }],
    maxTokens: MOST_TOKENS,
    signal: AbortSignal.any([signal, late.signal]),
  } as const
  const reply = await context.agents.askOnce(talk.room, model, question).finally(cancel)
  return reply.stop === 'end' ? textOfMessage(reply.message) : ''
}

async function keep(
  { talk }: ByModel,
  { asked, before, made }: { readonly asked: Asked; readonly before: OpenTexts; readonly made: Consolidated },
): Promise<ModelReport> {
  const messages = asked.said.length
  const says = `${counted(messages, 'message')}, ${counted(made.facts, 'fact')}`
  const done = await talk.write(before, { ...made, notes: new Map() }, says)
  if (done === 'lost') throw new Error('a memory file is being edited')
  const place = placeOf(asked.said.at(-1)?.source ?? ':0')
  talk.keep({ ...place, ...NO_FAILURE })
  const isNews = made.memory !== before.memory || made.history !== before.history
  return { kind: isNews ? 'done' : 'nothing', messages, facts: made.facts, why: '' }
}

export function roomConversation(context: Context, snapshot: Snapshot, room: string): Talk {
  const { home, dir, world, look } = context
  // Budgets are looked up in the snapshot that was last looked at.
  context.agents.facts(snapshot)
  const path = modelPathOf(dir, room)
  return {
    room,
    model: snapshot.rooms.get(room)?.room?.model ?? look.config().model,
    heard: (since) =>
      heardSince({ home, dir, files: world.files, room, timezone: look.config().timezone }, since),
    texts: () => openTexts(context, room, []),
    async write(before, after, says) {
      const changes = changesOf(before, after)
      if (changes.length === 0) return 'done'
      const trailers = [
        ['Neo-Room', room],
        ['Neo-Event', 'distill'],
      ] as const
      const subject = subjectOf(room, 'summarise', says)
      const done = await transact(context, { kind: 'distill', changes, subject, trailers, author: NEO })
      if (done !== 'lost') context.emit({ kind: 'remember', text: `summarised: ${says}`, room })
      return done === 'lost' ? 'lost' : 'done'
    },
    mark: () => markAt(context, path),
    keep: (mark) => saveMarkAt(context, path, mark),
  }
}

/** Reported for a scope that failed: the reason may quote what was said in it. */
export const NOT_SUMMARISED = 'the model did not summarise this conversation'

export function scopeConversation(context: Context, scope: ScopeAt): Talk {
  const path = join(scope.state, 'by-model.json')
  return {
    room: LOBBY,
    model: context.look.config().model,
    heard: (since) => heardInScope(context, scope, since),
    texts: () => openScopeTexts(context, scope, []),
    write: (before, after, says) => writeScopeTexts(context, scope, { before, after, says }),
    mark: () => markAt(context, path),
    keep: (mark) => saveMarkAt(context, path, mark),
  }
}
