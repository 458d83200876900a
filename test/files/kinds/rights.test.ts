/** Files that decide rights: a key that is misspelled in them makes them not understood, never less strict. */
import { describe, expect, test } from 'vitest'
import { readMember } from '../../../src/files/kinds/read-member.ts'
import { readScope } from '../../../src/files/kinds/read-scope.ts'

const header = (...lines: readonly string[]) => `---\n${lines.join('\n')}\n---\n`

const OWN = ' If the key is your own, start it with x-'

describe('readMember', () => {
  test.each([
    ['rol: child', 'role'],
    ['roles: child', 'role'],
    ['Role: child', 'role'],
    ['gaurds: { in: [./x] }', 'guards'],
    ['permisions: { rooms: [x] }', 'permissions'],
    ['chanels: { telegram: "1" }', 'channels'],
  ])('refuses %j: a misspelled key that decides rights makes nobody of the member', (line, meant) => {
    expect(readMember('m.md', header(line))).toMatchObject({
      kind: 'bad',
      problems: [{ code: 'unknown-key', severity: 'error', line: 2, hint: `Did you mean "${meant}"?${OWN}` }],
    })
  })

  test.each(['note: tall', 'home: here', 'email: k@localhost', 'birthday: 2015-03-01'])(
    'takes %j',
    (line) => {
      expect(readMember('m.md', header('role: child', line))).toMatchObject({ kind: 'ok' })
    },
  )
})

describe('readScope', () => {
  test.each([
    [['type: group', 'member: [m-ana]'], `Did you mean "members"?${OWN}`],
    [['type: group', 'rols: [parent]'], `Did you mean "roles"?${OWN}`],
    [['type: group', 'Members: [m-ana]'], `Did you mean "members"?${OWN}`],
    [['type: group', 'users: [m-ana]'], `Did you mean "members"?${OWN}`],
    [['type: group', 'gaurds: { in: [./x] }'], `Did you mean "guards"?${OWN}`],
    [['type: group', 'guards: { inn: [./x] }'], `Did you mean "in"?${OWN}`],
    [
      ['type: group', 'private: true'],
      'Correct or remove it; known keys are type, channel, roles, members, commit, guards, neo',
    ],
  ])('refuses %j, which may have been meant to limit', (lines, hint) => {
    expect(readScope('SCOPE.md', header(...lines))).toMatchObject({
      kind: 'bad',
      problems: [{ code: 'unknown-key', severity: 'error', line: 3, hint }],
    })
  })

  test('takes keys that mean nobody’s rights', () => {
    const text = header('type: group', 'title: Club', 'tags: [x]', 'description: d', 'members: [m-ana]')
    expect(readScope('SCOPE.md', text)).toMatchObject({
      kind: 'ok',
      warnings: [],
      value: { keeps: 'private' },
    })
  })
})
