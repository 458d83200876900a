/** Syntax colours of a diff's rows. The highlighter loads when the first file is shown. */
import { useEffect, useState } from 'preact/hooks'
import type { ParsedToken } from 'sugar-high/core'
import type { DiffFile, DiffRow } from './diff-parse.ts'

export type Colours = ReadonlyMap<DiffRow, readonly ParsedToken[]>

/** More would take longer than the eye waits. */
const MOST_ROWS = 3_000
const MOST_LINE = 1_000

const known = new WeakMap<DiffFile, Colours>()

/** Empty until the colours are there, and for languages that aren't known. */
export function useColours(file: DiffFile): Colours {
  const [colours, setColours] = useState<Colours>(known.get(file) ?? NONE)
  useEffect(() => {
    let isWanted = true
    coloursOf(file).then(
      (made) => isWanted && setColours(made),
      () => {},
    )
    return () => {
      isWanted = false
    }
  }, [file])
  return colours
}

const NONE: Colours = new Map()

async function coloursOf(file: DiffFile): Promise<Colours> {
  const there = known.get(file)
  if (there !== undefined) return there
  const rows = file.hunks.reduce((sum, hunk) => sum + hunk.rows.length, 0)
  if (rows > MOST_ROWS) return NONE
  const [{ parse }, { lang, languages }] = await Promise.all([
    import('sugar-high/core'),
    import('sugar-high/lang'),
  ])
  const name = lang(extensionOf(file.path))
  const language = languages.find(({ id }) => id === name)
  if (language === undefined) return NONE
  const made = new Map<DiffRow, readonly ParsedToken[]>()
  for (const hunk of file.hunks) {
    for (const without of ['add', 'del'] as const) {
      const side = hunk.rows.filter(({ kind, text }) => kind !== without && text.length <= MOST_LINE)
      const { lines } = parse(side.map(({ text }) => text).join('\n'), language.config)
      // A highlighter that loses characters must not change what a person decides about.
      for (const [at, row] of side.entries()) {
        const line = lines[at]
        if (line?.value === row.text && textOf(line.tokens) === row.text) made.set(row, line.tokens)
      }
    }
  }
  known.set(file, made)
  return made
}

function textOf(tokens: readonly ParsedToken[]): string {
  return tokens.map(({ value }) => value).join('')
}

/** `ts` of `a/b.ts`, `dockerfile` of `Dockerfile`. */
function extensionOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('.')) + 1).toLowerCase()
}
