/**
 * Manifests of packages, of which some keys run by themselves, when somebody installs or commits, and others by name.
 * Pure. Invariant 1: a text that can't be read as JSON differs as a whole: other programs may read more than JSON.
 */
import { folded } from './held-paths.ts'

/** Scripts that an install or a host runs without being told their names. */
const NPM_SCRIPTS =
  /^(?:(?:pre|post)?(?:install|prepare)|prepublish|dependencies|pnpm:devPreinstall|(?:heroku|eas-build|vercel|now|gcp)-.*)$/
/** Hooks of git, which packages may be built at install, and which package manager is loaded. */
const NPM_KEYS = [
  'husky simple-git-hooks lint-staged nano-staged pre-commit pre-push precommit prepush gitHooks ghooks commitlint',
  'pnpm trustedDependencies allowScripts lavamoat packageManager devEngines volta gypfile config',
].flatMap((line) => line.split(' '))
const COMPOSER_SCRIPTS = /^(?:pre|post)-/
const COMPOSER_KEYS = ['config', 'repositories']

/** Names of what differs, such as `scripts.prepare`; empty for another file. */
export function changedStarts(path: string, before: string, after: string): readonly string[] {
  const name = folded(path.slice(path.lastIndexOf('/') + 1)).toLowerCase()
  if (name !== 'package.json' && name !== 'composer.json') return []
  const [old, now] = [startsIn(name, before), startsIn(name, after)]
  if (now === null) return ['it is not valid JSON']
  return [...new Set([...(old ?? new Map()).keys(), ...now.keys()])].filter(
    (key) => old?.get(key) !== now.get(key),
  )
}

/** Null for a text that is not JSON. */
function startsIn(
  name: 'package.json' | 'composer.json',
  text: string,
): ReadonlyMap<string, string | undefined> | null {
  if (text.trim() === '') return new Map()
  const data = parsed(text)
  if (data === null) return null
  const [scripts, keys] =
    name === 'package.json' ? [NPM_SCRIPTS, NPM_KEYS] : [COMPOSER_SCRIPTS, COMPOSER_KEYS]
  const all = isMap(data['scripts']) ? Object.entries(data['scripts']) : []
  return new Map([
    ...all
      .filter(([key]) => scripts.test(key))
      .map(([key, value]) => [`scripts.${key}`, textOf(value)] as const),
    ...keys.filter((key) => Object.hasOwn(data, key)).map((key) => [key, textOf(data[key])] as const),
  ])
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const data: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
    return isMap(data) ? data : null
  } catch {
    return null
  }
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? ''
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
