/** neo agent, neo access: keys and files of agents, and what rules say, without a network. */
import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { openPeerWire } from '../../src/adapters/peer-wire/peer-wire.ts'
import { fingerprintOf } from '../../src/cli/agent/agent-block.ts'
import { dataOf, makeHome, neo } from './program.ts'

const CONTEXT = '{ type: repository, identifier: acme/webapp, room: shop }'
const SATO = `agent: { id: eng-sato, role: engineer, owner: sato, endpoint: "https://sato.example:8443", contexts: [${CONTEXT}] }\n`
const ANA = `agent: { id: pm-ana }\n`
const KEY = /^p256:MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE[\w-]{86}$/

interface Keygen {
  readonly publicKey: string
  readonly fingerprint: string
  readonly created: boolean
  readonly file: string
}

test('keygen makes one key, and prints the file for others', async () => {
  const home = makeHome({ 'neo.yaml': SATO })
  const first = dataOf(await home.neo('agent', 'keygen', '--json')) as Keygen
  expect([first.created, first.publicKey]).toEqual([true, expect.stringMatching(KEY)])
  const again = await home.neo('agent', 'keygen')
  expect(again.out).toBe(`---
# Save this as workspace/agents/eng-sato.md, or pipe it into: neo agent add -
role: engineer
owner: sato
endpoint: https://sato.example:8443
public_key: ${first.publicKey}
contexts: [{ type: repository, identifier: acme/webapp }]
---
The agent of sato.
`)
  expect(again.err).toContain(`Fingerprint of this key: ${first.fingerprint}`)
  expect(home.git('status', '--porcelain')).toBe('')
})

test('an endpoint that only this machine can reach is not given to others', async () => {
  const home = makeHome({ 'neo.yaml': ANA })
  const { out, err } = await home.neo('agent', 'keygen')
  expect(out).not.toContain('endpoint')
  expect(err).toContain('The file has no endpoint: set agent.endpoint in neo.yaml')
})

test('with a TLS certificate of one’s own, keygen prints its hash, which add keeps', async () => {
  const wire = openPeerWire()
  const pem = await wire.certificateOf(wire.newKey().privateKey, 'sato.example')
  const tls = SATO.replace('{ id', '{ tls: { cert: cert.pem, key: key.pem }, id')
  const home = makeHome({ 'neo.yaml': tls, 'cert.pem': pem })
  const { out } = await home.neo('agent', 'keygen')
  const hex = new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase()
  expect(out).toContain(`\ncertificate: sha256:${hex}\n`)
  const ana = makeHome({ 'neo.yaml': ANA })
  await neo(['agent', 'add', '-', '--home', ana.dir], { input: out })
  expect(ana.text('workspace/agents/eng-sato.md')).toContain(`certificate: sha256:${hex}`)
  const lost = await makeHome({ 'neo.yaml': tls }).neo('agent', 'keygen')
  expect([lost.code === 0, lost.err]).toEqual([
    false,
    expect.stringContaining('Cannot read the certificate "cert.pem" of agent.tls: the file is missing'),
  ])
})

test('a token is printed once, with how a client uses it, and replaces the one before', async () => {
  const home = makeHome({ 'neo.yaml': SATO, 'workspace/agents/pm-ana.md': '---\nowner: ana\n---\n' })
  const [first, next] = [
    await home.neo('agent', 'token', 'pm-ana'),
    await home.neo('agent', 'token', 'pm-ana'),
  ]
  expect(first.out).toMatch(/^neo_agent_[\w-]{43}\n$/)
  expect(first.err).toContain('https://sato.example:8443/a2a/v1, in the header Authorization: Bearer TOKEN')
  expect(next.out).not.toBe(first.out)
  expect(home.git('status', '--porcelain')).toBe('')
  expect((await home.neo('agent', 'token', 'qa-kim')).err).toContain('Cannot find the agent "qa-kim"')
  const revoked = await home.neo('agent', 'token', 'pm-ana', '--revoke')
  expect([revoked.code, revoked.out, revoked.err]).toEqual([0, '', expect.stringContaining('is revoked')])
})

test('what keygen prints in one home is what add reads in another', async () => {
  const [sato, ana] = [makeHome({ 'neo.yaml': SATO }), makeHome({ 'neo.yaml': ANA })]
  const { file, publicKey, fingerprint } = dataOf(await sato.neo('agent', 'keygen', '--json')) as Keygen
  const added = await neo(['agent', 'add', '-', '--home', ana.dir], { input: `\n\n${file}\n` })
  expect([added.code, added.out]).toEqual([0, 'workspace/agents/eng-sato.md\n'])
  expect(added.err).toContain(fingerprint)
  expect(ana.text('workspace/agents/eng-sato.md')).toContain(`public_key: ${publicKey}`)
  expect((await ana.neo('config', 'check')).code).toBe(0)
  expect(dataOf(await ana.neo('agent', 'list', '--json'))).toMatchObject([
    { id: 'eng-sato', role: 'engineer', owner: 'sato', status: 'offline', publicKey },
  ])
  expect(ana.git('log', '-1', '--format=%s').trim()).toBe('neo(agents): add eng-sato')
})

test.each([
  ['hello', 'has no public_key'],
  ['---\nname: a\ndescription: b\n---\n', 'has no public_key'],
  ['---\npublik_key: x\n---\n', 'unknown key "publik_key"'],
])('add refuses %j on stdin', async (input, why) => {
  const home = makeHome({ 'neo.yaml': ANA })
  const { code, err } = await neo(['agent', 'add', 'eng-sato', '-', '--home', home.dir], { input })
  expect([code === 0, err]).toEqual([false, expect.stringContaining(why)])
  expect(home.git('status', '--porcelain')).toBe('')
})

test('a revoked agent keeps its file, and no rule counts for it', async () => {
  const rule = '{ agent_id: eng-sato, pattern: acme/webapp, permission: read }'
  const home = makeHome({ 'neo.yaml': `${ANA}access: { rules: [${rule}] }\n` })
  const { publicKey } = dataOf(await home.neo('agent', 'keygen', '--json')) as Keygen
  await home.neo('agent', 'add', 'eng-sato', '--public-key', publicKey, '--role', 'engineer')
  const check = (...more: string[]) => home.neo('access', 'check', 'eng-sato', ...more)
  expect(await check('read', 'acme/webapp')).toMatchObject({
    code: 0,
    out: 'allowed access.rules[0] gives this agent read on repository acme/webapp\n',
  })
  expect((await check('context.read', 'file:acme/webapp/src/a.ts')).code).toBe(0)
  expect(await check('task.execute', 'acme/webapp')).toMatchObject({
    code: 5,
    out: 'refused access.rules[0] gives this agent read on repository acme/webapp; write is needed\n',
  })
  expect((await home.neo('agent', 'revoke', 'eng-sato')).code).toBe(0)
  expect(home.text('workspace/agents/eng-sato.md')).toContain('status: revoked')
  expect((await check('read', 'acme/webapp')).code).toBe(5)
})

test('access rules lists them with their place, and says loudly when audit mode is on', async () => {
  const rules =
    '[{ agent_role: qa, scope_type: folder, pattern: acme/webapp/src, permission: write, tasks: [fix], reason: release }]'
  const since = new Date(Date.now() - 3_600_000).toISOString()
  const home = makeHome({ 'neo.yaml': `access: { audit_mode: ${since}, rules: ${rules} }\n` })
  const { out } = await home.neo('access', 'rules')
  expect(out).toMatch(/^Audit mode is on until .*: access rules don't stop agents from reading\n/)
  expect(out).toMatch(
    /access\.rules\[0\] +role qa +write +folder acme\/webapp\/src +fix +release\nWithout a rule: none\n$/,
  )
})

test('status shows the fingerprint that the other person is asked for', async () => {
  const home = makeHome({ 'neo.yaml': SATO })
  expect((await home.neo('agent', 'status')).out).toContain('no key yet: neo agent keygen')
  const { publicKey } = dataOf(await home.neo('agent', 'keygen', '--json')) as Keygen
  const { out } = await home.neo('agent', 'status')
  expect(out).toContain('eng-sato (engineer of sato)')
  expect(out).toContain(fingerprintOf(publicKey))
  expect(out).toContain('repository:acme/webapp in shop')
})
