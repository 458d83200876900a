/** Files that channels read: prompts of the home behind a slash, and replies in the archive of an inbox. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { ownPrompt } from '../../src/channels/commands/message-commands.ts'
import { answerAt } from '../../src/channels/inbox/by-inbox.ts'
import type { Context } from '../../src/engine/context.ts'

const home = mkdtempSync(join(tmpdir(), 'neo-files-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const files = openFiles()
function write(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), text)
}

write('workspace/commands/plan-day.md', '---\ndescription: The day\n---\nPlan my day.\n')
write('workspace/commands/Brief.md', 'Be brief.\n')
write('workspace/commands/status.md', 'Something else.\n')
write('workspace/commands/broken.md', '---\n: [\n---\nText\n')
write('workspace/commands/empty.md', '---\ndescription: Nothing\n---\n')
write('workspace/secret.md', 'Secret.\n')

test.each([
  ['/plan-day', 'Plan my day.'],
  ['/plan_day', 'Plan my day.'],
  ['/PLAN-DAY', 'Plan my day.'],
  ['/plan-day@neo_bot  with Kim\n and Lee ', 'Plan my day.\n\nwith Kim\n and Lee'],
  ['/brief', 'Be brief.'],
  ['/empty please', 'please'],
  ['/status', null],
  ['/broken', null],
  ['/nothing', null],
  ['/../secret', null],
  ['/', null],
  ['/-', null],
  ['plan-day', null],
  ['', null],
])('"%s" is %j', (line, text) => {
  expect(ownPrompt({ home, world: { files } } as unknown as Context, 'telegram', line)).toBe(text)
})

const ASKED = '---\nfrom: human\n---\nHow far?\n\n## Reply\n\nIs that a heading?\n'
const PATH = 'rooms/shop/inbox/1.md'
const ARCHIVED = 'rooms/shop/inbox/archive/1.md'

test.each([
  ['the reply alone, whatever the message says', `${ASKED}\n## Reply\n\nHalf of it.\n`, 'Half of it.'],
  ['a reply with headings of its own', `${ASKED}\n## Reply\n\nA\n\n## Reply\n\nB\n`, 'A\n\n## Reply\n\nB'],
  ['nothing, if there was no reply', ASKED, ''],
  ['what follows the first heading, if the message was changed', 'Changed.\n\n## Reply\n\nDone.\n', 'Done.'],
])('the archive gives %s', (_, archived, text) => {
  write(ARCHIVED, archived)
  expect(answerAt(files, home, { path: PATH, text: ASKED })).toEqual({ kind: 'answered', text })
})

test('a message that is not answered waits, and one in neither place is gone', () => {
  rmSync(join(home, ARCHIVED), { force: true })
  expect(answerAt(files, home, { path: PATH, text: ASKED })).toEqual({ kind: 'gone' })
  write(PATH, ASKED)
  expect(answerAt(files, home, { path: PATH, text: ASKED })).toEqual({ kind: 'waits' })
})
