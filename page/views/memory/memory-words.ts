/** Kinds, people and scores in words. */
import type { MemoryEntry } from './use-memories.ts'

export const TYPES = [
  ['note', 'Note'],
  ['preference', 'Preference'],
  ['pattern', 'Pattern'],
  ['task_result', 'Result of a task'],
  ['conversation', 'Conversation'],
] as const

const KINDS: Readonly<Record<string, string>> = {
  memory: 'Memory',
  fact: 'Fact',
  history: 'Older value or summary',
  daily: 'Note of a day',
  task: 'Result of a task',
  session: 'Session',
  talk: 'Conversation',
  file: 'File',
}

export function kindName(kind: string): string {
  return KINDS[kind] ?? kind
}

export function kindWord({ kind, type }: MemoryEntry): string {
  return TYPES.find(([name]) => name === type)?.[1] ?? kindName(kind)
}

/** `member:kim` as `by kim`. */
export function speakerWord(speaker: string): string {
  if (speaker === 'human') return 'by the owner'
  if (speaker === 'neo') return 'by Neo'
  const [kind = '', name = ''] = speaker.split(':')
  if (name === '') return `by ${speaker}`
  return kind === 'session' ? 'by an agent' : `by ${name}`
}

/** @param score 0 to 1, times the weight of its kind */
export function scoreWord(score: number): string {
  if (score >= 0.75) return 'matches very well'
  if (score >= 0.5) return 'matches well'
  return score >= 0.3 ? 'matches partly' : 'matches a little'
}
