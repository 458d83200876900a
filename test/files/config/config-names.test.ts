/** Names in neo.yaml that neo.yaml itself declares. */
import { expect, test } from 'vitest'
import { whereOf } from '../../../src/domain/home/problem.ts'
import { readConfig } from '../../../src/files/config/read-config.ts'

test.each([
  ['model: locl/a', 'neo.yaml:2:8: model: no provider "locl": Did you mean "local"?'],
  [
    'agent: { id: us, work_ai: exec:claud }',
    'neo.yaml:2:27: agent.work_ai: no worker "claud": Did you mean "claude"?',
  ],
  [
    'agent: { id: us, work_ai: exec:x }',
    'neo.yaml:2:27: agent.work_ai: no worker "x": Use a name under workers: claude',
  ],
  ['model: anthropic/a', undefined],
  ['model: none', undefined],
  ['agent: { id: us, work_ai: exec:claude }', undefined],
])('%s: what neo.yaml names must be in it', (line, said) => {
  const there = 'providers: { local: { base_url: http://127.0.0.1:1/v1 } }'
  const found = readConfig('neo.yaml', `${there}\n${line}\nworkers: { claude: { command: claude } }\n`, {})
  const problems = found.kind === 'ok' ? found.warnings : found.kind === 'bad' ? found.problems : []
  expect(problems.map((one) => `${whereOf(one)}: ${one.message}: ${one.hint}`)[0]).toBe(said)
})
