/**
 * Whether a worktree holds files in plain text that git stores encrypted: what is reported of such a session must not come
 * into git in another file.
 */
import type { Place } from '../../../domain/session/session.ts'
import type { Repository } from '../git-repository.ts'
import { linkedAt } from '../locate.ts'
import { runGit } from '../process/run-git.ts'
import { shadowOf } from '../process/shadow.ts'
import { zeroSplit } from '../process/spawn.ts'
import { attributesIn, filterOf } from '../work/stage.ts'
import { mayFilter } from './filtered.ts'

/** One encrypted file is enough; the first ones of a large folder tell. */
const MOST_READ = 100
/** What git takes for binary: a zero byte near the beginning. */
const NEAR = 8_000
/** Text that openssl, age, PGP, Ansible and SOPS write. */
const ARMOURED = /^(?:U2FsdGVkX1|-----BEGIN |age-encryption\.org|\$ANSIBLE_VAULT|ENC\[)/

export async function holdsDecoded(repository: Repository, { folder }: Place, dir: string): Promise<boolean> {
  const tree = linkedAt(repository, dir)
  if (tree === null) return false
  const shadow = await shadowOf(tree)
  if (!(await mayFilter(tree, shadow, 'HEAD'))) return false
  const below = folder === '' ? [] : [`${folder}/`]
  const listed = zeroSplit((await runGit(tree, ['ls-files', '-s', '-z', '--', ...below])).out)
  const ids = new Map(listed.map((line) => [line.slice(line.indexOf('\t') + 1), line.split(' ')[1] ?? '']))
  const attributes = await attributesIn(tree, [...ids.keys()], { source: 'index' })
  const names = [...shadow.filters.keys()].filter((name) => name !== 'lfs')
  const filtered = [...ids].filter(([path]) => names.includes(filterOf(attributes.get(path)) ?? ''))
  for (const [, id] of filtered.slice(0, MOST_READ)) {
    const bytes = (await repository.living.contents(id))?.bytes.subarray(0, NEAR) ?? Buffer.alloc(0)
    if (bytes.includes(0) || ARMOURED.test(bytes.toString('latin1'))) return true
  }
  return false
}
