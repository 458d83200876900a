import { describe, expect, test } from 'vitest'
import { admits, isTempName } from '../../../src/adapters/watcher/folders.ts'

describe('admits() lets in the file', () => {
  test.each([
    'neo.yaml',
    '.env',
    'rooms/shop/ROOM.md',
    'rooms/shop/tasks/a.md',
    'rooms/shop/tasks/archive/2024/a.md',
    'rooms/shop/tasks/sessions/a.md',
    'rooms/sessions/ROOM.md',
    'rooms/lobby/inbox/hello.md',
    'rooms/shop/tasks/Ünïcode 漢字.MD',
    'rooms/shop/tasks/4913.md',
    'workspace/SOUL.md',
    'workspace/members/m-ana.md',
    'workspace/skills/review/SKILL.md',
    'workspace/memory/2026-03-01.md',
    'templates/tasks/review.md',
  ])('%s', (path) => expect(admits(path, 'file')).toBe(true))
})

describe('admits() keeps out the file', () => {
  test.each([
    'README.md',
    'package.json',
    'sub/neo.yaml',
    'rooms/shop/.env',
    'rooms/shop/sessions/s-1.md',
    'rooms/shop/transcripts/s-1.jsonl',
    'workspace/files/a.md',
    'workspace/x.txt',
    'rooms/.obsidian/a.md',
    'rooms/shop/tasks/.a.md.neo-1-2.tmp',
    '.git/HEAD',
    '.neo/worktrees/s-1/rooms/shop/tasks/a.md',
    'node_modules/x/readme.md',
    'workspace/skills/x/node_modules/y/readme.md',
  ])('%s', (path) => expect(admits(path, 'file')).toBe(false))
})

describe('admits() enters', () => {
  test.each(['', 'rooms', 'rooms/shop', 'rooms/shop/tasks', 'workspace', 'workspace/members', 'templates'])(
    'the folder "%s"',
    (path) => expect(admits(path, 'folder')).toBe(true),
  )
})

describe('admits() does not enter', () => {
  test.each([
    '.git',
    '.neo',
    'workspace/files',
    'rooms/shop/sessions',
    'rooms/shop/transcripts',
    'src',
    'roomsx',
  ])('the folder "%s"', (path) => expect(admits(path, 'folder')).toBe(false))
})

describe('isTempName() knows', () => {
  test.each([
    '4913',
    '5036',
    'a.md~',
    '.a.md.swp',
    '.#a.md',
    '#a.md#',
    'a.md.tmp',
    'a.md.tmp.123.456',
    'a.md___jb_tmp___',
    'a.md___jb_old___',
    '.goutputstream-X1Y2Z3',
    '.a.md.neo-1a-2b.tmp',
    'a.md.427992699',
    'sedAbC123',
    '~$a.md',
  ])('%s', (name) => expect(isTempName(name)).toBe(true))
})

describe('isTempName() leaves', () => {
  test.each([
    'a.md',
    '4914',
    '4913.md',
    '12345.md',
    'sed-notes.md',
    'temporary.md',
    'swap.md',
    'v1.2.md',
    '2024',
  ])('%s', (name) => expect(isTempName(name)).toBe(false))
})
