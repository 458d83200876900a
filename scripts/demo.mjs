/**
 * `npm run demo [FOLDER]`: a home with rooms, tasks in every state, a review, a request, problems and schedules, and a
 * daemon that serves its page. For looking at the page, and for its pictures. FOLDER is `demo/` unless you say another
 * one; delete it to start again. `--no-watch` makes the home only.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const args = process.argv.slice(2)
const home = resolve(args.find((arg) => !arg.startsWith('--')) ?? 'demo')
// The files below are this script's own, so its commands may run without a question.
const env = { ...process.env, NEO_TRUST: '1' }

if (!existsSync(join(home, 'neo.yaml'))) make()
if (!args.includes('--no-watch')) spawn(process.execPath, [MAIN, '--home', home, 'watch'], { stdio: 'inherit', env })

function make() {
  neo('init', home)
  for (const [path, text] of Object.entries(files())) write(path, text)
  // What Neo has answered is in git.
  git('add', 'rooms/release/inbox')
  git('commit', '-q', '-m', 'neo(release): answer a message')
  const lines = usage()
  for (const month of new Set(lines.map(({ at }) => at.slice(0, 7)))) {
    const own = lines.filter(({ at }) => at.startsWith(month))
    write(`.git/neo/usage/${month}.jsonl`, own.map((line) => `${JSON.stringify(line)}\n`).join(''))
  }
}

/** What models would have used in the last 60 days; no model is called. */
function usage() {
  return Array.from({ length: 60 }, (_, day) =>
    ['website', 'release', 'office'].map((room, at) => {
      const when = new Date(Date.now() - (60 - day) * 86_400_000 + at * 3_600_000).toISOString()
      const size = ((day * 7 + at * 5) % 11) + (at === 0 ? 6 : 1)
      const tokens = { input: size * 9_000, cache_read: size * 20_000, cache_write: 0, output: size * 800 }
      const model = at === 1 ? 'local/small' : 'example/large'
      const of = { room, task: null, session: null, kind: 'neo', model, ...tokens }
      return { v: 1, key: `demo-${day}-${at}`, at: when.replace(/\.\d+Z/, 'Z'), ...of, usd: size * 0.021, source: 'told' }
    }),
  ).flat()
}

function neo(...argv) {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, ...argv], { env, encoding: 'utf8' })
  if (status === 0) return
  process.stderr.write(stderr)
  process.exit(1)
}

function git(...argv) {
  spawnSync('git', ['-C', home, ...argv])
}

function write(path, text) {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function files() {
  return {
    'rooms/website/ROOM.md': room('Website', 'Pages, styles and the search of the website.', 'shell'),
    'rooms/release/ROOM.md': room('Release', 'Checks and notes of the next release.', 'shell'),
    'rooms/office/ROOM.md': room('Office', 'What people do themselves.', 'human'),
    ...website(),
    ...release(),
    'rooms/office/tasks/order-paper.md': task('Order paper', { due: '2030-01-15', labels: '[supplies]' }, 'Two boxes, A4.'),
    'rooms/office/tasks/book-room.md': task('Book a room for the review', { priority: 'high' }, 'For six people.'),
    'rooms/office/schedules/backup.md': schedule('0 9 * * 1', 'Check that the backup of the weekend is complete.'),
    'rooms/website/schedules/links.md': schedule('30 6 * * *', 'Check all links.\n\n```sh\necho all links work\n```'),
    ...past(),
    'rooms/website/memories/prices.md': memory('preference', 'Prices are stored in cents.'),
    'rooms/website/memories/search.md': memory('pattern', 'The search index is built by `npm run index`.'),
    'rooms/website/memories/MEMORY.md':
      '# What is known\n\n- **time zone** (human): Europe/Paris — 2026-11-20 (neo-2026-11-20-1:4)\n- (human): "the search must stay below 50 ms" — 2026-11-21 (neo-2026-11-21-1:2)\n- Pictures are stored as WebP\n',
    'rooms/website/memories/2026-11-21.md':
      '# 2026-11-21\n\n- 09:12 [human] the search must stay below 50 ms (neo-2026-11-21-1:2)\n- 09:13 [neo] I will check it after each change (neo-2026-11-21-1:3)\n',
    'workspace/memory/MEMORY.md': '# What is known\n\n- Invoices go out on the first of each month\n',
    'workspace/scopes/team/SCOPE.md': '---\ntype: group\nchannel: "telegram:-100"\n---\n',
    'workspace/scopes/team/MEMORY.md': '# What is known\n\n- (human): "we meet on Tuesdays" — 2026-11-22 (neo-2026-11-22-1:2)\n',
    'rooms/release/memories/branch.md': memory('note', 'Releases are made from the branch `stable`.'),
  }
}

/** Schedules, and what their last runs made. */
function past() {
  const ago = (hours) => new Date(Date.now() - hours * 3_600_000).toISOString().replace(/\.\d+Z/, 'Z')
  const ran = (name, hours, status, said) => [
    `rooms/website/tasks/${name}-${hours}.md`,
    `---\ntitle: ${name} (${ago(hours).slice(0, 16).replace('T', ' ')})\nstatus: ${status}\nlabels: ["schedule:${name}"]\nneo:\n  id: t-demo${name}${hours}\n  created_at: ${ago(hours)}\n  created_by: schedule:${name}\n  started_at: ${ago(hours)}\n  completed_at: ${ago(hours - 0.05)}\n  ${said}\n---\n\nCheck all links.\n`,
  ]
  const stamp = ago(20).replace(/[-:]/g, '')
  return {
    ...Object.fromEntries([
      ran('links', 8, 'completed', 'result: All links work'),
      ran('links', 32, 'failed', 'error: 3 links are broken'),
      ran('links', 56, 'completed', 'result: All links work'),
    ]),
    'rooms/website/schedules/refresh.md': `---\nevery: 2h\n---\n\nRefresh the cache.\n\n${sh('echo refreshed')}`,
    'rooms/website/schedules/heartbeat.md': `---\nevery: 10m\nstatus: paused\n---\n\n${sh('echo alive')}`,
    'rooms/release/schedules/news.md': '---\ncron: "0 17 * * 1-5"\ntimezone: America/New_York\nkind: message\n---\n\nWhat changed today?\n',
    [`rooms/release/inbox/archive/news--${stamp}.md`]: '---\nfrom: schedule:news\n---\nWhat changed today?\n\n## Reply\n\nTwo tasks were completed. Nothing waits for you.\n',
    'rooms/release/schedules/announce.md': '---\nat: 2030-03-05T09:00\n---\n\nAnnounce the release.\n',
  }
}

function website() {
  const steps = Array.from({ length: 24 }, (_, at) => [
    `rooms/website/tasks/page-${at + 1}.md`,
    task(`Convert page ${at + 1}`, { priority: at % 7 === 0 ? 'high' : 'normal', labels: at % 2 === 0 ? '[pages]' : '[pages, css]', status: at < 8 ? 'pending' : 'draft' }, sh(`sleep 2`, `echo page ${at + 1} > page-${at + 1}.html`)),
  ])
  return {
    ...Object.fromEntries(steps),
    'rooms/website/tasks/fix-redirect.md': task(
      'Fix the redirect after login',
      { review: 'branch', priority: 'urgent', labels: '[login]' },
      sh('mkdir -p src', `printf 'export function after(login) {\\n  return login.asked ?? "/"\\n}\\n' > src/redirect.js`),
    ),
    'rooms/website/tasks/new-colours.md': task(
      'Try the new colours',
      { review: 'branch', labels: '[css]' },
      sh(`printf ':root {\\n  --accent: #2456c7;\\n}\\n' > colours.css`, 'echo done'),
    ),
    'rooms/website/tasks/broken-links.md': task('Find broken links', { labels: '[pages]' }, sh('echo 3 links are broken', 'exit 3')),
    'rooms/website/tasks/check-styles.md': task(
      'Check the styles',
      { labels: '[css]', verify: '["echo styles are valid", "echo 2 rules are unused; exit 1"]' },
      sh(`printf 'a { color: teal }\\n' > links.css`),
    ),
    'rooms/website/tasks/typo.md': '---\ntitle: Translate the imprint\nstatus: draft\npriorty: high\n---\n\nIn three languages.\n',
    'rooms/website/tasks/rebuild-index.md': `---\ntitle: Rebuild the search index\nneo: { created_by: neo }\n---\n\n${sh('echo rebuilt')}`,
  }
}

function release() {
  return {
    'rooms/release/tasks/notes.md': task('Write the notes', { status: 'draft' }, 'What has changed, for people who use it.'),
    'rooms/release/tasks/build.md': task('Build the packages', { depends_on: '[freeze]' }, sh('sleep 3', 'echo built')),
    'rooms/release/tasks/freeze.md': task('Freeze the branch', {}, sh('sleep 2', 'echo frozen')),
    'rooms/release/tasks/sign.md': task('Sign the packages', { depends_on: '[build]' }, sh('echo signed')),
    'rooms/release/tasks/publish.md': task('Publish', { depends_on: '[sign, announce]', worker: 'human' }, 'Press the button.'),
    'rooms/release/tasks/announce.md': task('Prepare the announcement', { depends_on: '[notes]' }, sh('echo ready')),
    'rooms/release/tasks/long-check.md': task('Run the long checks', { labels: '[checks]' }, sh('for i in $(seq 1 600); do printf "\\033[32mok\\033[0m check %s\\n" $i; sleep 1; done')),
  }
}

function room(name, description, worker) {
  return `---\nname: ${name}\ndescription: ${description}\nworker: ${worker}\n---\n`
}

function task(title, header, body) {
  const lines = Object.entries({ title, ...header }).map(([key, value]) => `${key}: ${value}\n`)
  return `---\n${lines.join('')}---\n\n${body}\n`
}

function schedule(cron, body) {
  return `---\ncron: "${cron}"\n---\n\n${body}\n`
}

function memory(type, text) {
  return `---\ntype: ${type}\n---\n\n${text}\n`
}

function sh(...lines) {
  return `\`\`\`sh\n${lines.join('\n')}\n\`\`\`\n`
}
