/**
 * `neo ask approve, deny, answer`: the same as editing the ask's file. Takes an id; changes a few lines of it.
 * Leaves to the engine: acting on it, at once where no daemon runs.
 * Invariant 1: the first decision stands; a later one, a late one, and one about something that has changed since it
 * was asked are refused with exit code 5.
 */
import { join } from 'node:path'
import type { Ask } from '../../core/model/ask.ts'
import { NeoError } from '../../core/model/error.ts'
import { lookOnce } from '../../flow/once.ts'
import { settleHome } from '../../flow/settle.ts'
import { editDocument, type Patch } from '../../formats/edit.ts'
import { editFile } from '../edit-file.ts'
import { usage } from '../failure.ts'
import { type Call, firstOf } from '../spec.ts'
import { readStdin } from '../stdin.ts'
import { openDesk } from '../task/open.ts'
import { type Opened, withWorld } from '../with-world.ts'
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
  return change(call, 'question', (ask) => ({ set: {}, body: withAnswer(ask.body, text) }))
}

function decide(call: Call, decision: 'approved' | 'denied'): Promise<number> {
  return change(call, 'approval', () => ({ set: { decision } }))
}

async function change(call: Call, kind: Ask['kind'], patchOf: (ask: Ask) => Patch): Promise<number> {
  return withWorld(call, async (opened) => {
    const desk = await openDesk(call)
    const found = findAsk(desk, firstOf(call))
    if (found.ask.kind !== kind)
      throw usage(
        `Cannot do that: "${found.ask.id}" is ${kind === 'question' ? 'an approval' : 'a question'}`,
        `neo ask ${kind === 'question' ? 'approve' : 'answer'} ${found.ask.id}`,
      )
    if (kind === 'approval') await refuseChanged(opened, found.ask)
    const { name } = await opened.world.git.person()
    const at = `${new Date(opened.world.clock.now()).toISOString().slice(0, 19)}Z`
    editFile(desk.files, join(desk.home, found.path), (text) => {
      const ask = readAskAt(desk, found.path)
      refuseLate(ask, opened.world.clock.now())
      const patch = patchOf(ask)
      return editDocument(text, { ...patch, set: { ...patch.set, decided_by: name, decided_at: at } })
    })
    const settled = await settleHome(opened.world, opened.home)
    const ask = readAskAt(desk, found.path)
    call.out.data(
      `ask.${kind === 'question' ? 'answer' : ask.decision === 'denied' ? 'deny' : 'approve'}`,
      askData({ ...found, ask }),
    )
    call.out.line(ask.id, 'is', kind === 'question' ? 'answered' : ask.decision)
    if (settled === 'settled') call.out.note('No daemon runs: neo watch or neo run goes on with it.')
    return 0
  })
}

function refuseLate(ask: Ask, now: number): void {
  if (ask.decision !== 'pending' || ask.handledAt !== undefined || ask.answer !== undefined)
    throw new NeoError(
      'refused',
      `Cannot decide "${ask.id}": it is ${ask.answer === undefined ? ask.decision : 'answered'} already`,
      {
        ...(ask.decidedBy === undefined
          ? {}
          : { why: `by ${ask.decidedBy}${ask.decidedAt === undefined ? '' : ` at ${ask.decidedAt}`}` }),
        next: `neo ask show ${ask.id}`,
      },
    )
  if (ask.expiresAt !== undefined && Date.parse(ask.expiresAt) <= now)
    throw new NeoError('refused', `Cannot decide "${ask.id}": it ended at ${ask.expiresAt}`, {
      why: 'no answer in time is no',
      next: 'neo task start, to be asked anew',
    })
}

/** What was shown is what runs. */
async function refuseChanged({ world, home }: Opened, ask: Ask): Promise<void> {
  const { facts } = await lookOnce(world, home)
  const present = facts.askHashes.get(ask.id)
  if (present === undefined || present === ask.action.sha256) return
  throw new NeoError('refused', `Cannot decide "${ask.id}": what it asks for has changed since`, {
    why: `it shows ${ask.action.sha256.slice(0, 12)}…, what would run now is ${present.slice(0, 12)}…`,
    next: 'neo watch or neo run: it is asked anew',
  })
}

/** Under `## Answer`, whatever stood there. */
function withAnswer(body: string, text: string): string {
  const before = body.replace(/^## +Answer[ \t]*$[\s\S]*/im, '').trimEnd()
  return `${before}\n\n## Answer\n\n${text.trim()}\n`
}
