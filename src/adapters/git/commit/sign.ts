/**
 * Signs Neo's commits as git would sign the user's, if that person's settings ask for it (`commit.gpgsign`). Invariants:
 * 1. the program comes from the user's own configuration, never from a repository's, and starts in a folder of the
 * system; 2. nobody is prompted, and it ends within LIMIT_MS; 3. after a failure commits continue unsigned for a while
 * without another try (`auto`), or are refused (`required`).
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Signing, SignMode } from '../../../ports/git-port.ts'
import { codeOf } from '../../disk/fs.ts'
import type { WorkTree } from '../locate.ts'
import type { SignSettings } from '../process/own-config.ts'
import { shadowOf } from '../process/shadow.ts'
import { firstLine, gitEnvironment } from '../process/spawn.ts'

export interface Signer extends Signing {
  sign(tree: WorkTree, commit: Buffer): Promise<Buffer | { readonly refused: string }>
}

/** A key that is unlocked signs in a few milliseconds, one on a card in two seconds. */
const LIMIT_MS = 5_000
/** Between a failure and the next try. */
const AGAIN_MS = 60_000

export function openSigning(): Signer {
  let mode: SignMode = 'auto'
  let failed: { readonly why: string; readonly at: number } | null = null

  async function sign(tree: WorkTree, commit: Buffer): Promise<Buffer | { readonly refused: string }> {
    if (mode === 'never') return commit
    const { signing } = await shadowOf(tree)
    if (!signing.asked && mode === 'auto') return commit
    if (mode === 'auto' && failed !== null && Date.now() - failed.at < AGAIN_MS) return commit
    const made = await signatureOf(signing, commit)
    failed = 'why' in made ? { why: made.why, at: Date.now() } : null
    if ('signature' in made) return withSignature(commit, made.signature)
    return mode === 'auto' ? commit : { refused: `cannot sign: ${made.why}` }
  }

  return {
    sign,
    use(next) {
      if (next !== mode) failed = null
      mode = next
    },
    trouble: () =>
      failed === null
        ? null
        : `commits are ${mode === 'auto' ? 'not signed' : 'held back'}, though your git settings ask for signatures: ${failed.why}`,
  }
}

type Made = { readonly signature: string } | { readonly why: string }

/** One signature over these bytes, for a check as well. */
export async function signatureOf(settings: SignSettings, bytes: Buffer): Promise<Made> {
  switch (settings.format) {
    case 'ssh':
      return ofSsh(settings, bytes)
    case 'openpgp':
    case 'x509': {
      const key = settings.key ?? settings.ident
      if (key === null) return { why: 'user.signingkey is not set' }
      const quiet = settings.format === 'openpgp' ? ['--batch', '--pinentry-mode=error'] : ['--batch']
      return run(settings.program, [...quiet, '--status-fd=2', '-bsau', key], bytes)
    }
    default:
      return { why: `gpg.format is "${settings.format}", want openpgp, ssh or x509` }
  }
}

async function ofSsh({ key, program }: SignSettings, bytes: Buffer): Promise<Made> {
  if (key === null) return { why: 'user.signingkey is not set' }
  const literal = /^(?:key::)?((?:ssh|ecdsa|sk)-\S+ .+)$/s.exec(key)?.[1]
  const args = ['-Y', 'sign', '-n', 'git', '-f']
  if (literal === undefined) {
    const path = key.startsWith('~/') ? join(homedir(), key.slice(2)) : key
    return isAbsolute(path)
      ? run(program, [...args, path], bytes)
      : { why: `user.signingkey is "${key}", want an absolute path, ~/path or a public key` }
  }
  // The agent has the private half.
  const folder = mkdtempSync(join(tmpdir(), 'neo-sign-'))
  try {
    writeFileSync(join(folder, 'key.pub'), `${literal}\n`, { mode: 0o600 })
    return await run(program, [...args, join(folder, 'key.pub'), '-U'], bytes)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Without a terminal of its own, so that nothing can ask. */
function run(named: string, args: readonly string[], input: Buffer): Promise<Made> {
  const program = named.startsWith('~/') ? join(homedir(), named.slice(2)) : named
  if (program.includes('/') && !isAbsolute(program))
    return Promise.resolve({ why: `the program ${program} is given by a relative path` })
  return new Promise((resolve) => {
    const env = gitEnvironment({ SSH_ASKPASS_REQUIRE: 'never' })
    const child = spawn(program, [...args], {
      cwd: tmpdir(),
      env,
      detached: true,
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    })
    const out: Buffer[] = []
    const err: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
    child.stdin.on('error', () => {})
    child.on('error', (cause) =>
      resolve({ why: codeOf(cause) === 'ENOENT' ? `${program} is not installed` : cause.message }),
    )
    child.on('close', (code, signal) => {
      const signature = Buffer.concat(out).toString('latin1').replaceAll('\r', '').trimEnd()
      if (code === 0 && signature.startsWith('-----BEGIN')) resolve({ signature })
      else if (signal !== null) resolve({ why: `${program} did not answer within ${LIMIT_MS / 1000} s` })
      else resolve({ why: `${program}: ${reason(Buffer.concat(err).toString('utf8'), code)}` })
    })
    child.stdin.end(input)
  })
}

/** What a person can act on, of all that the programs print. */
function reason(err: string, code: number | null): string {
  const lines = err.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('[GNUPG:]'))
  const locked = /passphrase|pinentry|PIN|agent refused/i.test(err)
  const said = firstLine(
    (lines.find((line) => !/^Enter passphrase/i.test(line)) ?? `exit code ${code}`).trim(),
  )
  return locked ? `${said}; the key is locked: load it into ssh-agent or gpg-agent before Neo starts` : said
}

/** After the committer and what follows it, as git writes it. */
function withSignature(commit: Buffer, signature: string): Buffer {
  const end = commit.indexOf('\n\n')
  const header = `\ngpgsig ${signature.split('\n').join('\n ')}`
  return Buffer.concat([commit.subarray(0, end), Buffer.from(header, 'latin1'), commit.subarray(end)])
}
