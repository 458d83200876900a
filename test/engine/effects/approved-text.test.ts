/** Which decisions on a request count: not late ones, not those about changed content, not those that nobody waits for. */
import { describe, expect, test } from 'vitest'
import type { Ask } from '../../../src/domain/ask/ask.ts'
import {
  askBody,
  changedSince,
  lateFor,
  presentHash,
  shownHash,
  strayFrom,
  type Subject,
} from '../../../src/engine/effects/approved-text.ts'
import { AFTER, askFile, BEFORE, facts, NOW, session } from '../../builders.ts'

const SUBJECT: Subject = {
  tool: 'run_task',
  arguments: { task: 'rooms/shop/tasks/a.md', params: { target: 'live' } },
  files: ['deploy.sh'],
  sha256: 'of-the-task',
  shows: '# Deploy\n\n| a | b |\n| - | - |\n\n* `rm -rf build`\n',
}

/** A request as Neo writes it about SUBJECT. */
function ask(over: Partial<Ask> = {}): Ask {
  const reason = 'Deploy: its commands were written by a model'
  const { tool, arguments: args, files } = SUBJECT
  const action = { tool, arguments: args, files, sha256: shownHash(SUBJECT, reason) }
  return { ...askFile('a-1').ask, reason, action, body: askBody('a-1', SUBJECT), ...over }
}

describe('lateFor()', () => {
  test.each<[string, Partial<Ask>, string | null]>([
    ['open', {}, null],
    ['without an end', { expiresAt: undefined as never }, null],
    ['approved', { decision: 'approved' }, 'it is already approved'],
    ['handled', { handledAt: BEFORE }, 'it is already pending'],
    ['answered', { answer: 'yes' }, 'it is already answered'],
    ['expired', { expiresAt: BEFORE }, `it expired at ${BEFORE}`],
    [
      'expiring just now',
      { expiresAt: new Date(NOW).toISOString() },
      'it expired at 2026-03-02T09:00:00.000Z',
    ],
    ['of an end that is no time', { expiresAt: 'tomorrow' }, 'it expired at tomorrow'],
  ])('of a request that is %s', (_what, over, is) => {
    expect(lateFor(ask(over), NOW)?.is ?? null).toBe(is)
  })

  test('names who decided, and when', () => {
    const late = lateFor(ask({ decision: 'denied', decidedBy: 'Ann', decidedAt: BEFORE }), NOW)
    expect(late).toMatchObject({ kind: 'decided', why: `by Ann at ${BEFORE}` })
    expect(lateFor(ask({ decision: 'denied' }), NOW)).not.toHaveProperty('why')
  })
})

describe('strayFrom()', () => {
  const wants = [{ key: 'k', id: 'a-1', kind: 'approval', text: 'x' }] as const
  const file = (over: Partial<Ask> = {}) => askFile('a-1', { session: 's-a', ...over })
  const live = facts({ sessions: [session('a', { wants })] }).sessions

  test('is null while the session waits for this very file, and for requests about tasks', () => {
    expect(strayFrom(file(), live)).toBeNull()
    expect(strayFrom(askFile('a-1'), new Map())).toBeNull()
  })

  test.each([
    ['the session is gone', file(), new Map()],
    ['it has ended', file(), facts({ sessions: [session('a', { wants, state: 'ended' })] }).sessions],
    ['it waits for another', file({ id: 'a-2' }), live],
    ['it has what it wanted', file(), facts({ sessions: [session('a')] }).sessions],
    ['the file is a copy', { ...file(), path: 'rooms/shop/asks/copy.md' }, live],
    ['the file is in another room', { ...file(), path: 'rooms/lab/asks/a-1.md' }, live],
  ])('objects where %s', (_what, one, sessions) => {
    expect(strayFrom(one, sessions)).toMatchObject({ kind: 'changed', is: 'no session is waiting for it' })
  })
})

describe('presentHash()', () => {
  const hash = (over: Partial<Ask>, subject = SUBJECT) => presentHash(ask(over), subject)
  const shown = ask().action.sha256

  test.each<[string, Partial<Ask>]>([
    ['nothing changed', {}],
    ['a person added a note', { body: `${ask().body}\nLooks fine to me.\n` }],
    [
      'an editor reformatted lists and tables',
      { body: ask().body.replaceAll('*', '-').replaceAll('| -', '|---') },
    ],
    [
      'keys are in another order',
      {
        action: { ...ask().action, arguments: { params: { target: 'live' }, task: 'rooms/shop/tasks/a.md' } },
      },
    ],
  ])('is the one of the request where %s', (_what, over) => {
    expect(hash(over)).toBe(shown)
  })

  test.each<[string, Partial<Ask>, Partial<Subject>]>([
    ['the task is another', {}, { sha256: 'another' }],
    ['the body shows less', { body: 'Fine.' }, {}],
    ['the body shows another command', { body: ask().body.replace('build', '/') }, {}],
    ['the reason is another', { reason: 'Harmless' }, {}],
    ['an argument is another', { action: { ...ask().action, arguments: { task: 'x' } } }, {}],
    ['a file is missing', { action: { ...ask().action, files: [] } }, {}],
    ['the tool is another', { action: { ...ask().action, tool: 'retry_task' } }, {}],
  ])('is another where %s', (_what, over, subject) => {
    expect(hash(over, { ...SUBJECT, ...subject })).not.toBe(shown)
  })

  test('of an edited request is never the one of a request that shows the edit', () => {
    const edited = { body: 'Fine.' }
    const again = askBody('a-1', { ...SUBJECT, shows: 'Fine.' })
    expect(hash(edited)).not.toBe(hash({ body: again }))
  })
})

test.each([
  [undefined, null],
  ['sha', null],
  ['other', 'its content changed after the request'],
])('changedSince() of the present hash %j', (present, is) => {
  expect(changedSince(askFile('a-1', { expiresAt: AFTER }).ask, present)?.is ?? null).toBe(is)
})
