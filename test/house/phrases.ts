/**
 * Phrases that the first version's private language used where plain English has a usual one. `npm run figures` counts
 * them, and test/house/size.test.ts lets their number only fall.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { sources } from './source.ts'

const OLD: readonly RegExp[] = [
  /\b(of ours|anew|goes on on|run again by hand)\b/,
  /\b(that there is not|there is none|is none|are none|has none|is no home|is no JSON)\b/,
  /\bwhoever\b|\bwho (reads|comes|has no|is not)\b/,
  /\b(is|are|was|were|be) told\b/,
  /\b(stands|lies)\b/,
  /\b[Hh](e|im|is)\b/,
  /\ba person's\b|\bof a person's\b/,
  /\bwhere (it|there|none|nothing|no|a|the|one|they|that)\b/,
  /\bwhat is (no|none|not|there)\b/,
  /\basks? for leave\b|\byour word\b/,
  /\bthe (door|road|picture|wish|desk)s?\b/,
  /; gives\b/,
]

/** Lines with such a phrase, as `path:line: phrase`: in comments and texts of src, and in what users read. */
export function oldPhrases(): { readonly src: readonly string[]; readonly documents: readonly string[] } {
  return {
    src: hitsIn(sources('src')),
    documents: hitsIn(documents().map((path) => ({ path, text: readFileSync(path, 'utf8') }))),
  }
}

/** Comments such as "Takes a path; gives its bytes", which the types say already. */
export function repeatingHeaders(): number {
  return sources('src').filter(({ text }) => /\* (?:[^\n]*[.] )?Takes [^.]*; gives /.test(text)).length
}

function documents(): readonly string[] {
  const all = [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'docs',
    'templates',
    'rooms',
    'workspace',
  ]
  return execFileSync('git', ['ls-files', '-z', ...all], { encoding: 'utf8' })
    .split('\0')
    .filter((path) => path.endsWith('.md'))
}

function hitsIn(files: readonly { readonly path: string; readonly text: string }[]): readonly string[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, at) => {
      const found = OLD.map((phrase) => phrase.exec(line)?.[0]).find((hit) => hit !== undefined)
      return found === undefined ? [] : `${path}:${at + 1}: ${found}`
    }),
  )
}
