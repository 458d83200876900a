/**
 * Reads the program's own sources for the tests of the house: files, imports, and code without comments and texts.
 * Paths are relative to the checkout, with `/`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

export interface Source {
  readonly path: string
  readonly text: string
  /** The text with comments blanked and the contents of strings emptied; same number of lines. */
  readonly code: string
  readonly imports: readonly string[]
}

/** All TypeScript files below a folder, sorted. */
export function sources(root: string): readonly Source[] {
  return filesBelow(root)
    .filter((path) => path.endsWith('.ts'))
    .map((path) => {
      const text = readFileSync(path, 'utf8')
      return { path, text, code: bare(text), imports: importsOf(text) }
    })
}

/** All files below a folder, sorted; none where the folder is missing. */
export function filesBelow(root: string): readonly string[] {
  if (!existsSync(root)) return []
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).replaceAll('\\', '/'))
    .sort()
}

/** Where a relative import leads; the specifier itself for any other. */
export function target(from: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier
  return normalize(join(dirname(from), specifier)).replaceAll('\\', '/')
}

function importsOf(text: string): readonly string[] {
  const code = withoutComments(text)
  const found = code.matchAll(/\b(?:from|import)\s*\(?\s*(['"])([^'"\n]+)\1/g)
  return [...found].map((match) => match[2] ?? '')
}

/** A regular expression where a value may begin. */
const PATTERN = /(^\s*|[=(,:?&|![{]\s*|\breturn\s+)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\n])*\]|[^/\n])+\/[a-z]*/gm

/** Blanks comments and empties strings and regular expressions, so that a word in a text is not taken for code. */
export function bare(text: string): string {
  return withoutComments(text)
    .replace(/'(?:[^'\\\n]|\\.)*'/g, "''")
    .replace(/"(?:[^"\\\n]|\\.)*"/g, '""')
    .replace(PATTERN, '$1/ /')
}

const TOKEN = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`/g

function withoutComments(text: string): string {
  return text.replace(TOKEN, (token) => (token.startsWith('/') ? token.replace(/[^\n]/g, '') : token))
}
