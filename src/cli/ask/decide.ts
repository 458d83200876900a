/**
 * `neo ask approve, deny, answer`: the same as editing the ask's file. Takes an id; the daemon's hub decides it, or a few
 * lines of it are changed. Leaves to the engine: acting on it, at once where no daemon runs.
 * Invariant 1: the first decision stands; a later one, a late one, and one about something that has changed since it
 * was asked are refused with exit code 5.
 */
import { join } from 'node:path'
import type { Ask } from '../../core/model/ask.ts'
import { NeoError } from '../../core/model/error.ts'
import { changedSince, lateFor, type Objection } from '../../flow/decide-ask.ts'
import { lookOnce } from '../../flow/once.ts'
import { settleHome } from '../../flow/settle.ts'
import { withAnswer } from '../../formats/ask.ts'
import { editDocument, type Patch } from '../../formats/edit.ts'
import { editFile } from '../edit-file.ts'
import { usage } from '../failure.ts'
import { openAct } from '../rpc/act.ts'
import { type Call, firstOf } from '../spec.ts'
import { readStdin } from '../stdin.ts'
import { type Desk, openDesk } from '../task/open.ts'
import { type Opened, withTrusted } from '../with-world.ts'
import { askData } from './list.ts'
import { findAsk, readAskAt } from './open.ts'

export function approve(call: Call): Promise<number> {
  return decide(call, 'approved')
}

export function deny(call: Call): Promise<number> {
  return decide(call, 'denied')
}

export async function answer(call: Call): Promise<number> {
  const typed = call.args[1] ?? ''
  const text = typed === '-' ? await readStdin(call.around.stdin) : typed
  if (text.trim() === '')
    throw usage('Cannot answer: the answer is empty', "neo ask answer ID 'The second one'")
  return change(call, {
    kind: 'question',
    decision: 'answered',
    answer: text,
    patchOf: (ask) => ({ set: {}, body: withAnswer(ask.body, text) }),
  })
}

function decide(call: Call, decision: 'approved' | 'denied'): Promise<number> {
  return change(call, { kind: 'approval', decision, patchOf: () => ({ set: { decision } }) })
}

interface Deciding {
  readonly kind: Ask['kind']
  readonly decision: 'approved' | 'denied' | 'answered'
  readonly answer?: string
  /** The same by hand. */
  readonly patchOf: (ask: Ask) => Patch
}

async function change(call: Call, of: Deciding): Promise<number> {
  const { kind, decision, answer: words } = of
  return withTrusted(call, async (opened) => {
    const desk = await openDesk(call)
    const found = findAsk(desk, firstOf(call))
    const { ask: before, path } = found
    refuseKind(before, kind)
    refuseLate(before, opened.world.clock.now())
    const settled = await openAct(
      call,
      desk,
    )<'ask.decide', 'settled' | 'held'>({
      method: 'ask.decide',
      params: { askId: before.id, decision, ...(words === undefined ? {} : { answer: words }) },
      shown: () => 'held',
      byFiles: () => byFiles(opened, { desk, path, ...of }),
      busy: 'said',
    })
    const ask = readAskAt(desk, path)
    call.out.data(
      `ask.${kind === 'question' ? 'answer' : ask.decision === 'denied' ? 'deny' : 'approve'}`,
      askData({ ...found, ask }),
    )
    call.out.line(ask.id, 'is', kind === 'question' ? 'answered' : ask.decision)
    if (settled === 'settled') call.out.note('No daemon runs: neo watch or neo run goes on with it.')
    return 0
  })
}

function refuseKind({ id, kind }: Ask, want: Ask['kind']): void {
  if (kind === want) return
  throw usage(
    `Cannot do that: "${id}" is ${want === 'question' ? 'an approval' : 'a question'}`,
    `neo ask ${want === 'question' ? 'approve' : 'answer'} ${id}`,
  )
}

interface ByFiles extends Deciding {
  readonly desk: Desk
  readonly path: string
}

async function byFiles(opened: Opened, { desk, path, kind, patchOf }: ByFiles) {
  const { world, home } = opened
  if (kind === 'approval') await refuseChanged(opened, readAskAt(desk, path))
  const { name } = await world.git.person()
  const at = `${new Date(world.clock.now()).toISOString().slice(0, 19)}Z`
  editFile(desk.files, join(desk.home, path), (text) => {
    const ask = readAskAt(desk, path)
    refuseLate(ask, world.clock.now())
    const patch = patchOf(ask)
    return editDocument(text, { ...patch, set: { ...patch.set, decided_by: name, decided_at: at } })
  })
  return await settleHome(world, home)
}

function refuseLate(ask: Ask, now: number): void {
  refuse(ask, lateFor(ask, now))
}

function refuse(ask: Ask, objection: Objection | null): void {
  if (objection === null) return
  const { is, why, next } = objection
  const more = { ...(why === undefined ? {} : { why }), next }
  throw new NeoError('refused', `Cannot decide "${ask.id}": ${is}`, more)
}

/** What was shown is what runs. */
async function refuseChanged({ world, home }: Opened, ask: Ask): Promise<void> {
  const { facts } = await lookOnce(world, home)
  refuse(ask, changedSince(ask, facts.askHashes.get(ask.id)))
}
