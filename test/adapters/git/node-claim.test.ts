/** What a remote can answer for the claim of the host that starts work: anything. It is held by nobody known, and healed. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { nodeClaim } from '../../../src/adapters/git/remote/home-remote.ts'
import { openBench } from './repo.ts'

/** The object that stands at the remote's ref. */
const GARBAGE: readonly (readonly [name: string, of: (git: Git) => string])[] = [
  ['a file', (git) => git('rev-parse', 'main:a.txt')],
  ['a tree', (git) => git('rev-parse', 'main^{tree}')],
  ['a tag', (git) => git('tag', '-a', 'x', '-m', 'x', 'main') + git('rev-parse', 'refs/tags/x')],
  ['a long message', (git) => committed(git, JSON.stringify({ clone: 'a'.repeat(1_000_000) }))],
  ['no JSON', (git) => committed(git, '{')],
  ['null', (git) => committed(git, 'null')],
  ['other types', (git) => committed(git, '{"__proto__":{"host":"z"},"clone":{},"host":[1],"at":9e99}')],
]
type Git = (...args: readonly string[]) => string

function committed(git: Git, message: string): string {
  return git('commit-tree', 'main^{tree}', '-F', '-', message)
}

test('garbage is a claim of an unknown host, and can be taken over', async () => {
  const bench = await openBench({ 'a.txt': 'a\n' })
  onTestFinished(() => bench.close())
  const bare = join(bench.root, 'bare.git')
  bench.person('init', '-q', '--bare', bare)
  bench.person('push', '-q', bare, 'main')
  bench.person('remote', 'add', 'origin', bare)
  const git: Git = (...args) => {
    const input = args[0] === 'commit-tree' ? `x\n\n${args.at(-1)}` : ''
    const given = input === '' ? args : args.slice(0, -1)
    return execFileSync('git', given, { cwd: bare, encoding: 'utf8', input }).trim()
  }
  const by = { clone: 'c', host: 'h', at: 't' }
  for (const [name, of] of GARBAGE) {
    const mark = of(git)
    git('update-ref', 'refs/neo/node', mark)
    const seen = await nodeClaim.claimed({ home: bench.home })
    expect([name, seen]).toEqual([
      name,
      { kind: 'held', mark, by: { clone: '', host: 'another host', at: '' } },
    ])
    const claimed = await nodeClaim.claim({ home: bench.home, by, over: mark, noted: () => {} })
    expect([name, claimed]).toMatchObject([name, { kind: 'claimed' }])
    expect(await nodeClaim.claimed({ home: bench.home })).toMatchObject({ by })
  }
  const text = JSON.stringify({ clone: '\u001b[31m', host: '\u202eevil\u0007\n', at: '9'.repeat(500) })
  git('update-ref', 'refs/neo/node', committed(git, text))
  const seen = await nodeClaim.claimed({ home: bench.home })
  expect(seen).toMatchObject({ by: { clone: '31m', host: 'evil', at: '9'.repeat(80) } })
})
