/** How many of a thing, in words: `1 fact`, `2,000 facts`. Pure. */

export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${String(count).replace(THOUSANDS, ',')} ${count === 1 ? noun : plural}`
}

const THOUSANDS = /\B(?=(?:\d{3})+$)/g
