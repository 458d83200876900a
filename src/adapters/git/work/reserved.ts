/**
 * Names by which git finds files of its own in a work tree, and what git's own check (`git fsck`, a server that checks
 * what is pushed) refuses about them. Pure.
 * Invariant 1: what git refuses is never committed: a branch that holds it could not be fetched, pushed or exported.
 */

/** As `.gitmodules`, in what HFS+ and NTFS take for it too. */
const MODULES = /^(?:\.gitmodules|gitmod~[1-4]|gi7eba~\d+)$/
const ATTRIBUTES = /^(?:\.gitattributes|gitatt~[1-4]|gi7d29~\d+)$/
const OTHERS = /^(?:\.gitignore|\.mailmap|gitign~[1-4]|gi250a~\d+|mailma~[1-4]|maba30~\d+)$/
/** Of `git fsck`. */
const LONGEST_LINE = 2048
const LARGEST = 100 * 1024 * 1024

const plain = (name: string) =>
  name
    .replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '')
    .toLowerCase()
    .replace(/:.*$/, '')
    .replace(/[. ]+$/, '')

/** Why git refuses this path, whatever is in it; null if it does not. */
export function refusedName(path: string, kind: 'file' | 'link'): string | null {
  const parts = path.split('/').map(plain)
  const name = parts.pop() ?? ''
  if (parts.some((part) => MODULES.test(part) || ATTRIBUTES.test(part)))
    return 'git wants a file of this name'
  const isOwn = MODULES.test(name) || ATTRIBUTES.test(name) || OTHERS.test(name)
  return isOwn && kind === 'link' ? 'git takes no link of this name' : null
}

/** Why git refuses the content of this file; null if it does not. */
export function refusedContent(path: string, bytes: Buffer): string | null {
  const name = plain(path.slice(path.lastIndexOf('/') + 1))
  if (!MODULES.test(name) && !ATTRIBUTES.test(name)) return null
  if (bytes.length > LARGEST) return `${path} is too large for git`
  const lines = bytes.toString('latin1').split('\n')
  if (ATTRIBUTES.test(name))
    return lines.some((line) => line.length >= LONGEST_LINE)
      ? `${path} has a line that is too long for git`
      : null
  return lines.some(isUnsafe) ? `${path} has a value that git does not allow` : null
}

/** A name that rises, an address or path that git would take for an option, a command. */
function isUnsafe(line: string): boolean {
  const header = /^\s*\[\s*submodule\s+"(.*)"/i.exec(line)?.[1]
  if (header?.split(/[/\\]/).includes('..')) return true
  const [, key = '', value = ''] = /^[^#;=]*?\b(url|path|update)\s*=\s*"?(.*)$/i.exec(line) ?? []
  if (/^update$/i.test(key)) return value.startsWith('!')
  return key !== '' && (value.startsWith('-') || (/^url$/i.test(key) && /%0a|\\n|^[^:]*::/i.test(value)))
}
