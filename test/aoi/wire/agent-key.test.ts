/** The key of a home on a real disk. */
import { X509Certificate } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import { keyFile } from '../../../src/aoi/wire/agent-key.ts'
import { wire } from './signed.ts'

const files = openFiles()

function gitDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-key-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

const pathIn = (dir: string, name = 'key.pem') => join(dir, 'neo/agent', name)
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('make() makes a key of mode 600 in a folder of mode 700, once', () => {
  const dir = gitDir()
  const key = keyFile({ wire, files, dir })
  expect(key.publicKey()).toBeNull()
  expect(() => key.read()).toThrow(expect.objectContaining({ code: 'config' }))
  const { publicKey, created } = key.make()
  expect(created).toBe(true)
  expect([modeOf(pathIn(dir)), modeOf(dirname(pathIn(dir)))]).toEqual(['600', '700'])
  expect(key.make()).toEqual({ publicKey, created: false })
  expect(key.publicKey()).toBe(publicKey)
  expect(wire.publicKeyOf(key.read())).toBe(publicKey)
})

test('make() uses the key that another program saved at the same time', () => {
  const dir = gitDir()
  let other = ''
  const racing = {
    ...files,
    savePrivate(...of: Parameters<typeof files.savePrivate>) {
      if (other === '') other = keyFile({ wire, files, dir }).make().publicKey
      return files.savePrivate(...of)
    },
  }
  expect(keyFile({ wire, files: racing, dir }).make()).toEqual({ publicKey: other, created: false })
})

test('make() never replaces a broken key', () => {
  const dir = gitDir()
  mkdirSync(dirname(pathIn(dir)), { recursive: true })
  writeFileSync(pathIn(dir), 'broken')
  const key = keyFile({ wire, files, dir })
  for (const use of [key.make, key.publicKey])
    expect(use).toThrow(expect.objectContaining({ code: 'config' }))
  expect(readFileSync(pathIn(dir), 'utf8')).toBe('broken')
})

test('certificate() is made once, and again for another key, name or a broken file', async () => {
  const dir = gitDir()
  const key = keyFile({ wire, files, dir })
  key.make()
  const first = await key.certificate('qa-bob')
  expect(new X509Certificate(first).subject).toBe('CN=qa-bob')
  expect(modeOf(pathIn(dir, 'cert.pem'))).toBe('600')
  expect(await key.certificate('qa-bob')).toBe(first)
  const renamed = await key.certificate('qa-rob')
  expect(new X509Certificate(renamed).subject).toBe('CN=qa-rob')
  writeFileSync(pathIn(dir), wire.newKey().privateKey)
  const rekeyed = await key.certificate('qa-rob')
  const spki = new X509Certificate(rekeyed).publicKey
    .export({ type: 'spki', format: 'der' })
    .toString('base64url')
  expect(`p256:${spki}`).toBe(key.publicKey())
  writeFileSync(pathIn(dir, 'cert.pem'), 'broken')
  const mended = await key.certificate('qa-rob')
  expect(readFileSync(pathIn(dir, 'cert.pem'), 'utf8')).toBe(mended)
})
