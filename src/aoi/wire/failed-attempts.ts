/** Failed authentications per address: who has too many in a minute waits for the next. Bounded, the oldest go first. */
import { isIPv6 } from 'node:net'
import type { PeerIncoming } from '../../ports/peer-port.ts'

const MOST_FAILURES = 30
const PER_MS = 60_000
const MOST_ADDRESSES = 4096

export class FailedAttempts {
  private readonly counts = new Map<string, { count: number; readonly until: number }>()

  /** Seconds to wait; 0: it may try. */
  waitS(address: string, now: number): number {
    const of = this.counts.get(address)
    if (of === undefined || of.count < MOST_FAILURES) return 0
    const leftMs = of.until - now
    if (leftMs > 0 && leftMs <= PER_MS) return Math.ceil(leftMs / 1000)
    this.counts.delete(address)
    return 0
  }

  failed(address: string, now: number): void {
    const of = this.counts.get(address)
    if (of !== undefined && of.until > now) {
      of.count += 1
      return
    }
    this.counts.delete(address)
    const [oldest] = this.counts.keys()
    if (this.counts.size >= MOST_ADDRESSES && oldest !== undefined) this.counts.delete(oldest)
    this.counts.set(address, { count: 1, until: now + PER_MS })
  }
}

/**
 * Whom to count a failure against. Behind a local proxy it is the last address that the proxy adds, since all come from
 * loopback; an IPv6 address counts with its network, of which one machine has all.
 */
export function countedAddress({
  remoteAddress,
  headers,
}: Pick<PeerIncoming, 'remoteAddress' | 'headers'>): string {
  const last = isLoopback(remoteAddress) ? headers['x-forwarded-for']?.split(',').at(-1)?.trim() : undefined
  const address = last === undefined || last.length > 64 ? remoteAddress : last
  return isIPv6(address) ? networkOf(address) : address
}

export function isLoopback(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(address)
}

/** The first 64 bits. */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length
  const groups = [...first, ...Array<string>(Math.max(0, zeros)).fill('0'), ...last]
  return groups
    .slice(0, 4)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':')
}
