/** The closed lists of the nouns: what the files of a home may say. */
import { expect, test } from 'vitest'
import { ASK_DECISIONS } from '../../../src/domain/ask/ask.ts'
import { ROOM_STATUSES } from '../../../src/domain/room/room.ts'
import { SESSION_STATUSES } from '../../../src/domain/session/session.ts'
import {
  BLOCKED_BY,
  ENDED,
  ON_INTERRUPT,
  PRIORITIES,
  REVIEWS,
  TASK_STATUSES,
} from '../../../src/domain/task/task.ts'

test.each([
  ['TASK_STATUSES', TASK_STATUSES, 'draft pending in_progress blocked review completed failed cancelled'],
  ['ENDED', [...ENDED], 'completed failed cancelled'],
  ['PRIORITIES', PRIORITIES, 'low normal high urgent'],
  ['REVIEWS', REVIEWS, 'none branch pr'],
  ['ON_INTERRUPT', ON_INTERRUPT, 'retry ask fail'],
  ['BLOCKED_BY', BLOCKED_BY, 'model budget ask interrupted filter'],
  ['ROOM_STATUSES', ROOM_STATUSES, 'active paused archived'],
  ['ASK_DECISIONS', ASK_DECISIONS, 'pending approved denied'],
  [
    'SESSION_STATUSES',
    SESSION_STATUSES,
    'starting running waiting_for_input verifying completed failed stopped',
  ],
])('%s lists what the formats name, in their order', (_name, list, words) => {
  expect(list.join(' ')).toBe(words)
})
