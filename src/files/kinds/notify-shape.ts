/**
 * How notices are wished for, in ROOM.md (`notify:`, one entry a place) and in a member's file.
 */
import { NOTICE_KINDS, type NotifyRule } from '../../domain/room/notice-kinds.ts'
import { duration, msOf } from '../values/duration.ts'
import { filled } from '../values/header-values.ts'
import { choice, type Given, keys, list, matching, said } from '../values/shape.ts'

const HOURS = /^([01]?\d|2[0-4])-([01]?\d|2[0-4])$/

const RULE = {
  what: said('Kinds of notices. Default: all.', list(choice(...NOTICE_KINDS))),
  quiet: said('Hours in which nothing is sent; it comes after them.', matching('hours such as 22-7', HOURS)),
  digest: said('Notices are gathered for this long, and sent as one message.', duration),
}

export const notifyRule = keys(RULE)
export const notifyTo = keys({ to: said('The channel, such as `telegram:123456`.', filled), ...RULE })

export function ruleOf({ what, quiet, digest }: Given<typeof notifyRule>): NotifyRule {
  const [, from, to] = HOURS.exec(quiet ?? '') ?? []
  return {
    what: what ?? null,
    quiet: from === undefined || to === undefined ? null : [Number(from), Number(to)],
    digestMs: msOf(digest) ?? 0,
  }
}
