/** Which paths of a home are ours, and as what. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  isConflictCopy,
  isGuarded,
  leadsOut,
  isWantedFolder,
  kindOf,
} from '../../../src/domain/home/home-paths.ts'

test.each([
  ['neo.yaml', 'config', '', 'neo'],
  ['rooms/shop/ROOM.md', 'room', 'shop', 'shop'],
  ['rooms/shop/tasks/fix.md', 'task', 'shop', 'fix'],
  ['rooms/shop/tasks/web/login/fix.md', 'task', 'shop', 'web/login/fix'],
  ['rooms/shop/tasks/ROOM.md', 'task', 'shop', 'ROOM'],
  ['rooms/Büro 1/tasks/日本.md', 'task', 'Büro 1', '日本'],
  ['rooms/shop/asks/a-1.md', 'ask', 'shop', 'a-1'],
  ['rooms/shop/memories/colours.md', 'memory', 'shop', 'colours'],
  ['rooms/shop/schedules/nightly.md', 'schedule', 'shop', 'nightly'],
  ['rooms/shop/sessions/s-1.md', 'session', 'shop', 's-1'],
  ['workspace/members/m-1.md', 'member', '', 'm-1'],
  ['workspace/agents/writer.md', 'agent', '', 'writer'],
  ['workspace/skills/press/SKILL.md', 'skill', '', 'press'],
  ['workspace/scopes/family/SCOPE.md', 'scope', '', 'family'],
  ['templates/tasks/release.md', 'template', '', 'release'],
])('kindOf(%j) is %s', (path, kind, room, name) => {
  expect(kindOf(path)).toEqual({ kind, room, name })
})

test.each([
  '',
  'README.md',
  'notes.md',
  'rooms.md',
  'workspace.md',
  'sub/neo.yaml',
  'neo.yml',
  'rooms/ROOM.md',
  'rooms/shop/tasks.md',
  'rooms/shop/notes.md',
  'rooms/shop/README.md',
  'rooms/shop/tasks/README.md',
  'rooms/shop/tasks/readme.md',
  'rooms/shop/tasks/web/ReadMe.md',
  'rooms/shop/tasks/AGENTS.md',
  'rooms/shop/tasks/claude.md',
  'rooms/shop/tasks/CLAUDE.local.md',
  'rooms/shop/tasks/web/Gemini.md',
  'rooms/shop/tasks/web/README.md',
  'rooms/shop/tasks/fix.txt',
  'rooms/shop/tasks/fix.MD',
  'rooms/shop/tasks/fix.md~',
  'rooms/shop/tasks/.fix.md',
  'rooms/shop/tasks/_fix.md',
  'rooms/shop/tasks/.hidden/fix.md',
  'rooms/shop/tasks/_old/fix.md',
  'rooms/_archive/tasks/fix.md',
  'rooms/shop/asks/old/a-1.md',
  'rooms/shop/memories/old/a.md',
  'rooms/shop/transcripts/s-1.md',
  'rooms/../shop/tasks/fix.md',
  'workspace/members.md',
  'workspace/members/old/m-1.md',
  'workspace/files/read.md',
  'workspace/skills/press.md',
  'workspace/skills/press/notes.md',
  'workspace/skills/press/SKILL/more.md',
  'workspace/scopes/family/notes.md',
  'workspace/scopes/family/SKILL.md',
  'templates/release.md',
  'templates/tasks.md',
  'templates/tasks/web/release.md',
  'templates/rooms/release.md',
  '.neo/worktrees/s-1/rooms/shop/tasks/fix.md',
])('kindOf(%j) is none of ours', (path) => {
  expect(kindOf(path)).toBeNull()
})

test.each([
  'rooms',
  'rooms/shop',
  'rooms/shop/tasks',
  'rooms/shop/tasks/web/login',
  'rooms/shop/asks',
  'rooms/shop/memories',
  'rooms/shop/schedules',
  'workspace',
  'workspace/members',
  'workspace/agents',
  'workspace/skills',
  'workspace/skills/press',
  'workspace/scopes/family',
  'templates',
  'templates/tasks',
])('isWantedFolder() wants %s', (path) => {
  expect(isWantedFolder(path)).toBe(true)
})

test.each([
  '.git',
  '.neo/worktrees',
  'node_modules',
  'rooms/.obsidian',
  'rooms/shop/sessions',
  'rooms/shop/transcripts',
  'rooms/shop/asks/old',
  'rooms/shop/tasks/.git',
  'workspace/files',
  'workspace/members/old',
  'workspace/skills/press/scripts',
  'templates/rooms',
  'templates/tasks/web',
])('isWantedFolder() leaves out %s', (path) => {
  expect(isWantedFolder(path)).toBe(false)
})

const NAME = fc.constantFrom(
  'rooms',
  'workspace',
  'templates',
  'tasks',
  'asks',
  'agents',
  'skills',
  'x',
  'ROOM',
)
const PATH = fc.array(NAME, { minLength: 2, maxLength: 6 })

test('isWantedFolder() wants every folder above a file of ours, except for sessions', () => {
  fc.assert(
    fc.property(PATH, (parts) => {
      const known = kindOf(`${parts.join('/')}.md`)
      fc.pre(known !== null)
      const folders = parts.slice(0, -1).map((_part, index) => parts.slice(0, index + 1).join('/'))
      expect(folders.filter((folder) => !isWantedFolder(folder))).toEqual([])
    }),
    { numRuns: 500 },
  )
})

test.each([
  ['rooms/shop/tasks/fix.sync-conflict-20260301-090000-ABCDEFG.md', true],
  ['rooms/shop/tasks/fix (conflicted copy 2026-03-01).md', true],
  ["rooms/shop/tasks/fix (a laptop's conflicted copy 2026-03-01).md", true],
  ['rooms/shop/tasks/fix_conflict-1.md', true],
  ['rooms/shop/tasks/fix.orig.md', true],
  ['rooms/shop/tasks/fix.md', false],
  ['rooms/shop/tasks/fix-conflict.md', false],
  ['rooms/shop/tasks/resolve-conflicted-copy.md', false],
  ['rooms/shop/tasks/fix.original.md', false],
])('isConflictCopy(%j) is %s', (path, is) => {
  expect(isConflictCopy(path)).toBe(is)
})

test.each([
  ['neo.yaml', true],
  ['.gitattributes', true],
  ['rooms/shop/ROOM.md', true],
  ['templates/tasks/a.md', true],
  ['workspace/SOUL.md', true],
  ['workspace/members/m-a.md', true],
  ['workspace/skills/a/SKILL.md', true],
  ['.claude/skills/a/SKILL.md', true],
  ['workspace/files/AGENTS.md', true],
  ['workspace/files/notes.md', false],
  ['workspace/files/rooms/a.md', false],
  ['src/neo.yaml', false],
  ['Rooms/shop/ROOM.md', true],
  ['rooms', true],
  ['workspace/skills', true],
  ['.gitignore', true],
  ['.env', true],
  ['workspace/files/.env.local', true],
  ['workspace/files/.gitmodules', true],
  ['workspace/files/sub/AGENTS.md', true],
  ['workspace/files/claude.md', true],
  ['.claude/settings.json', true],
  ['workspace/files/.agents/skills/a/SKILL.md', true],
  ['.mcp.json', true],
  ['workspace/files/.gitignore', false],
  ['workspace/files/env.ts', false],
] as const)('isGuarded() of %s is %s', (path, guarded) => {
  expect(isGuarded(path)).toBe(guarded)
})

test.each([
  ['a', 'b.txt', false],
  ['d/a', '../b.txt', false],
  ['d/a', 'e/b.txt', false],
  ['a', '/etc/passwd', true],
  ['a', '..', true],
  ['d/a', '../../x', true],
  ['d/a', 'e/../../../x', true],
  ['d/a', 'link/..', true],
  ['a', '.git/config', true],
  ['d/a', '../.env', true],
  ['a', '', true],
] as const)('leadsOut() of %s to %j is %s', (path, target, out) => {
  expect(leadsOut({ path, target })).toBe(out)
})
