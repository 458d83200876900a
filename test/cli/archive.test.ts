/** The file of an export as a codec: what was put in comes out, and no other file is taken for one. */
import { closeSync, fstatSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { openArchiveReader, openArchiveWriter } from '../../src/cli/export/archive.ts'
import { newSeal, readSeal, sealing, unsealing } from '../../src/cli/export/seal.ts'

const dir = mkdtempSync(join(tmpdir(), 'neo-archive-'))
const path = join(dir, 'home.neo')
afterAll(() => rmSync(dir, { recursive: true, force: true }))

interface Part {
  readonly path: string
  readonly mode: '644' | '755'
  readonly bytes: Buffer
}

async function written(about: unknown, parts: readonly Part[]): Promise<Buffer> {
  const pieces: Buffer[] = []
  const writer = openArchiveWriter((bytes) => void pieces.push(Buffer.from(bytes)))
  writer.begin(about)
  for (const { bytes, ...head } of parts) await writer.bytes({ kind: 'file', ...head }, bytes)
  writer.end()
  return Buffer.concat(pieces)
}

async function readBack(
  bytes: Buffer,
): Promise<{ readonly about: unknown; readonly parts: readonly Part[] }> {
  writeFileSync(path, bytes)
  const fd = openSync(path, 'r')
  try {
    const { about, entries } = openArchiveReader({ fd, size: fstatSync(fd).size, name: 'x' })
    const parts: Part[] = []
    for await (const { head, body } of entries()) {
      const chunks: Buffer[] = []
      for await (const chunk of body()) chunks.push(Buffer.from(chunk))
      parts.push({ path: head.path, mode: head.mode ?? '644', bytes: Buffer.concat(chunks) })
    }
    return { about, parts }
  } finally {
    closeSync(fd)
  }
}

const parts = fc.array(
  fc.record({
    path: fc.string({ unit: 'binary', maxLength: 30 }),
    mode: fc.constantFrom('644', '755'),
    bytes: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  }),
  { maxLength: 4 },
) as fc.Arbitrary<readonly Part[]>

test('an archive gives back its header and its entries, byte for byte', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.string()), parts, async (about, all) => {
      const json = JSON.parse(JSON.stringify({ about, all: all.map((one) => one.path) })) as { all: string[] }
      const back = await readBack(await written({ about }, all))
      expect(back.about).toEqual({ about: (json as unknown as { about: unknown }).about })
      expect(back.parts).toEqual(all.map((one, at) => ({ ...one, path: json.all[at] })))
    }),
    { numRuns: 40 },
  )
})

const SMALL: readonly Part[] = [
  { path: 'a', mode: '644', bytes: Buffer.from('one\n{"two": 2}\n') },
  { path: 'empty', mode: '755', bytes: Buffer.alloc(0) },
]

test('no beginning of an archive is an archive', async () => {
  const whole = await written({ a: 1 }, SMALL)
  for (let end = 0; end < whole.length; end++)
    await expect(readBack(whole.subarray(0, end)), `cut at ${end}`).rejects.toThrow(/^Cannot import "x": /)
})

test('an archive with one other byte is refused, wherever it is', async () => {
  const whole = await written({ a: 1 }, SMALL)
  for (let at = 0; at < whole.length; at++) {
    const other = Buffer.from(whole)
    other[at] = (other[at] ?? 0) ^ 0x01
    await expect(readBack(other), `byte ${at}`).rejects.toThrow(/^Cannot import "x": /)
  }
})

test.each([
  ['nothing', '', 'it is not a file from neo export'],
  ['text', 'Hello', 'it is not a file from neo export'],
  ['the start of the first line', 'NEO-EX', 'the file is incomplete'],
  ['a later version', 'NEO-EXPORT 2\n{}\n', 'a newer version of Neo made it'],
  ['no header', 'NEO-EXPORT 1\n', 'the header is missing or incomplete'],
  ['a header that is no object', 'NEO-EXPORT 1\n5\n', "the header can't be read: the file was changed"],
  [
    'a size beyond its end',
    'NEO-EXPORT 1\n{}\n{"kind":"file","path":"a","size":999}\n',
    'entry 1 is incomplete or changed',
  ],
  [
    'a size below zero',
    'NEO-EXPORT 1\n{}\n{"kind":"file","path":"a","size":-1}\n',
    'entry 1 is incomplete or changed',
  ],
])('a file with %s is refused with its reason', async (_, text, why) => {
  await expect(readBack(Buffer.from(text))).rejects.toThrow(`Cannot import "x": ${why}`)
})

test('more data after the end is refused', async () => {
  const whole = await written({}, SMALL)
  await expect(readBack(Buffer.concat([whole, Buffer.from('\n')]))).rejects.toThrow(
    'there is more data after its end',
  )
})

test('what is sealed opens with its passphrase only, in pieces of any size', async () => {
  const seal = { ...newSeal(), cost: 16_384 }
  const text = Buffer.from('private conversations '.repeat(50))
  const cipher = await sealing(seal, 'Schlüssel 12')
  const sealed = Buffer.concat([cipher.update(text), cipher.final()])
  const opened = async (passphrase: string, bytes: Buffer, size: number): Promise<Buffer> => {
    const opening = await unsealing(seal, passphrase)
    const out: Buffer[] = []
    for (let at = 0; at < bytes.length; at += size) out.push(opening.update(bytes.subarray(at, at + size)))
    return Buffer.concat([...out, opening.final()])
  }
  for (const size of [1, 7, 16, 17, 5_000])
    expect(await opened('Schlu\u0308ssel 12', sealed, size)).toEqual(text)
  await expect(opened('Schlussel 12', sealed, 16)).rejects.toThrow()
  await expect(opened('Schlüssel 12', sealed.subarray(0, -1), 16)).rejects.toThrow()
  await expect(opened('Schlüssel 12', sealed.subarray(0, 10), 16)).rejects.toThrow('incomplete')
  const other = Buffer.from(sealed)
  other[3] = (other[3] ?? 0) ^ 1
  await expect(opened('Schlüssel 12', other, 16)).rejects.toThrow()
})

test('each seal has its own salt and nonce', () => {
  expect(newSeal().salt).not.toBe(newSeal().salt)
  expect(newSeal().nonce).not.toBe(newSeal().nonce)
})

const SEAL = newSeal()
test.each([
  [SEAL, true],
  [{ ...SEAL, more: 1 }, true],
  [{ ...SEAL, cost: 2 ** 30 }, false],
  [{ ...SEAL, cost: 1024 }, false],
  [{ ...SEAL, cost: '65536' }, false],
  [{ ...SEAL, cipher: 'aes-128-gcm' }, false],
  [{ ...SEAL, kdf: 'pbkdf2' }, false],
  [{ ...SEAL, salt: 'zz' }, false],
  [{ ...SEAL, nonce: SEAL.salt }, false],
  [{ ...SEAL, nonce: undefined }, false],
  [null, false],
  ['aes', false],
])('readSeal(%j) is %j', (value, isSeal) => {
  expect(readSeal(value) !== null).toBe(isSeal)
})
