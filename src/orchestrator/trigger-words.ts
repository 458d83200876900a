/**
 * Texts about triggers and turns: for the model, and for people. Invariant 1: the content of a trigger is inside a
 * mark; outside are only Neo's own words and ids.
 */

import { cutTo, dataLine, wrapped } from '../domain/agent/neo-data.ts'
import type { Trigger } from '../domain/plan/decision.ts'

export const INTERRUPTED =
  'Interrupted: it may or may not have been done. It is not retried by itself; check the picture before you do it again'
export const NOT_BEGUN = 'Interrupted before it started: it was not done'

/** Of what people say, and of what tasks and sessions tell. */
const MESSAGE_LETTERS = 40_000
const DATA_LETTERS = 12_000

const GOES_ON =
  'You were interrupted in this turn, by a restart or a wait. Continue where you stopped; calls that have a result above are done.'

/** The message for triggers that came; `isResumed`: the turn had begun before. '' if there is nothing to say. */
export function triggersText(triggers: readonly Trigger[], isResumed: boolean): string {
  return [...(isResumed ? [GOES_ON] : []), ...triggers.map(triggerText)].join('\n\n')
}

function triggerText({ kind, from, text, task, session, ask }: Trigger): string {
  const about = { from, task, session, ask }
  if (kind === 'message' && mayInstruct(from)) return wrapped('message', about, cutTo(text, MESSAGE_LETTERS))
  const data = wrapped('data', about, cutTo(text, DATA_LETTERS))
  if (kind === 'message') return data
  return `${headline(kind, { task: idText(task), session: idText(session), ask: idText(ask) })}\n${data}`
}

/** People, by their editor too, and what they have scheduled; a session or a task never says what is wanted. */
function mayInstruct(from: string): boolean {
  return /^(?:human|editor|system|neo|member:.*|neo:.*)$/s.test(from)
}

function headline(
  kind: Exclude<Trigger['kind'], 'message'>,
  { task, session, ask }: { readonly task: string; readonly session: string; readonly ask: string },
): string {
  switch (kind) {
    case 'failed':
      return `The task ${task} has failed and is not retried. Think about why, and what to do next.`
    case 'question':
      return `The session ${session} asks a question (${ask}) and waits for the answer. If you know it, answer with send_message and session_id ${session}; otherwise ask a person.`
    case 'ended':
      return `The task ${task}, which you created, has ended.`
    case 'report':
      return 'All tasks that you created for one goal have ended. Report the outcome to the people.'
  }
}

function idText(id: string | undefined): string {
  return id === undefined ? '' : dataLine(id, 80)
}

/** Replies for a turn that did not end with an answer. */
export const STOPPED = {
  modelCalls: (most: number) =>
    `Stopped after ${most} model calls in one turn. Tell me if I should continue.`,
  actions: (most: number) => `Stopped after ${most} actions in one turn. Tell me if I should continue.`,
  stuck: (name: string, reason: string) => `Stopped: ${name} failed three times: ${reason}`,
  refusal: (note: string) => `The model refused to answer${note === '' ? '' : `: ${note}`}.`,
  overflow: 'Stopped: the conversation does not fit the context window of the model, even shortened.',
  byPerson: 'Stopped.',
  length: '(The answer reached the length limit of the model and was cut.)',
} as const
