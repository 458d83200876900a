/** Suggestions for unknown keys and values. */

/** Names from other tools, and their names here; separators don't matter. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  ...names('completed', 'done complete finished closed'),
  ...names('pending', 'to_do open ready'),
  ...names('in_progress', 'doing wip started running'),
  ...names('cancelled', 'canceled'),
  ...names('normal', 'medium'),
  ...names('urgent', 'critical'),
  ...names(
    'depends_on',
    'dependencies depends dependency blocked_by after needs requires wait_for prerequisites',
  ),
  ...names('members', 'users people'),
  ...names('labels', 'tags'),
  ...names('worker', 'assignee agent'),
  ...names('due', 'due_date'),
  ...names('retry', 'retries'),
  ...names('verify', 'tests checks verification'),
  ...names('review', 'approve reviewer requires_review needs_review requires_approval needs_approval'),
  ...names('timeout', 'time_limit max_time max_duration max_runtime'),
  ...names(
    'budget',
    'cost cost_limit max_cost max_budget max_usd usd_limit max_tokens token_limit max_turns max_steps limits',
  ),
  ...names('concurrency', 'parallel parallelism max_parallel max_concurrency max_sessions'),
  ...names('permissions', 'sandbox'),
  ...names('base', 'branch base_branch'),
  ...names('status', 'state draft paused enabled suspended'),
  ...names('suspended', 'blocked banned locked'),
  ...names('status suspended', 'active revoked'),
  ...names('base_url', 'api_base api_url endpoint'),
  ...names('public_key', 'key'),
  ...names('tailscale_node', 'tailscale_node_id'),
  ...names('off deny', 'no false none'),
  ...names('deny off', 'never'),
  ...names('off paused deny status suspended', 'disabled'),
  ...names('deny', 'forbid block refuse'),
  ...names('ask', 'prompt confirm'),
  ...names('branch ask', 'manual human required'),
  ...names('branch ask review', 'approval'),
  ...names('paused', 'stopped inactive'),
  ...names('on branch', 'yes true'),
}

/** @param here the first one that is allowed is meant */
function names(here: string, others: string): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(others.split(' ').map((other) => [other, here.split(' ')]))
}

/** Values that remove a safeguard: suggested only for typing errors, never for another word. */
const LOOSE: ReadonlySet<string> = new Set(['none', 'allow', 'on', 'active', 'all', 'native', 'parent'])

const MEANT = new Map(Object.entries(ELSEWHERE).map(([word, here]) => [joined(word), here]))

function joined(word: string): string {
  return word.replaceAll('_', '')
}

function plainOf(word: string): string {
  return word
    .normalize('NFKC')
    .trim()
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
}

/** The nearest valid word: the same except for case and `-`, a known synonym, or at most 2 letters off. */
export function nearest(word: string, right: readonly string[]): string | null {
  const plain = plainOf(word)
  if (right.includes(plain)) return plain
  const meant = MEANT.get(joined(plain))?.find((one) => right.includes(one))
  if (meant !== undefined) return meant
  if (plain.length > 40) return null
  let best: string | null = null
  let least = plain.length < 4 ? 2 : 3
  for (const one of right) {
    const distance = editDistance(plain, one)
    if (LOOSE.has(one) && !(isSlipOf(plain, one) && plain[0] === one[0])) continue
    if (distance < least) [best, least] = [one, distance]
  }
  return best
}

/** `Did you mean "local"?`, or another hint if nothing is near. */
export function nearestHint(word: string, right: readonly string[], otherwise: string): string {
  const meant = nearest(word, right)
  return meant === null ? otherwise : `Did you mean "${meant}"?`
}

/**
 * The key that a word means: another spelling or name of it, or a typing error of one: a letter that is wrong, missing,
 * too many or swapped with the next, two of them in a long word. If two keys are as near, the first.
 */
export function misspelled(word: string, keys: readonly string[]): string | null {
  const plain = joined(plainOf(word))
  if (plain.length > 40) return null
  let best: string | null = null
  let least = Number.POSITIVE_INFINITY
  for (const [name, meant] of [...keys.map((key) => [joined(key), [key]] as const), ...MEANT]) {
    const key = keys.find((one) => meant.includes(one))
    if (key === undefined) continue
    const most = name.length >= 8 ? 2 : name.length < 5 && key !== name ? 0 : 1
    if (Math.abs(plain.length - name.length) > most) continue
    const distance = editDistance(plain, name)
    if (distance <= most && distance < least) [best, least] = [key, distance]
  }
  return best
}

function isSlipOf(word: string, right: string): boolean {
  return editDistance(word, right) <= (right.length < 6 ? 1 : 2)
}

/** Letters that are wrong, missing, too many or swapped with the next. */
function editDistance(a: string, b: string): number {
  let above: readonly number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swap = isSwap ? (above[j - 2] ?? 0) + 1 : change
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    above = row
    row = next
  }
  return row[b.length] ?? 0
}
