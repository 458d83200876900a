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
  ['scope', 'Conversation', 'workspace/scopes/NAME/SCOPE.md'],
  ['skill', 'Skill', 'workspace/skills/NAME/SKILL.md'],
]

const HEAD = `# Every key of every file

This page is generated from the program: \`npx tsx scripts/api-docs.mjs\`. \`neo config schema KIND\` prints the same as JSON Schema,
so that an editor can complete keys and explain them. Neo keeps keys that it does not know, and warns about them.

Times are ISO 8601 (\`2026-03-01T09:00:00Z\`); a local time or a date is read in the time zone of the home. Durations are written as
\`30s\`, \`5m\`, \`2h\` or \`7d\`, sizes as \`500MB\` or \`2GB\`. \`\${NAME}\` in neo.yaml takes an environment variable.
`

export function keyReference(): string {
  const pages = PAGES.map(([kind, title, path]) => {
    const rows = rowsOf(shapes[kind], '').map(
      ({ key, value, says }) => `| \`${key}\` | ${escaped(value)} | ${escaped(says)} |`,
    )
    const where = title === path ? '' : `\`${path}\`\n\n`
    return `## ${title}\n\n${where}| key | value | meaning |\n|---|---|---|\n${rows.join('\n')}\n`
  })
  return [HEAD, ...pages].join('\n')
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
      return 'anything'
    case 'text':
      return shape.expected
    case 'choice':
      return shape.of.map((one) => `\`${one}\``).join(', ')
    case 'number':
      return numberText(shape)
    case 'flag':
      return '`true`, `false`'
    case 'list':
      return `list of ${valueOf(shape.of)}`
    case 'map':
      return `names with ${valueOf(shape.of)}`
    case 'keys':
      return 'keys'
    case 'either':
      return shape.of.map(valueOf).join('; or ')
  }
}

function numberText({ min, max, isInteger }: Shape<unknown> & { kind: 'number' }): string {
  const what = isInteger ? 'whole number' : 'number'
  return max === Number.MAX_SAFE_INTEGER ? `${what} from ${min}` : `${what}, ${min} to ${max}`
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}
