/** Contexts as people type them, and the file by which one home knows another. */
import { expect, test } from 'vitest'
import { agentBlock, fingerprintOf, readBlock } from '../../src/cli/agent/agent-block.ts'
import { contextOf, contextText } from '../../src/cli/agent/context-words.ts'

test.each([
  ['acme/webapp', 'repository:acme/webapp'],
  ['repository:acme/webapp', 'repository:acme/webapp'],
  ['acme/webapp/src/login.ts', 'file:acme/webapp/src/login.ts'],
  ['acme/webapp/src/', 'folder:acme/webapp/src'],
  ['folder:acme/webapp/src', 'folder:acme/webapp/src'],
  ['acme/webapp#12', 'issue:acme/webapp#12'],
])('contextOf(%j) is %s', (typed, wanted) => {
  expect(contextText(contextOf(typed))).toBe(wanted)
})

test.each(['', 'webapp', 'acme/../webapp', '/acme/webapp', 'repository:', 'repository:a', 'acme/webapp#x/y'])(
  'contextOf(%j) is refused, with examples',
  (typed) => {
    expect(() => contextOf(typed)).toThrow(`Invalid context "${typed}": it `)
  },
)

const KEY = `p256:${'A'.repeat(44)}`
const OWN = {
  id: 'eng-sato',
  role: 'engineer',
  owner: 'sato',
  endpoint: 'https://sato.example:8443',
  publicKey: KEY,
  certificate: `sha256:${'a'.repeat(64)}`,
  contexts: [{ type: 'repository', identifier: 'acme/webapp' }],
}

/** A key that readers accept, from a block of another home. */
function blockWith(more: object): string {
  return agentBlock({ ...OWN, ...more })
}

test('the file says where to save it, and holds only what is set', () => {
  const block = blockWith({ endpoint: null, certificate: null, contexts: [] })
  expect(block).toMatch(/^---\n# Save this as workspace\/agents\/eng-sato\.md, or pipe it/)
  expect(block).toContain(`public_key: ${KEY}`)
  expect(block).not.toMatch(/endpoint|certificate|contexts/)
})

test.each([
  ['no id', 'Hello', null, 'does not name its id'],
  ['no key', '---\nrole: engineer\n---\nText\n', 'eng-sato', 'has no public_key'],
  ['text alone', 'Hello', 'eng-sato', 'has no public_key'],
])('readBlock() refuses a text with %s', (_, text, id, why) => {
  expect(() => readBlock(text, id)).toThrow(why)
})

test('fingerprintOf() is eight groups of four hex digits, and another one for another key', () => {
  expect(fingerprintOf(KEY)).toMatch(/^(?:[0-9a-f]{4} ){7}[0-9a-f]{4}$/)
  expect(fingerprintOf(KEY)).toBe(fingerprintOf(KEY))
  expect(fingerprintOf(`${KEY}a`)).not.toBe(fingerprintOf(KEY))
})
