/** Whether a line that a command-line agent printed says that a limit of a server is reached. Pure. */

export type Event = Readonly<Record<string, unknown>>

const BUSY_STATUS = new Set<unknown>([
  429,
  529,
  '429',
  '529',
  'RESOURCE_EXHAUSTED',
  'rate_limit_error',
  'overloaded_error',
])
export const BUSY_TEXT =
  /\b(?:HTTP|status|status_?code|code|error)\W{0,3}(?:code\W{0,3})?(?:429|529)\b|\b429\b.{0,20}(?:too many|rate|quota|limit)|too many requests|RESOURCE_EXHAUSTED|rate_limit_(?:exceeded|error)|\b(?:usage|rate|session|weekly) limit (?:was |has been |is )?(?:reached|exceeded|hit)\b|\bhit your .{0,40}\blimit\b/i
/** Events are looked into so far. */
export const DEEPEST = 4

/** Whether a line has a status, at any depth, that says a limit of the server is reached. */
export function isBusy(event: Event | null, line: string): boolean {
  if (event === null) return BUSY_TEXT.test(line)
  return event['type'] !== 'user' && hasBusyStatus(event, 0)
}

function hasBusyStatus(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return false
  return Object.entries(value).some(([key, one]) => {
    if (/status|code|type/i.test(key) && BUSY_STATUS.has(one)) return true
    if (key === 'message' && typeof one === 'string') return BUSY_TEXT.test(one)
    return hasBusyStatus(one, depth + 1)
  })
}
