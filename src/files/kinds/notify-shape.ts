/** How notices are wished for, in ROOM.md (`notify:`, one entry a place) and in a member's file. */
import { NOTICE_KINDS, type NotifyRule } from '../../domain/room/notice-kinds.ts'
import { duration, msOf } from '../values/duration.ts'
import { nonEmptyText } from '../values/header-values.ts'
import { choice, type Infer, keys, list, matching, describe } from '../values/shape.ts'

const HOURS = /^([01]?\d|2[0-4])-([01]?\d|2[0-4])$/

const RULE = {
  what: describe('Kinds of notices to send. Default: all.', list(choice(...NOTICE_KINDS))),
  quiet: describe('Hours in which notices wait, such as `22-7`.', matching('hours such as 22-7', HOURS)),
  digest: describe(
    'Collect notices for this long and send them as one message. Default: 0, at once.',
    duration,
  ),
}

export const notifyRule = keys(RULE)
export const notifyTo = keys({ to: describe('Channel, such as `telegram:123456`.', nonEmptyText), ...RULE })

export function ruleOf({ what, quiet, digest }: Infer<typeof notifyRule>): NotifyRule {
  const [, from, to] = HOURS.exec(quiet ?? '') ?? []
  return {
    what: what ?? null,
    quiet: from === undefined || to === undefined ? null : [Number(from), Number(to)],
    digestMs: msOf(digest) ?? 0,
  }
}
