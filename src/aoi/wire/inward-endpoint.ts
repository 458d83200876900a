/**
 * Whether an endpoint that a peer announces leads back into this machine or its cloud. Only announced ones are checked:
 * what a person writes in a peer's file may be anything. Names are not looked up: an announcement only becomes a question.
 */
import { BlockList, isIP } from 'node:net'

const RANGES: readonly (readonly [network: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 3],
  // Metadata of clouds: Alibaba, Oracle, Azure.
  ['100.100.100.200', 32],
  ['192.0.0.192', 32],
  ['168.63.129.16', 32],
  ['::', 127],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
  ['fd00:ec2::', 32],
  // They hold an IPv4 address, which could be any of the above.
  ['::ffff:0:0', 96],
  ['64:ff9b::', 32],
  ['2002::', 16],
  ['2001::', 32],
]
const NAMES = /^(?:localhost|.+\.(?:localhost|localdomain|internal)|metadata|instance-data)$/

/** Two lists: node checks an IPv4 address against rules for `::ffff:0:0` too. */
const inward = { ipv4: new BlockList(), ipv6: new BlockList() }
for (const [network, bits] of RANGES) {
  const family = network.includes(':') ? 'ipv6' : 'ipv4'
  inward[family].addSubnet(network, bits, family)
}

/** True also if it is not an http:// or https:// address of a server, or has a user name in it. */
export function isInward(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return true
  const { protocol, hostname, username, password } = new URL(endpoint)
  if ((protocol !== 'https:' && protocol !== 'http:') || username + password !== '') return true
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const version = isIP(host)
  if (version === 0) return host === '' || NAMES.test(host)
  const family = version === 4 ? 'ipv4' : 'ipv6'
  return inward[family].check(host, family)
}
