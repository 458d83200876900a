/**
 * What tasks and rooms may be given, each with a value and the line that it becomes in the file.
 * Takes nothing; gives the tables for write.ts.
 */
import type { Said } from './effect.ts'

export const TASK: Readonly<Record<string, Said>> = {
  title: { value: 'Another', says: /^title: Another$/m },
  description: { value: 'Other words', says: /\n---\nOther words\n$/ },
  priority: { value: 'high', says: /^priority: high$/m },
  worker: { value: 'human', says: /^worker: human$/m },
  dependsOn: { value: ['zzz'], says: /^depends_on: \[zzz\]$/m },
  labels: { value: ['red'], says: /^labels: \[red\]$/m },
  due: { value: '2026-05-01', says: /^due: "?2026-05-01"?$/m },
  model: { value: 'anthropic/y', says: /^model: anthropic\/y$/m },
  persona: { value: 'reviewer', says: /^persona: reviewer$/m },
  workspace: { value: '../elsewhere', says: /^workspace: \.\.\/elsewhere$/m },
  review: { value: 'branch', says: /^review: branch$/m },
  verify: { value: ['npm test'], says: /^verify: \[npm test\]$/m },
  'retry.max': { value: 2, says: /^retry:[\s\S]*max: 2/m },
  'retry.backoff': { value: '10s', says: /^retry:[\s\S]*backoff: 10s/m },
  onInterrupt: { value: 'retry', says: /^on_interrupt: retry$/m },
  timeout: { value: '90s', says: /^timeout: 90s$/m },
  'budget.usd': { value: 1.5, says: /^budget:[\s\S]*usd: 1\.5/m },
  'budget.tokens': { value: 999, says: /^budget:[\s\S]*tokens: 999/m },
  'budget.turns': { value: 7, says: /^budget:[\s\S]*turns: 7/m },
  env: { value: ['TOKEN'], says: /^env: \[TOKEN\]$/m },
}

export const ROOM: Readonly<Record<string, Said>> = {
  name: { value: 'The shop', says: /^name: The shop$/m },
  description: { value: 'Of books', says: /^description: Of books$/m },
  status: { value: 'paused', says: /^status: paused$/m },
  instructions: { value: 'Be kind.', says: /\n---\nBe kind\.$/ },
  defaultWorkspace: { value: '../books', says: /^workspace: \.\.\/books$/m },
  defaultModel: { value: 'anthropic/z', says: /^model: anthropic\/z$/m },
  base: { value: 'trunk', says: /^base: trunk$/m },
  worker: { value: 'human', says: /^worker: human$/m },
  orchestrator: { value: 'off', says: /^orchestrator: ["']?off["']?$/m },
  review: { value: 'branch', says: /^review: branch$/m },
  verify: { value: ['make'], says: /^verify: \[make\]$/m },
  concurrency: { value: 3, says: /^concurrency: 3$/m },
  'budget.usdPerDay': { value: 5, says: /^budget: \{ usd_per_day: 5 \}$/m },
  'budget.usdPerTask': { value: 4, says: /^budget: \{ usd_per_task: 4 \}$/m },
  'budget.tokensPerTask': { value: 44, says: /^budget: \{ tokens_per_task: 44 \}$/m },
  'budget.turnsPerTask': { value: 6, says: /^budget: \{ turns_per_task: 6 \}$/m },
  'permissions.shell': { value: 'ask', says: /^permissions: \{ shell: ask \}$/m },
  'permissions.network': { value: 'allow', says: /^permissions: \{ network: allow \}$/m },
  'permissions.push': { value: 'deny', says: /^permissions: \{ push: deny \}$/m },
  'permissions.mcp': { value: 'ask', says: /^permissions: \{ mcp: ask \}$/m },
  'permissions.write': { value: ['src'], says: /^permissions: \{ write: \[src\] \}$/m },
  setup: { value: ['npm ci'], says: /^setup: \[npm ci\]$/m },
  cleanup: { value: ['rm -rf x'], says: /^cleanup: \[rm -rf x\]$/m },
  env: { value: ['KEY'], says: /^env: \[KEY\]$/m },
  envFiles: { value: ['.env.test'], says: /^env_files: \["?\.env\.test"?\]$/m },
  hooks: { value: 'on', says: /^hooks: ["']?on["']?$/m },
  notify: { value: ['telegram'], says: /^notify: \[telegram\]$/m },
  approvers: { value: ['ana'], says: /^approvers: \[ana\]$/m },
  mcpServers: {
    value: { docs: { command: 'docs' } },
    says: /^mcp_servers:[\s\S]*docs:[\s\S]*command: docs/m,
  },
  keep: { value: 9, says: /^keep: 9$/m },
}
