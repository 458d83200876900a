/**
 * docs/reference.md as text: every key of every file, from the shapes that files are read by.
 * Takes nothing; scripts/api-docs.mjs writes it, test/house/docs.test.ts compares it.
 */
import { shapes } from '../src/files/values/schemas.ts'
import type { Shape } from '../src/files/values/shape.ts'

interface Row {
  /** `budget.usd_per_day`; a name of your own is `NAME`. */
  readonly key: string
  readonly value: string
  readonly says: string
}

const PAGES: readonly (readonly [keyof typeof shapes, string, string])[] = [
  ['config', 'neo.yaml', 'neo.yaml'],
  ['room', 'Room', 'rooms/ROOM/ROOM.md'],
  ['task', 'Task', 'rooms/ROOM/tasks/NAME.md'],
  ['schedule', 'Schedule', 'rooms/ROOM/schedules/NAME.md'],
  ['template', 'Template', 'templates/tasks/NAME.md'],
  ['ask', 'Request', 'rooms/ROOM/asks/ID.md'],
  ['memory', 'Memory', 'rooms/ROOM/memories/NAME.md'],
  ['session', 'Session', 'rooms/ROOM/sessions/ID.md'],
  ['member', 'Member', 'workspace/members/ID.md'],
  ['agent', 'Agent of another home', 'workspace/agents/ID.md'],
  ['scope', 'Conversation', 'workspace/scopes/NAME/SCOPE.md'],
  ['skill', 'Skill', 'workspace/skills/NAME/SKILL.md'],
]

const HEAD = `# Every key of every file

This page is generated from the program: \`npx tsx scripts/api-docs.mjs\`. \`neo config schema KIND\` prints the same as JSON Schema,
so that an editor can complete keys and explain them. Neo keeps keys that it doesn't know, and warns about them. An unknown key that
looks like one that guards something is an error, and its file isn't used: checks, reviews, limits, rights. So is such a key without
a value, as in an edit that isn't finished. In SCOPE.md, this goes for every key. Keys that start with \`x-\` are yours; Neo ignores
them.

Times are ISO 8601 (\`2026-03-01T09:00:00Z\`); a local time or a date is read in the time zone of the home. Durations are written as
\`30s\`, \`5m\`, \`2h\` or \`7d\`, sizes as \`500MB\` or \`2GB\`. \`\${NAME}\` in neo.yaml inserts a variable from the environment or from \`.env\`.
`

const PLURALS: Readonly<Record<string, string>> = {
  string: 'strings',
  object: 'objects',
  'any value': 'any values',
  'whole number, 0 to 24': 'whole numbers, 0 to 24',
  'the name of an environment variable': 'names of environment variables',
}

export function keyReference(): string {
  const pages = PAGES.map(([kind, title, path]) => {
    const all = rowsOf(shapes[kind], '')
    const own = LIKE_TASKS.has(kind) ? all.filter((row) => !isOfTask(row)) : all
    const rows = own.map(({ key, value, says }) => `| \`${key}\` | ${escaped(value)} | ${escaped(says)} |`)
    const where = title === path ? '' : `\`${path}\`\n\n`
    return `## ${title}\n\n${where}${sharedText(all, own)}| key | value | meaning |\n|---|---|---|\n${rows.join('\n')}\n`
  })
  return [HEAD, ...pages].join('\n')
}

const LIKE_TASKS: ReadonlySet<string> = new Set(['schedule', 'template'])
const ofTasks = new Map(rowsOf(shapes.task, '').map(({ key, says }) => [key, says]))

function isOfTask({ key, says }: Row): boolean {
  return ofTasks.get(key) === says || key === 'neo' || key.startsWith('neo.')
}

function sharedText(all: readonly Row[], own: readonly Row[]): string {
  const shared = all.filter(({ key }) => !key.includes('.') && key !== 'neo' && !own.some((row) => row.key === key))
  if (shared.length === 0) return ''
  return `These keys are the same as in a [task](#task): ${shared.map(({ key }) => `\`${key}\``).join(', ')}. Other keys:\n\n`
}

/** Keys whose meaning nothing says. */
export function undescribedKeys(): readonly string[] {
  return PAGES.flatMap(([kind]) => rowsOf(shapes[kind], '').flatMap(({ key, says }) => (says === '' ? `${kind}: ${key}` : [])))
}

function rowsOf(shape: Shape<unknown>, at: string): readonly Row[] {
  switch (shape.kind) {
    case 'keys':
      return Object.entries(shape.keys).flatMap(([key, of]) => [
        { key: `${at}${key}`, value: valueOf(of), says: of.description ?? '' },
        ...rowsOf(of, `${at}${key}.`),
      ])
    case 'map':
      return rowsOf(shape.of, `${at}NAME.`)
    case 'list':
      return rowsOf(shape.of, at.replace(/\.$/, '[].'))
    case 'either':
      return shape.of.flatMap((one) => rowsOf(one, at))
    default:
      return []
  }
}

function valueOf(shape: Shape<unknown>): string {
  switch (shape.kind) {
    case 'any':
      return 'any value'
    case 'text':
      return shape.expected === 'text' ? 'string' : shape.expected
    case 'choice':
      return shape.of.map((one) => `\`${one}\``).join(', ')
    case 'number':
      return numberText(shape)
    case 'flag':
      return '`true`, `false`'
    case 'list':
      return `list of ${plural(valueOf(shape.of))}`
    case 'map':
      return `map of ${plural(valueOf(shape.of))}`
    case 'keys':
      return 'object'
    case 'either':
      return shape.of.map(valueOf).join('; or ')
  }
}

function plural(value: string): string {
  const [first = '', ...rest] = value.split('; or ')
  return [PLURALS[first] ?? first, ...rest].join('; or ')
}

function numberText({ min, max, isInteger }: Shape<unknown> & { kind: 'number' }): string {
  const what = isInteger ? 'whole number' : 'number'
  return max === Number.MAX_SAFE_INTEGER ? `${what} from ${min}` : `${what}, ${min} to ${max}`
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}
