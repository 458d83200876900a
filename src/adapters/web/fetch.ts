/**
 * The port Web: one page of the public internet as text, redirects followed. Invariants: 1. at every hop all addresses of
 * the name are looked up and have to be public, and the connection goes to one of just these, so that a name which
 * changes its address gains nothing; 2. the time limit is for everything together, lookups included; 3. an address that
 * isn't known to be public is not: of IPv6 only 2000::/3, without the ranges in it that stand for IPv4 addresses or
 * nothing; an IPv4 address written as IPv6 is never public.
 */
import { lookup } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import type { Duplex, Readable } from 'node:stream'
import zlib from 'node:zlib'
import type { Fetched, Web } from '../../ports/web-port.ts'
import { codeOf } from '../disk/fs.ts'
import { reduceHtml } from './reduce.ts'

interface Got {
  readonly status: number
  readonly type: string
  /** Where a redirect leads; '' for none. */
  readonly location: string
  readonly body: Buffer
  readonly cut: boolean
}

const HEADERS = {
  'user-agent': 'neo-rooms',
  accept: 'text/html,text/markdown,text/plain,application/json;q=0.9,*/*;q=0.5',
  'accept-encoding': 'gzip, deflate, br',
}
/** Types whose body is text; for others it is not read. */
const TEXT =
  /^(text\/|application\/(?:[\w.+-]+\+)?(?:json|xml|yaml|x-yaml|toml|javascript|x-ndjson|x-sh)\b|$)/i

async function get(
  url: URL,
  address: string,
  limits: { readonly bytes: number; readonly signal: AbortSignal },
): Promise<Got> {
  const answer = await answered(url, address, limits.signal)
  const status = answer.statusCode ?? 0
  const type = answer.headers['content-type'] ?? ''
  const location = status >= 300 && status < 400 ? (answer.headers.location ?? '') : ''
  if (location !== '' || !isText(type)) {
    answer.destroy()
    return { status, type, location, body: Buffer.alloc(0), cut: false }
  }
  const { body, cut } = await bodyOf(unpacked(answer), limits.bytes)
  answer.destroy()
  return { status, type, location, body, cut }
}

function isText(type: string): boolean {
  return TEXT.test(type.trim())
}

function answered(url: URL, address: string, signal: AbortSignal): Promise<http.IncomingMessage> {
  const lookup: LookupFunction = (_, options, done) => {
    const family = isIP(address)
    if (options.all === true) done(null, [{ address, family }])
    else done(null, address, family)
  }
  return new Promise((resolve, reject) => {
    const start = url.protocol === 'https:' ? https.get : http.get
    const request = start(url, { lookup, agent: false, headers: HEADERS, signal })
    request.once('response', resolve)
    request.once('error', reject)
  })
}

/** By the coding that an answer names. */
const UNPACK = new Map<string, () => Duplex>([
  ['gzip', zlib.createGunzip],
  ['x-gzip', zlib.createGunzip],
  ['deflate', zlib.createInflate],
  ['br', zlib.createBrotliDecompress],
])

function unpacked(answer: http.IncomingMessage): Readable {
  const unpack = UNPACK.get((answer.headers['content-encoding'] ?? '').trim().toLowerCase())?.()
  if (unpack === undefined) return answer
  answer.on('error', (error) => unpack.destroy(error))
  return answer.pipe(unpack)
}

async function bodyOf(
  stream: Readable,
  most: number,
): Promise<{ readonly body: Buffer; readonly cut: boolean }> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk)
    chunks.push(bytes.subarray(0, most - length))
    length += bytes.length
    if (length > most) return { body: Buffer.concat(chunks), cut: true }
  }
  return { body: Buffer.concat(chunks), cut: false }
}

export interface WebOptions {
  /** Lets an address in that is not public; set by tests alone. */
  readonly allow?: (address: string) => boolean
  /** All addresses of a name. */
  readonly resolve?: (host: string) => Promise<readonly string[]>
}

const MOST_REDIRECTS = 5

type Refused = { readonly refused: string }
type Limits = Parameters<Web['fetch']>[1]

export function openWeb(options: WebOptions = {}): Web {
  return {
    fetch: async (url, limits) => {
      const timeout = AbortSignal.timeout(limits.ms)
      const signal = AbortSignal.any([limits.signal, timeout])
      try {
        return await follow(url, { ...limits, signal }, options)
      } catch (error) {
        if (limits.signal.aborted) return { refused: 'stopped' }
        if (timeout.aborted) return { refused: `it took longer than ${limits.ms / 1000} s` }
        return { refused: reasonOf(error) }
      }
    },
  }
}

async function follow(from: string, limits: Limits, options: WebOptions): Promise<Fetched | Refused> {
  let next = from
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    const url = checked(next)
    if ('refused' in url) return url
    const address = await addressOf(url, limits.signal, options)
    if (typeof address !== 'string') return address
    const got = await get(url, address, limits)
    if (got.location === '') return fetched(url, got)
    if (!URL.canParse(got.location, url.href))
      return { refused: `${url.host} leads on to something that is no address` }
    next = new URL(got.location, url).href
  }
  return { refused: `it leads on more than ${MOST_REDIRECTS} times` }
}

function checked(text: string): URL | Refused {
  if (!URL.canParse(text)) return { refused: 'it is no address, want one such as https://host/path' }
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { refused: `${url.protocol} is not allowed, want http: or https:` }
  }
  if (url.username !== '' || url.password !== '') return { refused: 'it has a user name or password in it' }
  return url.hostname === '' ? { refused: 'it has no host' } : url
}

/** The address to connect to; refused where any address of the name is not public. */
async function addressOf(url: URL, signal: AbortSignal, options: WebOptions): Promise<string | Refused> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const all = isIP(host) === 0 ? await aborting((options.resolve ?? resolveAll)(host), signal) : [host]
  const allow = options.allow ?? (() => false)
  for (const address of all) {
    const what = notPublic(address)
    if (what !== null && !allow(address)) return { refused: `${host} is not allowed: its address is ${what}` }
  }
  return all[0] ?? { refused: `${host} has no address` }
}

async function resolveAll(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map((entry) => entry.address)
}

/** Looking up names cannot be stopped, but need not be waited for. */
function aborting<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Error('stopped'))
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

function fetched(url: URL, got: Got): Fetched | Refused {
  const type = (got.type.split(';')[0] ?? '').trim().toLowerCase()
  if (!isText(type)) return { refused: `it is ${type.slice(0, 100)}, want text` }
  const text = decoded(got)
  if (text.includes('\0')) return { refused: 'it is binary, want text' }
  const isHtml = /html/.test(type) || (type === '' && /^\s*<(!doctype|html)/i.test(text))
  return {
    url: url.href,
    status: got.status,
    type,
    text: isHtml ? reduceHtml(text, url.href) : text,
    cut: got.cut,
  }
}

function decoded({ type, body }: Got): string {
  const charset = /charset\s*=\s*["']?([\w.:-]+)/i.exec(type)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(body)
  } catch {
    return new TextDecoder().decode(body)
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'names cannot be looked up now',
  ECONNREFUSED: 'nobody answers there (connection refused)',
  ECONNRESET: 'the connection was cut',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'nobody answers there',
}

function reasonOf(error: unknown): string {
  const code = codeOf(error)
  return REASONS[code] ?? (error instanceof Error ? (error.message.split('\n')[0] ?? code) : String(error))
}

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
