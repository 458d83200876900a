/** What passes between a session and its home, through files that a kill may leave half written. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import {
  answerWith,
  deliver,
  mailOf,
  noteProgress,
  openMailbox,
  percentOf,
  readProgress,
} from '../../src/agent/mailbox.ts'
import type { Delivery, Want } from '../../src/domain/session/session.ts'

const files = openFiles()
let dir = ''
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'neo-mail-'))))
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const want = (key: string, id = `a-${key}`): Want => ({ key, kind: 'question', text: 'Which?', id }) as Want
const answer = (key: string, text = 'Blue.'): Delivery => ({ key, kind: 'answer', from: 'human', text })
const message = (key: string, text = 'Go on.'): Delivery => ({ key, kind: 'message', from: 'human', text })
const mailbox = () => openMailbox(files, dir)

test('a want is open until it has its answer', () => {
  mailbox().want(want('c1'))
  mailbox().want(want('c2'))
  deliver(files, dir, answer('c1'))
  expect(mailOf(files, dir).wants.map(({ key }) => key)).toEqual(['c2'])
  expect(mailbox().answer('c1')).toMatchObject({ text: 'Blue.' })
  expect(mailbox().answer('c2')).toBeNull()
  expect([...mailOf(files, dir).answers.keys()]).toEqual(['a-c1'])
})

test('the first want of a key stays, whatever is asked under it later', () => {
  mailbox().want(want('c1', 'a-first'))
  mailbox().want(want('c1', 'a-second'))
  expect(mailOf(files, dir).wants.map(({ id }) => id)).toEqual(['a-first'])
})

test('a want whose file is damaged is asked again', () => {
  mkdirSync(join(dir, 'wants'))
  writeFileSync(join(dir, 'wants/c1.json'), '{"key":"c1"')
  expect(mailOf(files, dir).wants).toEqual([])
  mailbox().want(want('c1'))
  expect(mailOf(files, dir).wants).toHaveLength(1)
})

test.each(['null', '[]', '7', '{}', '{"key":1,"kind":"question","text":"x","id":"a"}'])(
  'a file that is no want is ignored: %s',
  (text) => {
    mkdirSync(join(dir, 'wants'))
    writeFileSync(join(dir, 'wants/c1.json'), text)
    writeFileSync(join(dir, 'wants/note.txt'), 'no want')
    mailbox().want(want('c2'))
    expect(mailOf(files, dir).wants.map(({ key }) => key)).toEqual(['c2'])
  },
)

test('a key can’t leave the folder of wants', () => {
  mailbox().want(want('../../escaped'))
  expect(files.names(join(dir, 'wants'))).toEqual(['______escaped.json'])
})

test('the same delivery comes once; an answer and a message may have one key', () => {
  for (let n = 0; n < 3; n++) {
    deliver(files, dir, message('m1', `text ${n}`))
    deliver(files, dir, answer('m1'))
  }
  expect(mailbox().messages()).toEqual([message('m1', 'text 0')])
  expect(mailbox().answer('m1')).toEqual(answer('m1'))
})

test('a message that was taken for an answer is known as told', () => {
  deliver(files, dir, message('m1', 'Blue.'))
  answerWith(files, dir, { key: 'c1', message: message('m1', 'Blue.') })
  expect(mailbox().answer('c1')).toMatchObject({ text: 'Blue.', kind: 'answer' })
  expect(mailbox().answering()).toEqual(['m1'])
  expect(mailOf(files, dir).heard).toEqual(new Set(['m1']))
})

test('whatever a kill leaves at the end of the mail, what came before is read, and more can come', () => {
  const junk = fc.oneof(
    fc.string(),
    fc.json(),
    fc.constantFrom('{"key":"m2","kind":"mes', '{"kind":"message"}', '\0'),
  )
  fc.assert(
    fc.property(junk, (left) => {
      const at = mkdtempSync(join(dir, 'one-'))
      deliver(files, at, message('m1'))
      writeFileSync(join(at, 'mail.jsonl'), `${left.replaceAll('\n', ' ')}\n`, { flag: 'a' })
      deliver(files, at, message('m3'))
      const keys = openMailbox(files, at)
        .messages()
        .map(({ key }) => key)
      expect(keys).toEqual(expect.arrayContaining(['m1', 'm3']))
    }),
    { numRuns: 60 },
  )
})

test('a session without a folder has no mail', () => {
  const none = join(dir, 'nothing')
  expect(openMailbox(files, none).messages()).toEqual([])
  expect(mailOf(files, none).wants).toEqual([])
  expect(readProgress(files, none)).toBeNull()
})

test('progress adds up: done items gather, and a percentage stays until the next one', () => {
  noteProgress(files, dir, { text: 'one', percent: 20, done: ['parse'] })
  noteProgress(files, dir, { text: 'two', percent: null, done: ['test', 'parse'] })
  expect(readProgress(files, dir)).toEqual({ text: 'two', percent: 20, done: ['parse', 'test'] })
})

test('what looks like a secret is masked before it is written', () => {
  const token = `ghp_${'a1B2c3D4'.repeat(5)}`
  noteProgress(files, dir, { text: `with ${token}`, percent: null, done: [`used ${token}`] })
  const read = files.read(join(dir, 'progress.json'), 10_000)
  expect(read.kind === 'file' && read.bytes.toString()).not.toContain(token)
})

test.each(['', '{', 'null', '{"text":1,"done":[]}', '{"text":"x"}'])(
  'damaged progress is none: %s',
  (text) => {
    writeFileSync(join(dir, 'progress.json'), text)
    expect(readProgress(files, dir)).toBeNull()
  },
)

test.each([
  ['- [ ] a\n- [ ] b\n', { text: '', percent: 90, done: ['a'] }, 50],
  ['- [x] a\n- [ ] b\n', { text: '', percent: null, done: ['b'] }, 100],
  ['- [x] a\n- [ ] b\n- [ ] c\n', null, 33],
  ['No list.', { text: '', percent: 40, done: [] }, 40],
  ['No list.', { text: '', percent: null, done: ['a'] }, null],
  ['No list.', null, null],
])('the progress of a task: %j with %j', (body, said, percent) => {
  expect(percentOf(body, said)).toBe(percent)
})
