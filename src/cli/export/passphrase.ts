/**
 * The passphrase of an export: from a descriptor, from the environment, or typed on a terminal without being shown.
 * Never an argument: those are in the list of processes and in the shell's history.
 */
import { readFileSync } from 'node:fs'
import { usage } from '../cli-failure.ts'
import type { Call } from '../spec.ts'

const LEAST = 8
const NEXT = 'NEO_PASSPHRASE=… in the environment, --passphrase-fd 3 3<FILE, or a terminal to type it on'

/** `twice`: a new one, typed twice, long enough. */
export async function passphraseFor(call: Call, how: 'once' | 'twice'): Promise<string> {
  const given = fromDescriptor(call) ?? call.around.env['NEO_PASSPHRASE'] ?? null
  const passphrase = given ?? (await typed(call, how))
  if (how === 'twice' && [...passphrase].length < LEAST)
    throw usage(`Cannot seal what is private: the passphrase has fewer than ${LEAST} letters`, NEXT)
  if (passphrase === '') throw usage('Cannot open what is private: the passphrase is empty', NEXT)
  return passphrase
}

function fromDescriptor(call: Call): string | null {
  const text = call.text('passphraseFd')
  if (text === null) return null
  if (!/^\d{1,4}$/.test(text)) throw usage(`Cannot read the passphrase: "${text}" is no descriptor`, NEXT)
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
    throw usage('Cannot ask for a passphrase: there is no terminal', NEXT)
  const first = await ask(call, 'Passphrase: ')
  if (how === 'once') return first
  if ((await ask(call, 'Once more: ')) !== first)
    throw usage('Cannot seal what is private: the two passphrases differ', 'the same command again')
  return first
}

/** One line, nothing of it shown. */
function ask(call: Call, prompt: string): Promise<string> {
  const { stdin, stderr } = call.around
  // First, so that nothing that is typed at once is shown.
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
          return end(() => reject(usage('Cannot go on: no passphrase was given', NEXT)))
        line = letter === '\u007f' || letter === '\b' ? [...line].slice(0, -1).join('') : line + letter
      }
    }
    stdin.on('data', take)
  })
}
