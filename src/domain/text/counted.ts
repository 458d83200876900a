/** How many of a thing, in words: `1 fact`, `2,000 facts`. Pure. */

export function counted(count: number, noun: string): string {
  return `${String(count).replace(THOUSANDS, ',')} ${noun}${count === 1 ? '' : 's'}`
}

const THOUSANDS = /\B(?=(?:\d{3})+$)/g
