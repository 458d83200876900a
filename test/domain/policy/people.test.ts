/** Who a number is, and whom a group lets speak: never by a name, never by mistake. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  hasContent,
  refusedInGroup,
  saysNothing,
  scopeName,
  shortHash,
  whoIs,
  wrongAllowFrom,
} from '../../../src/domain/policy/known-people.ts'

const ana = { id: 'm-ana', role: 'parent', channels: { telegram: '11' } }
const kim = { id: 'm-kim', role: 'child', channels: { telegram: '22' } }
const at = (number: string) => whoIs({ channel: 'telegram', number }, [ana, kim], ['33', '22', 'anna'])

test('a number is its member, else the owner where allow_from lists it, else nobody', () => {
  expect(at('11')).toEqual({ kind: 'member', id: 'm-ana', role: 'parent' })
  expect(at('33')).toEqual({ kind: 'human' })
  expect(at('44')).toEqual({ kind: 'unknown' })
})

test('a member who is listed too stays a member; a name lets in nobody; a number of two members is nobody', () => {
  expect(at('22')).toMatchObject({ id: 'm-kim' })
  expect(at('anna')).toEqual({ kind: 'unknown' })
  const twice = whoIs(
    { channel: 'telegram', number: '11' },
    [ana, { ...kim, channels: ana.channels }],
    ['11'],
  )
  expect(twice).toEqual({ kind: 'unknown' })
  expect(whoIs({ channel: 'slack', number: '11' }, [ana], [])).toEqual({ kind: 'unknown' })
})

test('names in allow_from are found', () => {
  expect(wrongAllowFrom(['123', '@ana', 'ana', '', '-100', '1e3', '012'], 'telegram')).toEqual([
    '@ana',
    'ana',
    '',
    '-100',
    '1e3',
    '012',
  ])
})

test.each([
  ['no file', null, '11', /not configured/],
  [
    'a group for parents and a child in its list',
    { type: 'parents_group', roles: ['child'], members: ['m-kim'] },
    '22',
    /for parents/,
  ],
  [
    'a group with members and another one',
    { type: 'group', roles: [], members: ['m-kim'] },
    '11',
    /not in this group/,
  ],
  [
    'a group with roles and another one',
    { type: 'group', roles: ['parent'], members: [] },
    '22',
    /not for child/,
  ],
  ['an unknown sender', { type: 'group', roles: [], members: [] }, '44', /not known/],
])('%s: the sender is refused', (_, group, number, says) => {
  expect(refusedInGroup(at(number), group)).toMatch(says)
})

test('who belongs is let in', () => {
  expect(refusedInGroup(at('11'), { type: 'parents_group', roles: [], members: [] })).toBeNull()
  expect(refusedInGroup(at('22'), { type: 'family_group', roles: [], members: ['m-kim'] })).toBeNull()
})

test('a scope is a folder name of its own for each key', () => {
  expect(scopeName('telegram:123')).toBe('telegram-123')
  expect(scopeName('telegram:-100123')).toMatch(/^telegram-100123-[0-9a-z]{11}$/)
  const key = fc.string({ minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(key, key, (one, other) => {
      expect(scopeName(one)).toMatch(/^[a-z0-9-]*$/)
      if (one !== other)
        expect([scopeName(one), shortHash(one)]).not.toEqual([scopeName(other), shortHash(other)])
    }),
  )
})

test('headings, blanks, empty points and comments are nothing to do', () => {
  expect(hasContent('# Heartbeat\n\n## Daily\n<!-- water\nthe plants -->\n- [ ]\n---\n')).toBe(false)
  expect(hasContent('# Heartbeat\n- [ ] water\n')).toBe(true)
})

test('only a whole reply of nothing is nothing', () => {
  expect(['', 'Nothing to say.', '**Nothing to say.**', 'HEARTBEAT_OK'].map(saysNothing)).toEqual([
    true,
    true,
    true,
    true,
  ])
  expect(
    ['Nothing to say. But the tap runs.', '水漏れです', 'HEARTBEAT_OK is a word'].map(saysNothing),
  ).toEqual([false, false, false])
})
