/** Values that sessions are given, and those in `.env`: after a session that leaks them they stand in no file and no event. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { UNCONFINED } from '../path/confined.ts'
import { type Home, makeHome, type Ran } from '../path/home.ts'
import { type ModelServer, startModel } from '../path/model.ts'

const HANDED = 'maple Otter 77 "cliff"'
const WORK = 'ember-finch-2041'
const PIN = '4711'
const PEM_LINE = 'MIIEvAIBADANBgkqhkiG9w0BAQEFAASC'
const DOT_ENV = `HANDED='${HANDED}'
WORK_KEY=${WORK}
PIN=${PIN}
NODE_ENV=production
SIGNING="-----BEGIN PRIVATE KEY-----
${PEM_LINE}
-----END PRIVATE KEY-----"
`
const SECRETS = [HANDED, JSON.stringify(HANDED).slice(1, -1), WORK, PEM_LINE]
const CODED = [
  Buffer.from(HANDED).toString('base64').slice(0, -2),
  encodeURIComponent(HANDED),
  Buffer.from(HANDED).toString('hex'),
]
/** Prints all of them, whole, coded and in pieces. */
const LEAK = `echo "v $HANDED"; printf '%s' "$HANDED" | base64; cat "$NEO_HOME/.env"; echo "pin $((4700 + 11))"
printf '%s' "$HANDED" | cut -c1-5 | tr -d '\\n'; sleep 0.1; printf '%s\\n' "$HANDED" | cut -c6-
printf '%s' "$HANDED" | od -An -v -tx1 | tr -d ' \\n'; echo`

/** Everything below the home apart from `.env` itself, and all git objects. */
function kept({ dir }: Home): string {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== '.env')
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
  const args = ['cat-file', '--batch-all-objects', '--batch', '--unordered']
  return [...files, execFileSync('git', args, { cwd: dir, encoding: 'latin1', maxBuffer: 1 << 26 })].join(
    '\n',
  )
}

function held(home: Home, ran: Ran, more: readonly string[] = []): void {
  const all = `${kept(home)}\n${JSON.stringify(ran.events)}`
  for (const secret of [...SECRETS, ...CODED, ...more])
    expect([secret, all.includes(secret)]).toEqual([secret, false])
}

function homeWith(files: Readonly<Record<string, string>>): Home {
  const home = makeHome(files)
  home.write('.env', DOT_ENV)
  return home
}

const room = (...lines: readonly string[]) =>
  `---\nname: Shop\nenv: [HANDED, NODE_ENV]\nreview: none\n${lines.join('\n')}\n---\n`

test('steps, checks, cleanup and failures of a runbook keep no value that they print', async () => {
  const home = homeWith({
    'workspace/files/leak.sh': `${LEAK}\nexit "\${1:-0}"\n`,
    'rooms/shop/ROOM.md': room('worker: shell', 'verify: ["sh leak.sh; false"]', 'cleanup: ["sh leak.sh"]'),
  })
  home.task('fails', '```sh\nsh leak.sh 1\n```\n')
  home.task('checked', '```sh\necho "$NODE_ENV"; sh leak.sh\n```\n')
  const ran = await home.run()
  expect([home.status('fails'), home.status('checked')]).toEqual(['failed', 'failed'])
  held(home, ran, [`pin ${PIN}`, `PIN=${PIN}`])
  expect(kept(home)).toContain('production')
})

test.skipIf(UNCONFINED !== null)(
  'an exec worker keeps no value that it prints, line by line or as its answer',
  async () => {
    const home = homeWith({
      'workspace/files/leak.sh': LEAK,
      'neo.yaml':
        'daemon: { settle: 0s, rescan: 1s }\nworkers:\n  w: { command: [sh, leak.sh], env: [HANDED] }\n',
      'rooms/shop/ROOM.md': room('worker: exec:w', 'permissions: { shell: allow }'),
    })
    home.task('t', '# t\n\nDo it.\n')
    const ran = await home.run()
    held(home, ran, [`pin ${PIN}`])
  },
)

test.skipIf(UNCONFINED !== null)(
  'an agent sees and keeps no value in what its tools give it or in what it says',
  async () => {
    const model: ModelServer = await startModel(({ turn, tools }) => {
      if (!tools.includes('finish_task')) return `The value is ${HANDED} and ${WORK}.`
      return (
        [
          {
            text: `I know ${HANDED}`,
            calls: [{ name: 'shell', input: { command: 'echo "v $HANDED"; cat kept.txt' } }],
          },
          { calls: [{ name: 'read_file', input: { path: 'kept.txt' } }] },
          {
            calls: [
              { name: 'remember', input: { name: `n ${WORK}`, content: `It is ${HANDED} (${WORK}).` } },
            ],
          },
          { calls: [{ name: 'report_progress', input: { text: `at ${WORK}`, percent: 50, done: [WORK] } }] },
          {
            calls: [
              {
                name: 'finish_task',
                input: { result: `used ${HANDED} ${WORK}`, details: `${HANDED}\n${PEM_LINE}` },
              },
            ],
          },
        ][turn] ?? 'ok'
      )
    })
    const home = homeWith({
      'neo.yaml': model.config,
      'rooms/shop/ROOM.md': room('worker: agent', 'permissions: { shell: allow }'),
    })
    home.task('t', '# t\n\nDo it.\n')
    home.write('workspace/files/.gitignore', 'kept.txt\n')
    const ran = await home.run()
    expect(home.status('t')).toBe('completed')
    held(home, ran)
    expect(model.asked.flatMap(({ last }) => SECRETS.filter((secret) => last.includes(secret)))).toEqual([])
  },
)
