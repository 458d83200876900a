/**
 * The ask file, `rooms/<room>/asks/<id>.md`: reading it. Invariant 1: what cannot be read as a decision is no decision.
 */
import { ASK_DECISIONS, type Ask } from '../../domain/ask/ask.ts'
import type { Read } from '../header/read-header.ts'
import type { CheckContext } from '../values/check-value.ts'
import {
  camelKeys,
  createdBy,
  id,
  neoBlock,
  nonEmptyText,
  withoutUndefined,
} from '../values/header-values.ts'
import { baseName, type Covers, needs, readKind } from '../values/kind.ts'
import { anything, choice, describe, type Infer, keys, map, text, textList } from '../values/shape.ts'
import { instantOf, time } from '../values/times.ts'
import { answerFlaw, answerOf } from './ask-answer.ts'

export const askShape = keys({
  kind: describe('Approval request or question.', choice('approval', 'question')),
  session: describe('Session that asks.', id),
  task: describe('Task that the request is about.', id),
  action: describe(
    'What an approval allows.',
    keys({
      tool: describe('Name of the tool.', nonEmptyText),
      arguments: describe('Arguments of the tool.', map(anything())),
      files: describe('Workspace files that the arguments name.', textList(nonEmptyText)),
      sha256: describe(
        'Hash of tool, arguments and files. If they change after the request, Neo asks again.',
        text(),
      ),
    }),
  ),
  reason: describe('Reason in one line.', text()),
  expires_at: describe('Time after which an unanswered request is denied.', time),
  decision: describe('Your decision. Answer a question under `## Answer` instead.', choice(...ASK_DECISIONS)),
  decided_by: describe('Who decided the request.', text()),
  decided_at: describe('Time of the decision.', time),
  handled_at: describe('Time at which Neo acted on the decision.', time),
  neo: describe(
    'Bookkeeping of Neo, always last. Do not edit it.',
    keys({ ...neoBlock, created_by: createdBy }),
  ),
})
type AskGiven = Infer<typeof askShape>

/** The file name is the id if the header has none. Local times are read in `zone`. */
export function readAsk(file: string, bytes: Buffer | string, zone = 'UTC'): Read<Ask> {
  return readKind(file, bytes, {
    shape: askShape,
    build: (known, doc, on) => {
      const ask = buildAsk(known, doc.body, { file, zone, on })
      warnOfAnswer(on, ask, doc.bodyLine)
      return ask
    },
  })
}

function buildAsk(
  known: AskGiven,
  body: string,
  at: { file: string; zone: string; on: CheckContext },
): Covers<Ask, AskGiven, { neo: 'id' }, 'createdBy' | 'answer' | 'body'> {
  needs(at.on, known, ['kind'])
  const utc = (value: string | undefined): string | undefined => instantOf(value ?? '', at.zone) ?? undefined
  const { action, expires_at, decided_at, handled_at, neo, ...same } = known
  return {
    id: neo?.id ?? baseName(at.file),
    kind: 'approval',
    reason: '',
    decision: 'pending',
    ...camelKeys(same),
    action: { tool: '', arguments: {}, files: [], sha256: '', ...camelKeys(action ?? {}) },
    ...withoutUndefined<Partial<Ask>>({
      expiresAt: utc(expires_at),
      decidedAt: utc(decided_at),
      handledAt: utc(handled_at),
      createdBy: neo?.created_by,
      answer: known.kind === 'question' ? answerOf(body) : undefined,
    }),
    body,
  }
}

/** Warns about an open question with an answer in a place where Neo doesn't read it. */
function warnOfAnswer({ file, problems }: CheckContext, ask: Ask, bodyLine: number): void {
  const isOpen = ask.kind === 'question' && ask.handledAt === undefined && ask.decision === 'pending'
  if (!isOpen || ask.answer !== undefined) return
  const isCut = ask.reason.endsWith('…')
  const asked = ask.session === undefined || isCut ? null : ask.reason.replaceAll(/\s+/g, ' ').trim()
  const flaw = answerFlaw(ask.body, asked)
  if (flaw === null) return
  const { message, hint } = flaw
  const line = bodyLine + flaw.line
  problems.push({ file, line, column: 1, severity: 'warning', code: 'answer', message, hint })
}
