/**
 * Local time in a zone: which instants a reading of the wall clock means, across daylight-saving changes. Pure.
 * Invariant 1: a reading that clocks skip means the instant at which they go on; one that comes twice means both.
 */

const DAY_MS = 86_400_000

/** Milliseconds that the zone's clocks are ahead of UTC at an instant. */
export function offsetAt(ms: number, zone: string): number {
  const parts = new Map(
    formatter(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const get = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0
  const wall = Date.UTC(get('year'), get('month') - 1, get('day'), get('hour'), get('minute'), get('second'))
  return wall - Math.floor(ms / 1000) * 1000
}

/** What the wall clock reads at an instant. */
export function wallOf(ms: number, zone: string): number {
  return ms + offsetAt(ms, zone)
}

/** The one offset that holds all through the day that begins at this reading; null if a clock change is near. */
export function steadyOffset(dayWall: number, zone: string): number | null {
  const [least, most] = offsetsNear(dayWall, zone)
  return least === most ? least : null
}

/** The least and the greatest offset around the day that begins at this reading. */
export function offsetsNear(dayWall: number, zone: string): readonly [least: number, most: number] {
  const [before, after] = [offsetAt(dayWall - DAY_MS, zone), offsetAt(dayWall + 2 * DAY_MS, zone)]
  return [Math.min(before, after), Math.max(before, after)]
}

/** The instants at which the wall clock reads so: one, or both of an hour that comes twice, earlier first. */
export function instantsOf(wall: number, zone: string): readonly number[] {
  const offsets = new Set([offsetAt(wall - DAY_MS, zone), offsetAt(wall + DAY_MS, zone)])
  const found = [...offsets].map((offset) => wall - offset).filter((ms) => wallOf(ms, zone) === wall)
  return found.length > 0 ? found.sort((a, b) => a - b) : [changeNear(wall, zone)]
}

/** The instant at which clocks jump over this reading. */
function changeNear(wall: number, zone: string): number {
  let [low, high] = [wall - DAY_MS, wall + DAY_MS]
  const before = offsetAt(low, zone)
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2000) * 1000
    if (offsetAt(middle, zone) === before) low = middle
    else high = middle
  }
  return high
}

/** Cached: creating a formatter costs a hundred times more than using it. */
const formatters = new Map<string, Intl.DateTimeFormat>()

function formatter(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formatters.set(zone, made)
  return made
}
