/** Suggestions for unknown keys and values. */

/** Names from other tools, and their names here; separators don't matter. */
const ELSEWHERE: Readonly<Record<string, string | readonly string[]>> = {
  done: 'completed',
  complete: 'completed',
  finished: 'completed',
  closed: 'completed',
  to_do: 'pending',
  open: 'pending',
  ready: 'pending',
  doing: 'in_progress',
  wip: 'in_progress',
  started: 'in_progress',
  running: 'in_progress',
  canceled: 'cancelled',
  medium: 'normal',
  critical: 'urgent',
  dependencies: 'depends_on',
  depends: 'depends_on',
  blocked_by: 'depends_on',
  users: 'members',
  people: 'members',
  tags: 'labels',
  assignee: 'worker',
  agent: 'worker',
  due_date: 'due',
  retries: 'retry',
  tests: 'verify',
  checks: 'verify',
  no: ['off', 'deny'],
  false: ['off', 'deny'],
  none: ['off', 'deny'],
  never: ['deny', 'off'],
  disabled: ['off', 'paused', 'deny'],
  forbid: 'deny',
  block: 'deny',
  refuse: 'deny',
  prompt: 'ask',
  confirm: 'ask',
  manual: ['branch', 'ask'],
  human: ['branch', 'ask'],
  approval: ['branch', 'ask'],
  required: ['branch', 'ask'],
  stopped: 'paused',
  inactive: 'paused',
  yes: ['on', 'branch'],
  true: ['on', 'branch'],
}

/** Values that remove a safeguard: suggested only for typing errors, never for another word. */
const LOOSE: ReadonlySet<string> = new Set(['none', 'allow', 'on', 'active', 'all', 'native', 'parent'])

const MEANT = new Map(Object.entries(ELSEWHERE).map(([word, here]) => [joined(word), [here].flat()]))

function joined(word: string): string {
  return word.replaceAll('_', '')
}

/** The nearest valid word: the same except for case and `-`, a known synonym, or at most 2 letters off. */
export function nearest(word: string, right: readonly string[]): string | null {
  const plain = word
    .trim()
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
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

/** True for a typing error of a word that must not be missed: one letter off, two in a long word. */
export function isSlipOf(word: string, right: string): boolean {
  return word !== right && editDistance(word.toLowerCase(), right) <= (right.length < 6 ? 1 : 2)
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
