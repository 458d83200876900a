/**
 * Which results of tasks are worth a memory, and what it says. Small things that went well are in git and in the index
 * already. Invariant 1: the same attempt of a task gives the same memory.
 */
import type { Task } from '../task/task.ts'

/** Results shorter than this say no more than the task's title. */
const LONG_RESULT = 80
const LONG_WORK = 800
const MOST = 900

export interface ResultMemory {
  /** `t-7f3k2q@2`: what has its memory already. */
  readonly key: string
  readonly title: string
  readonly text: string
  readonly importance: 'low' | 'normal'
}

/** @param handOver what its session wrote at the end; '' if it is not known */
export function resultMemory(task: Task, handOver: string): ResultMemory | null {
  const { id, attempt = 1, result = '', error = '' } = task.neo
  if (id === undefined) return null
  const key = `${id}@${attempt}`
  if (task.status === 'failed' && error.trim() !== '')
    return {
      key,
      title: task.title,
      importance: 'normal',
      text: cut(`"${task.title}" failed: ${error.trim()}`),
    }
  if (task.status !== 'completed' || result.trim() === '') return null
  const isReviewed = task.review === 'branch' || task.review === 'pr'
  if (result.length < LONG_RESULT && handOver.length < LONG_WORK && !isReviewed) return null
  const more =
    handOver.trim() === '' || handOver.includes(result.trim())
      ? handOver.trim()
      : `${result.trim()}\n\n${handOver.trim()}`
  const says = more === '' ? result.trim() : more
  return { key, title: task.title, importance: 'low', text: cut(`"${task.title}": ${says}`) }
}

function cut(text: string): string {
  const all = [...text]
  return all.length <= MOST ? text : `${all.slice(0, MOST - 1).join('')}…`
}
