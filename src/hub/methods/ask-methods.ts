/**
 * ask.list and ask.decide: what waits for a person, and their decision, written into the ask's file as theirs. Invariant
 * 1: the first decision counts; a late one, and one about what has changed since, are refused.
 */
import { z } from 'zod'
import type { Ask } from '../../domain/ask/ask.ts'
import { openAsks } from '../../domain/plan/needs.ts'
import type { AskFile, Snapshot } from '../../domain/plan/snapshot.ts'
import { changedSince, lateFor, type Objection, strayFrom } from '../../engine/effects/approved-text.ts'
import { textAt } from '../../engine/commit/transact.ts'
import { gatherFacts } from '../../engine/snapshot/facts.ts'
import { editDocument, type Patch } from '../../files/edit/edit-header.ts'
import { commit } from '../changes/compare-and-write.ts'
import { type Actor, type HubEnv, isoNow, look, method, personOf } from '../env.ts'
import { aboutOnlyRoom, listedRooms } from '../views/about.ts'
import { badParams, HUB_CODES, HubError } from '../hub.ts'
import { withAnswer } from '../../files/kinds/read-ask.ts'
import { carryOut } from '../rights/carry-out.ts'
import { askOf } from '../views/find-in-home.ts'
import { type AskView, askView, idText, onlyRoom } from '../views/shapes.ts'
import { viewAsk } from '../views/views.ts'

export const askList = method({
  name: 'ask.list',
  summary: 'List requests',
  details:
    'Approval requests and questions, sorted by path. Only a person decides them: with `neo ask`, on the page, or in the file of the request.',
  tool: { effect: 'reads', list: 'asks' },
  params: z.strictObject({
    roomId: onlyRoom,
    all: z.boolean().optional().describe('Decided requests too'),
  }),
  result: z.array(askView),
  act: 'see',
  resource: aboutOnlyRoom,
  run: async (env, { roomId, all }, { principal }) => {
    const snapshot = await look(env)
    const isListed = listedRooms(env, snapshot, { roomId, principal })
    const listed =
      all === true
        ? [...snapshot.asks.values()].filter(({ room }) => isListed(room))
        : openAsks(snapshot, isListed)
    return listed.toSorted((a, b) => (a.path < b.path ? -1 : 1)).map(viewAsk)
  },
})

const decideParams = z.strictObject({
  askId: idText.describe('The request: its id (`a-…`) or its path'),
  decision: z
    .enum(['approved', 'denied', 'answered'])
    .describe('`approved` or `denied` for an approval request, `answered` for a question'),
  answer: z.string().trim().min(1).max(20_000).optional().describe('The answer to a question'),
})
type Decide = z.output<typeof decideParams>

export const askDecide = method({
  name: 'ask.decide',
  summary: 'Decide a request',
  details: 'Approves or denies an approval request, or answers a question. Only people can do this.',
  params: decideParams,
  result: askView,
  act: 'settle-ask',
  resource: async (env, { askId }) => {
    const { room, path, ask } = askOf(await look(env), askId)
    return { room, target: { id: ask.id, path } }
  },
  run: decide,
})

async function decide(env: HubEnv, params: Decide, actor: Actor): Promise<AskView> {
  const snapshot = await look(env)
  const file = askOf(snapshot, params.askId)
  const { ask, room, path } = file
  const patch = patchOf(ask, params)
  await refuse(env, snapshot, file)
  const text = textAt(env.context, path, file.hash)
  if (text === null) throw busy(ask.id)
  const after = editDocument(text, {
    ...patch,
    set: { ...patch.set, decided_by: personOf(env, actor), decided_at: isoNow(env) },
  })
  const done = await commit(env, actor, {
    room,
    what: `decide ask ${ask.id}`,
    says: params.decision,
    event: 'decide-ask',
    task: ask.task,
    changes: [{ path, before: file.hash, after }],
  })
  if (done === 'lost') throw busy(ask.id)
  const decided = askOf(await look(env), path)
  if (env.beside === 'daemon') return viewAsk(decided)
  const carried = await carryOut(env, decided)
  if (carried.kind === 'refused' && params.decision === 'approved')
    throw new HubError(HUB_CODES.busy, `Cannot carry out the request "${ask.id}": ${carried.why}`)
  return viewAsk(askOf(await look(env), path))
}

function patchOf(ask: Ask, { decision, answer }: Decide): Patch {
  const isAnswer = decision === 'answered'
  if (isAnswer !== (ask.kind === 'question'))
    throw badParams(
      ['decision'],
      ask.kind === 'question'
        ? 'this request is a question; want "answered"'
        : 'this request is an approval; want "approved" or "denied"',
    )
  if (!isAnswer) return { set: { decision } }
  if (answer === undefined) throw badParams(['answer'], 'is missing; a question needs an answer')
  return { body: withAnswer(ask.body, answer) }
}

async function refuse(env: HubEnv, snapshot: Snapshot, file: AskFile): Promise<void> {
  const { ask } = file
  const facts = await gatherFacts(env.context, snapshot)
  const late = lateFor(ask, env.context.world.clock.now())
  const objection: Objection | null =
    late ?? changedSince(ask, facts.askHashes.get(ask.id)) ?? strayFrom(file, facts.sessions)
  if (objection === null) return
  const { kind, is, why, next } = objection
  const reason = why === undefined ? is : `${is}; ${why}`
  const data = { rule: kind, reason, ...(why === undefined ? {} : { why }), next }
  throw new HubError(HUB_CODES.denied, `Cannot decide "${ask.id}": ${is}`, data)
}

function busy(id: string): HubError {
  return new HubError(
    HUB_CODES.busy,
    `Cannot decide "${id}": its file is being edited; try again in a moment`,
  )
}
