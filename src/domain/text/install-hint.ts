/** How to install an optional package where this copy of Neo finds it: beside Neo, not in the folder you stand in. */
import { shellWord } from './shell-word.ts'

const PACKAGE = '/node_modules/neo-rooms/'

/**
 * The command that installs packages for this copy of Neo.
 * `from` is the URL of a file of it (`import.meta.url`); `packages` are names, with versions if they matter.
 */
export function installHint(from: string, packages: readonly string[]): string {
  const path = decodeURIComponent(from.replace(/^file:\/\//, ''))
  const names = packages.join(' ')
  const at = path.lastIndexOf(PACKAGE)
  if (at < 0) return `npm install --prefix ${shellWord(checkoutOf(path))} --no-save ${names}`
  const folder = path.slice(0, at)
  if (/\/_npx\/[^/]+$/.test(folder))
    return `npx -p neo-rooms ${packages.map((name) => `-p ${name} `).join('')}neo`
  // npm keeps global packages in PREFIX/lib/node_modules; a project has no such folder as its parent.
  if (folder.endsWith('/lib')) return `npm install -g ${names}`
  return `npm install --prefix ${shellWord(folder)} ${names}`
}

function checkoutOf(path: string): string {
  const at = Math.max(path.lastIndexOf('/dist/'), path.lastIndexOf('/src/'))
  return at < 0 ? '.' : path.slice(0, at)
}
