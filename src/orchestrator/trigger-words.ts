/**
 * What Neo is told of his triggers, and what others are told of his turns. Invariant 1: whatever a trigger says stands
 * inside a mark; outside are only words of ours and ids.
 */
import type { Trigger } from '../domain/plan/trigger.ts'
import { cutTo, dataLine, wrapped } from '../domain/agent/neo-data.ts'

export const INTERRUPTED =
  'Interrupted: unknown whether it was done. Look at the picture before you do it again; it is not repeated by itself'
export const NOT_BEGUN = 'Interrupted before it was begun: it was not done'

/** Of what people say, and of what tasks and sessions tell. */
const MESSAGE_LETTERS = 40_000
const DATA_LETTERS = 12_000

const GOES_ON =
  'You were interrupted in this turn, by a restart or a wait. Go on where you were; what has a result above is done.'

/** The message for triggers that came; `resumed`: the turn had begun before. '' where there is nothing to say. */
export function triggersText(triggers: readonly Trigger[], resumed: 'yes' | 'no'): string {
  return [...(resumed === 'yes' ? [GOES_ON] : []), ...triggers.map(triggerText)].join('\n\n')
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
      return `The task ${task} has failed for good. Think about why, and what follows.`
    case 'question':
      return `The session ${session} asks (${ask}) and waits. Answer it by send_message with session_id ${session} if you know the answer; else ask a person.`
    case 'ended':
      return `The task ${task}, which you made, has ended.`
    case 'report':
      return 'All tasks that you made for one goal have ended. Report to the people what came of it.'
  }
}

function idText(id: string | undefined): string {
  return id === undefined ? '' : dataLine(id, 80)
}

/** What people read where a turn ended otherwise than by an answer. */
export const STOPPED = {
  modelCalls: (most: number) => `Stopped after ${most} calls of the model in one turn; say if I am to go on.`,
  actions: (most: number) => `Stopped after ${most} actions in one turn; say if I am to go on.`,
  stuck: (name: string, reason: string) => `Stopped: ${name} failed three times: ${reason}`,
  refusal: (note: string) => `The model refused to answer this${note === '' ? '' : `: ${note}`}.`,
  overflow: 'Stopped: this does not fit into the model, even shortened.',
  byPerson: 'Stopped.',
  length: '(The answer was cut at the limit of its length.)',
} as const
