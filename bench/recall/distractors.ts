/** Facts that nobody asks for, made of parts, so that answers have company. Always the same. */
import { readFileSync } from 'node:fs'

const SUBJECTS = [
  'The export',
  'The mobile app',
  'Our parser',
  'The shop page',
  'The nightly job',
  'The mail worker',
  'The archive',
  'The search box',
  'The price table',
  'The door sensor',
  'The team calendar',
  'The support desk',
  'The test runner',
  'The deploy script',
  'The image store',
  'The kitchen list',
  'The lesson plan',
  'The travel sheet',
]
const VERBS = [
  'is checked by',
  'was moved to',
  'depends on',
  'writes to',
  'reads from',
  'is owned by',
  'was tested with',
  'waits for',
  'is documented in',
  'was replaced by',
]
const OBJECTS = [
  'the second shift',
  'a table of orders',
  'the new host',
  'the wiki',
  'a shared folder',
  'the weekly report',
  'the platform group',
  'a queue of messages',
  'the legacy system',
  'a plain text file',
  'the finance sheet',
  'the upstairs office',
]
const WIDE = [
  '資料は共有の棚に置く',
  '窓は帰る前に閉める',
  '名刺は総務で作る',
  '注文は午後に確認する',
  '見積もりは営業が作る',
  '掃除は毎朝行う',
  '部品は箱ごとに数える',
  '名簿は月に一度直す',
]

export function distractors(): readonly string[] {
  const made = SUBJECTS.flatMap((subject, a) =>
    VERBS.flatMap((verb, b) =>
      OBJECTS.filter((_, c) => (a + b + c) % 3 === 0).map((object) => `${subject} ${verb} ${object}`),
    ),
  )
  return [...made, ...WIDE]
}

/** The same in five other languages: their facts need company in the same language. */
export function foreignDistractors(): readonly string[] {
  const rows = readFileSync(new URL('languages/company.tsv', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  return rows.flatMap((row) => {
    const [, subjects = '', ends = ''] = row.split('\t')
    return subjects.split('|').flatMap((subject) => ends.split('|').map((end) => subject + end))
  })
}
