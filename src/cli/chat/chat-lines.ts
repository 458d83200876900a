/**
 * Input lines: from a line editor with history on a terminal, or from a pipe. Invariant 1: lines that arrive together, as
 * in a paste, are one message. Invariant 2: the history is saved without secrets; input from a pipe is not saved.
 * Invariant 3: Ctrl-C stops a running answer or clears the line; pressed twice it ends the conversation.
 */
import { createInterface, type Interface } from 'node:readline'
import { redact } from '../../domain/secrets/redact.ts'
import { nearest } from '../../files/values/suggest.ts'
import type { Files } from '../../ports/files-port.ts'
import { type Interrupt, onInterrupt } from '../signals.ts'
import type { Call } from '../spec.ts'

export interface Lines extends AsyncIterable<string> {
  readonly mode: 'terminal' | 'pipe'
  /** Sets the prompt. */
  prompt(text: string): void
  /** Takes Ctrl-C until it is released. */
  interrupts(): Interrupt
  close(): void
}

const MOST_HISTORY = 500
/** Lines that arrive faster than this are a paste. */
const PASTE_MS = 30

/** The longest time between the two Ctrl-C that end the conversation. */
const TWICE_MS = 2_000

export interface History {
  readonly files: Pick<Files, 'readJson' | 'writeJson'>
  readonly path: string
}

/** @param kept the file of the history; null: it is not saved */
export function openLines(call: Call, kept: History | null): Lines {
  const { stdin, stdout } = call.around
  if (stdin.isTTY !== true || stdout.isTTY !== true) return pipeOf(call)
  const read = kept?.files.readJson(kept.path)
  const history = Array.isArray(read) ? read.filter((one): one is string => typeof one === 'string') : []
  const reader = createInterface({
    input: stdin,
    output: stdout,
    terminal: true,
    history: [...history],
    historySize: MOST_HISTORY,
    removeHistoryDuplicates: true,
  })
  if (kept !== null)
    reader.on('history', (lines: string[]) => {
      try {
        kept.files.writeJson(kept.path, lines.slice(0, MOST_HISTORY).map(redact))
      } catch {
        // On a full disk the history is lost, but the conversation continues.
      }
    })
  return terminalOf(reader, (text) => {
    stdout.write('\n')
    call.out.note({ text, style: 'dim' })
  })
}

/**
 * Takes line by line until the conversation ends; input from a pipe also ends at the first line that fails. Returns the
 * exit code.
 */
export async function eachLine(
  chat: { readonly lines: Lines; readonly ended: boolean },
  take: (line: string) => Promise<number>,
): Promise<number> {
  const { lines } = chat
  let failed = 0
  try {
    for await (const line of lines) {
      failed = await take(line)
      if (chat.ended || (lines.mode === 'pipe' && failed !== 0)) break
    }
  } finally {
    lines.close()
  }
  return lines.mode === 'pipe' ? failed : 0
}

/**
 * The command that a line is; null for a message. A path (`/home/ana/notes.txt is wrong`) is no command, nor is a line that
 * begins with a space.
 */
export function slashCommand(line: string): { readonly name: string; readonly rest: string } | null {
  const [, name, rest = ''] = /^\/([^\s/]*)(?:\s+([\s\S]*))?$/.exec(line) ?? []
  return name === undefined ? null : { name, rest: rest.trim() }
}

/** Returns the exit code. @param where after the name: '' or ` outside a home` */
export function unknownCommand(
  { out }: Call,
  name: string,
  { names, where }: { readonly names: readonly string[]; readonly where: string },
): number {
  const near = nearest(name, names)
  const hint = near === null ? 'type /help for a list' : `did you mean /${near}?`
  out.error('neo', `Unknown command /${name}${where}; ${hint}`)
  out.error('next', `to send the line as a message, type a space before /${name}`)
  return 2
}

function pipeOf(call: Call): Lines {
  const reader = createInterface({ input: call.around.stdin, crlfDelay: Number.POSITIVE_INFINITY })
  return {
    mode: 'pipe',
    prompt: () => {},
    interrupts: () => onInterrupt(call, ''),
    close: () => reader.close(),
    [Symbol.asyncIterator]: () => reader[Symbol.asyncIterator](),
  }
}

function terminalOf(reader: Interface, say: (text: string) => void): Lines {
  const arrived = openArrived(reader)
  let onBreak: (() => void) | null = null
  let lastMs = Number.NEGATIVE_INFINITY
  reader.on('SIGINT', () => {
    const isTwice = performance.now() - lastMs < TWICE_MS
    lastMs = performance.now()
    if (isTwice) return reader.close()
    if (onBreak !== null) return onBreak()
    if (reader.line !== '') return reader.write(null, { ctrl: true, name: 'u' })
    say('Press Ctrl-C again, or Ctrl-D, to end.')
    reader.prompt()
  })
  return {
    mode: 'terminal',
    prompt: (text) => reader.setPrompt(text),
    interrupts() {
      const abort = new AbortController()
      const end = (): void => abort.abort('interrupted')
      onBreak = end
      reader.once('close', end)
      return {
        signal: abort.signal,
        release: () => {
          onBreak = null
          reader.off('close', end)
        },
      }
    },
    close: () => reader.close(),
    async *[Symbol.asyncIterator]() {
      while (!arrived.ended()) {
        reader.prompt()
        const text = await arrived.next()
        if (text === null) return
        yield text
      }
    },
  }
}

interface Arrived {
  /** The next line, or lines that arrived together; null at the end. */
  next(): Promise<string | null>
  ended(): boolean
}

function openArrived(reader: Interface): Arrived {
  const waiting: string[] = []
  let ended = false
  let wake = (): void => {}
  reader.on('line', (line) => {
    waiting.push(line)
    wake()
  })
  reader.on('close', () => {
    ended = true
    wake()
  })
  return {
    ended: () => ended && waiting.length === 0,
    async next() {
      while (waiting.length === 0 && !ended) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      await new Promise((resolve) => setTimeout(resolve, PASTE_MS))
      const lines = waiting.splice(0)
      return lines.length === 0 ? null : lines.join('\n')
    },
  }
}
