/**
 * Writes a blob of the home as `git add` would store the file at this path: in process, or by git where attributes or
 * line ends convert it. Invariant 1: what has to go through a filter that does not run is not written.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Repository } from '../git-repository.ts'
import { gitText } from '../process/run-git.ts'
import { shadowOf } from '../process/shadow.ts'
import type { Batch } from '../reading/objects.ts'
import { attributesIn, conversionOf } from '../work/stage.ts'

export async function writeBlob(
  repository: Repository,
  of: { readonly path: string; readonly bytes: Buffer; readonly batch: Batch },
): Promise<string | { readonly filter: string }> {
  const { path, bytes, batch } = of
  if (!(await converts(repository, path))) return batch.add('blob', bytes)
  const attributes = await attributesIn(repository, [path])
  const conversion = conversionOf(attributes.get(path), await shadowOf(repository))
  if (conversion === 'none') return batch.add('blob', bytes)
  if (conversion !== 'git') return conversion
  return gitText(repository, ['hash-object', '-w', '--stdin', `--path=${path}`], { input: bytes })
}

/** True where attributes or configuration may change the bytes of this path on their way into git. */
export async function converts(repository: Repository, path = ''): Promise<boolean> {
  const { top, commonDir } = repository
  const shadow = await shadowOf(repository)
  if (shadow.converts) return true
  const files = [join(commonDir, 'info', 'attributes'), shadow.attributesFile, join(top, '.gitattributes')]
  for (let at = dirname(path); at !== '.' && path !== ''; at = dirname(at))
    files.push(join(top, at, '.gitattributes'))
  return files.some(isConverting)
}

const CONVERTING = /\b(text|eol|crlf|filter|ident|working-tree-encoding|\[attr\])/
const known = new Map<string, { readonly stamp: string; readonly converting: boolean }>()
/** Files of attributes remembered. */
const MOST = 1000

function isConverting(file: string): boolean {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat === undefined || !existsSync(file)) return false
  const stamp = `${stat.ino}/${stat.mtimeMs}/${stat.size}`
  const before = known.get(file)
  if (before?.stamp === stamp) return before.converting
  const converting = CONVERTING.test(readFileSync(file, 'utf8').replace(/^#.*$/gm, ''))
  if (known.size > MOST) known.clear()
  known.set(file, { stamp, converting })
  return converting
}
