/**
 * Random: ids that two machines may make at the same time. 36^6 are 2 thousand million; who makes one looks whether
 * it is taken.
 */
import { randomInt } from 'node:crypto'
import type { Random } from '../ports/world.ts'

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz'

export function systemRandom(): Random {
  return {
    id(prefix) {
      const digits = Array.from({ length: 6 }, () => DIGITS[randomInt(DIGITS.length)] ?? '0')
      return `${prefix}-${digits.join('')}`
    },
  }
}
