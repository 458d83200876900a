/** A status by shape, colour and word, so that none of them is needed alone. */
import type { TaskStatus } from '../store/types.ts'

/** In the order of the board. */
export const STATUSES: readonly TaskStatus[] = [
  'draft',
  'pending',
  'in_progress',
  'blocked',
  'review',
  'completed',
  'failed',
  'cancelled',
]

export const STATUS_WORDS: Readonly<Record<TaskStatus, string>> = {
  draft: 'Draft',
  pending: 'Pending',
  in_progress: 'In progress',
  blocked: 'Blocked',
  review: 'Review',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
}

const SHAPES: Readonly<Record<TaskStatus, string>> = {
  draft: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11',
  pending: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11',
  in_progress: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M8 5v3l2 1.5',
  blocked: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M5.5 8h5',
  review: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M8 7.5a.5.5 0 1 0 .01 0',
  completed: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M5.5 8l2 2 3-3.5',
  failed: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M6 6l4 4M10 6l-4 4',
  cancelled: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M4.2 11.8l7.6-7.6',
}

interface StatusMarkProps {
  readonly status: TaskStatus
  readonly word?: boolean
  /** Instead of the status's own word. */
  readonly label?: string
}

export function StatusMark({ status, word, label = STATUS_WORDS[status] }: StatusMarkProps) {
  return (
    <span class="status" data-status={status}>
      <svg class="icon" viewBox="0 0 16 16" role="img" aria-label={label}>
        <path d={SHAPES[status]} />
      </svg>
      {word === true ? <span aria-hidden="true">{label}</span> : null}
    </span>
  )
}
