/**
 * `neo trust`: lets a home act that this user has not made: a clone, or one whose connections or commands have changed.
 * Leaves to gate.ts: what is refused until then.
 */
import { shownTrust } from '../../core/rules/trust.ts'
import type { Call } from '../spec.ts'
import { withWorld } from '../with-world.ts'
import { trustNow, trustOf } from './gate.ts'
import { trustLines } from './lines.ts'
import { keepTrust, type Where } from './store.ts'

export function trust(call: Call): Promise<number> {
  return withWorld(call, async ({ home, world }) => {
    const where: Where = { home, gitDir: world.git.gitDir, files: world.files, env: call.around.env }
    const before = trustOf(where)
    const lines = trustLines(home, world.files)
    const acts = call.isSet('show') ? 'show' : call.isSet('remove') ? 'remove' : 'trust'
    if (acts === 'trust') trustNow(where, lines)
    if (acts === 'remove') keepTrust(where, null)
    const now = acts === 'show' ? before.kind : acts === 'remove' ? 'new' : 'trusted'
    call.out.data('trust', {
      home,
      state: now,
      settings: lines.map(({ name }) => name),
      changed: before.kind === 'changed' ? before.lines.map(({ name }) => name) : [],
    })
    if (acts !== 'remove')
      show(
        call,
        lines.map(shownTrust),
        new Set(before.kind === 'changed' ? before.lines.map(shownTrust) : []),
      )
    call.out.line(said(acts, home, before.kind))
    return 0
  })
}

function show({ out }: Call, lines: readonly string[], changed: ReadonlySet<string>): void {
  out.line('Trusting this home lets its tasks, setup, checks and cleanup run commands as you, and uses:')
  if (lines.length === 0) out.line('  no connections, workers or servers of its own')
  for (const line of lines)
    out.line(changed.has(line) ? { text: `  changed: ${line}`, style: 'yellow' } : `  ${line}`)
}

function said(
  acts: 'show' | 'remove' | 'trust',
  home: string,
  before: 'trusted' | 'new' | 'changed',
): string {
  switch (acts) {
    case 'trust':
      return `Trusted ${home}`
    case 'remove':
      return `${home} is not trusted any more`
    case 'show':
      return before === 'trusted'
        ? `${home} is trusted`
        : `${home} is not trusted: ${before === 'new' ? 'neo trust' : 'its settings have changed; neo trust'}`
  }
}
