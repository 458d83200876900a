/**
 * Which addresses belong to the public internet. Invariant 1: what is not known to be public is not: of IPv6 only
 * 2000::/3, without the ranges in it that stand for IPv4 addresses or nothing; an IPv4 address in the clothes of IPv6 is
 * never public.
 */
import { BlockList, isIP } from 'node:net'

const V4: readonly (readonly [network: string, bits: number, what: string])[] = [
  ['0.0.0.0', 8, 'this machine'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'of a carrier'],
  ['127.0.0.0', 8, 'this machine'],
  ['169.254.0.0', 16, 'link-local'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'reserved'],
  ['192.0.2.0', 24, 'reserved'],
  ['192.88.99.0', 24, 'reserved'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'reserved'],
  ['198.51.100.0', 24, 'reserved'],
  ['203.0.113.0', 24, 'reserved'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved'],
  // Metadata of a cloud, at an address that looks public.
  ['168.63.129.16', 32, 'of the host of a virtual machine'],
]
const V6: readonly (readonly [network: string, bits: number, what: string])[] = [
  ['2001::', 23, 'reserved'],
  ['2001:db8::', 32, 'reserved'],
  ['2002::', 16, 'an IPv4 address in the clothes of IPv6'],
  ['3fff::', 20, 'reserved'],
]

const blocked = [...V4, ...V6].map(([network, bits, what]) => ({ list: listOf(network, bits), what }))
const global = listOf('2000::', 3)

/** Null for a public address, else what it is, for a sentence: `10.0.0.1 is private`. */
export function notPublic(address: string): string | null {
  const version = isIP(address)
  if (version === 0) return 'no IP address'
  const family = version === 4 ? 'ipv4' : 'ipv6'
  if (
    family === 'ipv6' &&
    (address.includes('.') || address.includes('%') || !global.check(address, 'ipv6'))
  ) {
    return 'not of the public internet'
  }
  return blocked.find(({ list }) => list.check(address, family))?.what ?? null
}

function listOf(network: string, bits: number): BlockList {
  const list = new BlockList()
  list.addSubnet(network, bits, network.includes(':') ? 'ipv6' : 'ipv4')
  return list
}
