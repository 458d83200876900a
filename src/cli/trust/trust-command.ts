/** `neo trust`: trusts a home that this user did not create, or whose connections or commands changed. */
import { join } from 'node:path'
import { composeIsTracked } from '../../compose.ts'
import { shownTrust } from '../../domain/policy/trust-lines-of.ts'
import { redact } from '../../domain/secrets/redact.ts'
import { withoutCredentials } from '../../domain/text/forge.ts'
import { DOT_ENV } from '../../engine/snapshot/config-keeper.ts'
import { parseEnvFile } from '../../files/config/config-env.ts'
import { MAX_BYTES } from '../edit-file.ts'
import type { Call } from '../spec.ts'
import { withWorld } from '../with-world.ts'
import { keepTrust, trustLines, trustNow, trustOf, type Where } from './trust-store.ts'

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
        [...lines.map(shownTrust), ...addressesIn(where)],
        new Set(before.kind === 'changed' ? before.lines.map(shownTrust) : []),
      )
    call.out.line(said(acts, home, before.kind))
    return 0
  })
}

/** URLs in `.env`: a copied home may send keys to another server. */
function addressesIn({ home, files }: Where): readonly string[] {
  const read = files.read(join(home, DOT_ENV), MAX_BYTES)
  if (read.kind !== 'file' || composeIsTracked(home, DOT_ENV)) return []
  return Object.entries(parseEnvFile(read.bytes.toString('utf8'))).flatMap(([name, value = '']) =>
    /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? [`.env ${name}: ${redact(withoutCredentials(value))}`] : [],
  )
}

function show({ out }: Call, lines: readonly string[], changed: ReadonlySet<string>): void {
  out.line('If you trust this home, its tasks, setup, checks and cleanup run commands as you. It uses:')
  if (lines.length === 0) out.line('  no connections, workers or servers')
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
      return `${home} is no longer trusted`
    case 'show':
      return before === 'trusted'
        ? `${home} is trusted`
        : `${home} is not trusted: ${before === 'new' ? 'run neo trust' : 'its settings changed; run neo trust'}`
  }
}
