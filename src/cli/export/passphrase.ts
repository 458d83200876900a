/**
 * The passphrase of an export: from a file descriptor, from the environment, or typed on a terminal. Never from an
 * argument, which other users and the shell's history would see.
 */
import { readFileSync } from 'node:fs'
import { usage } from '../cli-failure.ts'
import type { Call } from '../spec.ts'

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
    const why = error instanceof Error ? error.message : String(error)
    throw usage(`Cannot read the passphrase from descriptor ${text}: ${why}`, NEXT)
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
