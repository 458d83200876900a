/**
 * Where lines come from: a line editor with history on a terminal, lines as they are from a pipe.
 * Takes the surroundings; gives lines one after the other, and Ctrl-C while something is waited for.
 * Invariant 1: lines that arrive together, as a paste does, are one message.
 * Invariant 2: the history is kept in the git dir, without what looks like a secret; a pipe keeps none.
 */
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { redact } from '../../core/rules/redact.ts'
import { type Interrupt, onInterrupt } from '../signals.ts'
import type { Call } from '../spec.ts'
import type { Opened } from '../with-world.ts'

export interface Lines extends AsyncIterable<string> {
  readonly mode: 'terminal' | 'pipe'
  /** What the prompt says from now on. */
  prompt(text: string): void
  /** Ctrl-C until it is released. */
  interrupts(): Interrupt
  close(): void
}

const MOST_HISTORY = 500
/** A paste arrives faster than anybody types. */
const PASTE_MS = 30

export function openLines(call: Call, of: Pick<Opened, 'world' | 'dir'>): Lines {
  const { stdin, stdout } = call.around
  if (stdin.isTTY !== true || stdout.isTTY !== true) return pipeOf(call)
  const path = join(of.dir, 'chat-history.json')
  const read = of.world.files.readJson(path)
  const history = Array.isArray(read) ? read.filter((one): one is string => typeof one === 'string') : []
  const reader = createInterface({
    input: stdin,
    output: stdout,
    terminal: true,
    history: [...history],
    historySize: MOST_HISTORY,
    removeHistoryDuplicates: true,
  })
  reader.on('history', (kept: string[]) => {
    try {
      of.world.files.writeJson(path, kept.slice(0, MOST_HISTORY).map(redact))
    } catch {
      // A full disk costs the history, not the conversation.
    }
  })
  return terminalOf(reader)
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

function terminalOf(reader: Interface): Lines {
  const arrived = openArrived(reader)
  let onBreak: (() => void) | null = null
  reader.on('SIGINT', () => {
    if (onBreak !== null) return onBreak()
    // As shells do: an empty line ends, a written one is dropped.
    if (reader.line === '') reader.close()
    else reader.write(null, { ctrl: true, name: 'u' })
  })
  return {
    mode: 'terminal',
    prompt: (text) => reader.setPrompt(text),
    interrupts() {
      const abort = new AbortController()
      onBreak = () => abort.abort('interrupted')
      return {
        signal: abort.signal,
        release: () => {
          onBreak = null
        },
      }
    },
    close: () => reader.close(),
    async *[Symbol.asyncIterator]() {
      for (;;) {
        reader.prompt()
        const text = await arrived.next()
        if (text === null) return
        yield text
      }
    },
  }
}

interface Arrived {
  /** The next line, or lines that came together; null at the end. */
  next(): Promise<string | null>
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
