/**
 * Encrypts private conversations: AES-256-GCM with a key that scrypt derives from a passphrase, as a stream. Invariant
 * 1: a new salt and nonce each time. Invariant 2: if the tag is wrong, `final` throws, and the caller discards all
 * decrypted bytes. Invariant 3: the passphrase is never an argument, which other users and the shell's history would see.
 */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { whyOf } from '../../domain/home/error.ts'
import { usage } from '../cli-failure.ts'
import type { Call } from '../spec.ts'

export interface Seal {
  readonly cipher: 'aes-256-gcm'
  readonly kdf: 'scrypt'
  readonly cost: number
  readonly salt: string
  readonly nonce: string
}

const COST = 65_536
/** What a file may ask of us: 1 GiB would be a way to stop a machine. */
const MOST_COST = 262_144
const TAG = 16

export function newSeal(): Seal {
  return {
    cipher: 'aes-256-gcm',
    kdf: 'scrypt',
    cost: COST,
    salt: randomBytes(16).toString('hex'),
    nonce: randomBytes(12).toString('hex'),
  }
}

/** Null if it is not a valid seal. */
export function readSeal(value: unknown): Seal | null {
  if (typeof value !== 'object' || value === null) return null
  const { cipher, kdf, cost, salt, nonce } = value as Readonly<Record<string, unknown>>
  const isCost = typeof cost === 'number' && [16_384, 32_768, COST, 131_072, MOST_COST].includes(cost)
  const isHex = (text: unknown, length: number) =>
    typeof text === 'string' && new RegExp(`^[0-9a-f]{${length}}$`).test(text)
  if (cipher !== 'aes-256-gcm' || kdf !== 'scrypt' || !isCost) return null
  return isHex(salt, 32) && isHex(nonce, 24) ? (value as Seal) : null
}

export interface Sealing {
  /** Returns the bytes that are ready. */
  update(bytes: Buffer): Buffer
  /** The rest; throws if the data was changed or the passphrase is wrong. */
  final(): Buffer
}

export async function sealing(seal: Seal, passphrase: string): Promise<Sealing> {
  const cipher = createCipheriv('aes-256-gcm', await keyOf(seal, passphrase), Buffer.from(seal.nonce, 'hex'))
  cipher.setAAD(Buffer.from(JSON.stringify(seal)))
  return {
    update: (bytes) => cipher.update(bytes),
    final: () => Buffer.concat([cipher.final(), cipher.getAuthTag()]),
  }
}

export async function unsealing(seal: Seal, passphrase: string): Promise<Sealing> {
  const key = await keyOf(seal, passphrase)
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(seal.nonce, 'hex'), {
    authTagLength: TAG,
  })
  const { cipher, kdf, cost, salt, nonce } = seal
  decipher.setAAD(Buffer.from(JSON.stringify({ cipher, kdf, cost, salt, nonce })))
  // The tag comes last and is not part of the text.
  let held = Buffer.alloc(0)
  return {
    update(bytes) {
      const all = Buffer.concat([held, bytes])
      const end = Math.max(0, all.length - TAG)
      held = all.subarray(end)
      return decipher.update(all.subarray(0, end))
    },
    final() {
      if (held.length < TAG) throw new Error('the data is incomplete')
      decipher.setAuthTag(held)
      return decipher.final()
    },
  }
}

function keyOf({ cost, salt }: Seal, passphrase: string): Promise<Buffer> {
  const options = { N: cost, r: 8, p: 1, maxmem: 160 * 8 * cost }
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFC'), Buffer.from(salt, 'hex'), 32, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    )
  })
}

const LEAST = 8
const NEXT = 'set NEO_PASSPHRASE, use --passphrase-fd 3 3<FILE, or run the command in a terminal'

/** @param how `twice`: a new passphrase, typed twice and long enough */
export async function passphraseFor(call: Call, how: 'once' | 'twice'): Promise<string> {
  const given = fromDescriptor(call) ?? call.around.env['NEO_PASSPHRASE'] ?? null
  const passphrase = given ?? (await typed(call, how))
  if (how === 'twice' && [...passphrase].length < LEAST)
    throw usage(`The passphrase is too short: use at least ${LEAST} characters`, NEXT)
  if (passphrase === '') throw usage('The passphrase is empty', NEXT)
  return passphrase
}

function fromDescriptor(call: Call): string | null {
  const text = call.text('passphraseFd')
  if (text === null) return null
  if (!/^\d{1,4}$/.test(text))
    throw usage(`Cannot read the passphrase: "${text}" is not a file descriptor`, NEXT)
  try {
    return readFileSync(Number(text), 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw usage(`Cannot read the passphrase from descriptor ${text}: ${whyOf(error)}`, NEXT)
  }
}

async function typed(call: Call, how: 'once' | 'twice'): Promise<string> {
  const { stdin, stderr } = call.around
  if (stdin.isTTY !== true || stderr.isTTY !== true)
    throw usage('Cannot ask for the passphrase: there is no terminal', NEXT)
  const first = await ask(call, 'Passphrase: ')
  if (how === 'once') return first
  if ((await ask(call, 'Repeat the passphrase: ')) !== first)
    throw usage('The two passphrases differ', 'run the command again')
  return first
}

/** Reads one line without showing it. */
function ask(call: Call, prompt: string): Promise<string> {
  const { stdin, stderr } = call.around
  // Before the prompt, so that early keys are not shown.
  stdin.setRawMode(true)
  stderr.write(prompt)
  stdin.resume()
  return new Promise((resolve, reject) => {
    let line = ''
    const end = (finish: () => void) => {
      stdin.off('data', take)
      stdin.setRawMode(false)
      stdin.pause()
      stderr.write('\n')
      finish()
    }
    const take = (bytes: Buffer | string) => {
      for (const letter of String(bytes)) {
        if (letter === '\r' || letter === '\n') return end(() => resolve(line))
        if (letter === '\u0003' || letter === '\u0004')
          return end(() => reject(usage('No passphrase was given', NEXT)))
        line = letter === '\u007f' || letter === '\b' ? [...line].slice(0, -1).join('') : line + letter
      }
    }
    stdin.on('data', take)
  })
}
