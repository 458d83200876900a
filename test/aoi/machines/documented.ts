/** What docs/other-homes.md tells people to write and run, so that a test does that and nothing else. */
import { readFileSync } from 'node:fs'

const PAGE = readFileSync('docs/other-homes.md', 'utf8')
const FENCED = /^( *)(`{3,})(\w*)\n([\s\S]*?)\n\1\2$/gm

const BLOCKS = [...PAGE.matchAll(FENCED)].map(([, indent = '', , , text = '']) =>
  text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
)

/** The one block that has this. Throws if there is none, or more. */
export function documented(pattern: RegExp): string {
  const found = BLOCKS.filter((text) => pattern.test(text))
  if (found.length !== 1) throw new Error(`docs/other-homes.md has ${found.length} blocks with ${pattern}`)
  return `${found[0]}\n`
}

/** The words of a documented command after `neo`, as a shell reads them. */
export function wordsOf(command: RegExp): readonly string[] {
  const line = documented(command).replace(/ #.*/, '').trim()
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '').slice(1)
}
