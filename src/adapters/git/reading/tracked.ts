/**
 * Whether HEAD of a folder's own repository has a path, for commands that open no home.
 * Invariant 1: if git can't tell, the answer is yes: callers leave tracked files unread.
 */
import { locateTop } from '../locate.ts'
import { ALWAYS, gitEnvironment, settings, spawnGitSync } from '../process/spawn.ts'

const TIMEOUT_MS = 30_000
/** Of `rev-parse --verify --quiet`: HEAD has no commit yet. */
const UNBORN = 1

export function isTracked(dir: string, path: string): boolean {
  const tree = locateTop(dir)
  if (tree === null) return false
  const { gitDir, commonDir, top } = tree
  const named = { GIT_DIR: gitDir, GIT_COMMON_DIR: commonDir, GIT_WORK_TREE: top, GIT_NO_LAZY_FETCH: '1' }
  const env = gitEnvironment({ ...settings(ALWAYS), ...named })
  const run = (...args: string[]) => spawnGitSync(top, args, { env, timeoutMs: TIMEOUT_MS })
  const listed = run('ls-tree', '--name-only', 'HEAD', '--', path)
  if (listed.code === 0) return listed.out.length > 0
  return run('rev-parse', '--verify', '--quiet', 'HEAD').code !== UNBORN
}
