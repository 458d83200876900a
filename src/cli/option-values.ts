/** What options and arguments mean: parameters of the hub, durations, counts, text from stdin, yes or no. */
import { isUtf8 } from 'node:buffer'
import { NeoError } from '../domain/home/error.ts'
import { durationMs } from '../files/values/duration.ts'
import { usage } from './cli-failure.ts'
import { MAX_BYTES } from './edit-file.ts'
import type { Call, Option } from './spec.ts'

/** What the given options set in the parameters `P` of a hub method, by `Option.param`. The hub checks the values. */
export function paramsOf<P>(call: Call): Partial<P> {
  const given = call.options.filter((option) => call.isSet(nameOf(option)))
  return Object.fromEntries(
    given.flatMap((option) => (option.param === undefined ? [] : [[option.param, readOption(call, option)]])),
  ) as Partial<P>
}

function readOption(call: Call, option: Option): unknown {
  const name = nameOf(option)
  if (option.many === true) return [...call.all(name)]
  if (option.flags.endsWith('<count>')) return countOption(call, name)
  return option.param === 'roomId' ? call.text(name)?.replace(/^rooms\//, '') : call.text(name)
}

/** `dependsOn` for `--depends-on <task>`. */
function nameOf({ flags }: Option): string {
  const [, long = ''] = /--([a-z-]+)/.exec(flags) ?? []
  return long.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The value of an option such as `--timeout 10m` in milliseconds; null if it is absent. */
export function durationOption(call: Call, option: string): number | null {
  const text = call.text(option)
  if (text === null) return null
  const ms = durationMs(text)
  if (ms === null || ms === 0)
    throw usage(
      `Invalid value "${text}" for --${option}: use a duration such as 30s, 10m or 2h`,
      `--${option} 10m`,
    )
  return ms
}

/** A whole number of at least 1; null if the option is absent. */
export function countOption(call: Call, option: string): number | null {
  const text = call.text(option)
  if (text === null) return null
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw usage(`Invalid value "${text}" for --${option}: use a whole number from 1 on`, `--${option} 20`)
  return Number(text)
}

/** An argument, or the text of stdin if it is `-`. */
export async function textOrStdin(call: Call, typed: string): Promise<string> {
  if (typed !== '-') return typed
  if (call.around.stdin.isTTY === true)
    throw usage(
      'Cannot read the text from stdin: it is a terminal, not a pipe or a file',
      'printf "text" | neo … -',
    )
  return await stdinText(call)
}

/** Also from a terminal, until Ctrl-D. */
export async function stdinText({ around: { stdin } }: Call): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stdin) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
    length += bytes.length
    if (length > MAX_BYTES)
      throw new NeoError('failed', `Cannot read the text from stdin: it is larger than ${MAX_BYTES} bytes`)
    chunks.push(bytes)
  }
  const bytes = Buffer.concat(chunks)
  if (!isUtf8(bytes) || bytes.includes(0))
    throw new NeoError('failed', 'Cannot read the text from stdin: it is not UTF-8')
  return bytes.toString('utf8')
}

/** What the user types after a question; everything but `y` and `yes` means no, also Ctrl-D. */
export async function answersYes(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
  question: string,
): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input, output })
  try {
    lines.setPrompt(question)
    lines.prompt()
    for await (const line of lines) return /^y(?:es)?$/i.test(line.trim())
    return false
  } finally {
    lines.close()
  }
}
