/** Times as people read them. */

/** `09:00:05` */
export function clockText(at: string): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime())
    ? at
    : [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')
}

/** `2026-03-01 09:00:05` */
export function dateText(at: string): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return at
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clockText(at)}`
}

/** `5 s`, `3 min`, `2 h`, `4 d` */
export function spanText(ms: number): string {
  if (!(ms >= 0)) return ''
  const seconds = ms / 1000
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  return seconds < 2 * 86_400 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}
