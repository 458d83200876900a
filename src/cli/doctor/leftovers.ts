/**
 * Leftovers of crashes and older versions, for `neo doctor`: journal entries, transcripts without a session,
 * lock files of git, missing lines in .gitignore and .gitattributes.
 */

import { join } from 'node:path'
import { openJournal } from '../../engine/commit/journal.ts'
import { editFile, MAX_BYTES } from '../edit-file.ts'
import { ATTRIBUTES, IGNORED, withLines } from '../init/starter.ts'
import { roomNames } from '../task/task-paths.ts'
import type { Opened } from '../with-world.ts'
import { type Finding, note, ok, wrong } from './finding.ts'
import { leftLocks } from './git-locks.ts'

export function checkJournal({ world, dir }: Opened): readonly Finding[] {
  const path = join(dir, 'journal.jsonl')
  if (world.files.read(path, 0).kind === 'missing') return []
  const waiting = openJournal(world.files, path).unfinished().length
  return [
    waiting === 0
      ? ok('journal', 'no unfinished entries')
      : note('journal', `${waiting} unfinished entries; the next command or daemon completes them`),
  ]
}

export function checkLists({ home, world }: Opened): readonly Finding[] {
  return LISTS.flatMap((list) => checkLines(world, home, list))
}

const LISTS: readonly Lines[] = [
  { path: '.gitignore', lines: IGNORED, why: 'caches and secrets could be committed' },
  { path: '.gitattributes', lines: ATTRIBUTES, why: 'transcripts of two machines would conflict' },
]

interface Lines {
  readonly path: string
  readonly lines: readonly string[]
  readonly why: string
}

function checkLines(
  { files }: Opened['world'],
  home: string,
  { path, lines, why }: Lines,
): readonly Finding[] {
  const full = join(home, path)
  const read = files.read(full, MAX_BYTES)
  const text = read.kind === 'file' ? read.bytes.toString('utf8') : ''
  if (read.kind === 'refused' || withLines(text, lines) === null) return []
  const run = (): string => {
    if (files.read(full, 0).kind === 'missing')
      files.save(full, Buffer.from(withLines('', lines) ?? ''), null)
    else editFile(files, full, (now) => withLines(now, lines))
    return 'done; commit it'
  }
  return [{ ...note(path, `some lines are missing: ${why}`), fix: { says: `add the lines to ${path}`, run } }]
}

export async function checkLeftovers(opened: Opened): Promise<readonly Finding[]> {
  const { branch } = await opened.world.git.head()
  const locks = leftLocks(opened.world, branch).map(({ name, says, next }) => wrong(name, says, next))
  return [...locks, ...localTranscripts(opened)]
}

/** Open conversations of Neo are kept here. */
const OPEN_CONVERSATION = /^neo-.+-\d{4}-\d{2}-\d{2}-\d+\.jsonl$/

/** Transcripts of ended sessions that are in no room: too large for git, or kept local by neo.yaml. */
function localTranscripts({ home, world, dir }: Opened): readonly Finding[] {
  const inRooms = new Set(
    roomNames(home, world.files).flatMap((room) =>
      world.files.names(join(home, 'rooms', room, 'transcripts')),
    ),
  )
  const lost = world.files
    .names(join(dir, 'transcripts'))
    .filter(
      (name) =>
        name.endsWith('.jsonl') &&
        !OPEN_CONVERSATION.test(name) &&
        !inRooms.has(name) &&
        world.files.names(join(dir, 'sessions', name.slice(0, -6))).length === 0,
    )
  if (lost.length === 0) return []
  return [note('transcripts', `${lost.length} are on this machine only (over 1 MiB, or transcripts: local)`)]
}
