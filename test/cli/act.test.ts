/**
 * Every writing command once beside a daemon and once without: the same answer, the same commit, the same audit line.
 * One table of commands; two homes that begin alike, one of them watched.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FILES, type Row, ROWS } from './acting.ts'
import { dataOf, type Ended, type Home, makeHome, neo, program, start, until } from './program.ts'

interface Side {
  readonly home: Home
  /** Ids of the asks about wants and wishes. */
  readonly asks: Readonly<Record<'ASK' | 'WISH', string>>
}

async function side(): Promise<Side> {
  const home = makeHome(FILES)
  await home.neo('run')
  const asks = dataOf(await home.neo('ask', 'list', '--room', 'shop', '--json')) as {
    id: string
    task: string
  }[]
  const about = (id: string) => asks.find(({ task: its }) => its === id)?.id ?? ''
  return { home, asks: { ASK: about('t-wants'), WISH: about('t-wishes') } }
}

async function typed({ home, asks }: Side, row: Row, run: typeof neo): Promise<Ended> {
  const words = row.typed.map((word) => (word === 'ASK' || word === 'WISH' ? asks[word] : word))
  return await run([...words, '--home', home.dir], row.input === undefined ? {} : { input: row.input })
}

/** The file of a row as it is; null where there is none. */
function fileOf(
  { home, asks }: Side,
  [named]: NonNullable<Row['file']>,
): { path: string; text: string } | null {
  const path = named.replace(/ASK|WISH/, (word) => asks[word as 'ASK'])
  const [folder = '', name = ''] = [
    path.slice(0, path.lastIndexOf('/')),
    path.slice(path.lastIndexOf('/') + 1),
  ]
  const [head = '', tail = ''] = name.split('*')
  const found = readdirSync(join(home.dir, folder)).find((one) =>
    name.includes('*') ? one.startsWith(head) && one.endsWith(tail) : one === name,
  )
  if (found === undefined) return null
  return { path: `${folder}/${found}`, text: readFileSync(join(home.dir, folder, found), 'utf8') }
}

/** What differs between any two runs is left out; so is when a task ended, which files say once they are taken in. */
function plain(text: string): string {
  return text
    .replaceAll(/\b([a-z])-[a-z0-9]{6}\b/g, '$1-ID')
    .replaceAll(/\d{4}-?\d\d-?\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\b[0-9a-f]{8,40}\b/g, 'HASH')
    .replaceAll(/,?"completedAt":"TIME"/g, '')
}

/** A daemon records them; a command that only looks at the files leaves no trace. */
const LOOKS: ReadonlySet<string> = new Set(['see', 'see-home'])

function audited({ home }: Side): readonly string[] {
  const folder = join(home.dir, '.git/neo')
  const logs = readdirSync(folder).filter((name) => name.startsWith('audit') && name.endsWith('.jsonl'))
  return logs
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line) as { who: string; method: string; act: string })
    .filter(({ who, act }) => who === 'human' && !LOOKS.has(act))
    .map(({ method }) => method)
}

/** Subject, event and author of each commit, oldest first. */
function commits({ home }: Side): readonly string[] {
  const format = '%s | %(trailers:key=Neo-Event,valueonly,separator=%x2C) | %an%x00'
  const all = home.git('log', '--reverse', `--format=${format}`).split('\0')
  return all.map((line) => plain(line.trim())).filter((line) => line !== '')
}

const count = (of: Side): number => commits(of).length

describe('an acting command has the same outcome beside a daemon and without one:', () => {
  let watched: Side
  let alone: Side
  let end: () => Promise<void> = async () => {}
  beforeAll(async () => {
    ;[watched, alone] = [await side(), await side()]
    const child = start(['watch', '--home', watched.home.dir])
    const ended = new Promise((resolve) => child.on('close', resolve))
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += String(piece)))
    end = async () => {
      child.kill('SIGTERM')
      await ended
    }
    await until(() => /^Page: http/m.test(said))
  })
  afterAll(() => end())

  test.each(ROWS.map((row) => [row.typed.join(' ').slice(0, 60), row] as const))('neo %s', async (_, row) => {
    const before = [watched, alone].map((of) => [audited(of).length, count(of)] as const)
    const [beside, without] = [await typed(watched, row, neo), await typed(alone, row, program)]
    expect(beside.code).toBe(row.code ?? 0)
    expect(plain(beside.out)).toBe(plain(without.out))
    expect(plain(beside.err)).toBe(plain(without.err.replace(/^No daemon runs.*\n/m, '')))
    expect(without.code).toBe(beside.code)
    const [seen = [], own = []] = [watched, alone].map((of, at) => audited(of).slice(before[at]?.[0]))
    expect(row.method === null ? seen : seen.slice(0, 1)).toEqual(row.method === null ? [] : [row.method])
    expect(own).toEqual(seen)
    expect(alone.home.git('status', '--porcelain', '-uall')).toBe('')
    const [theirs = [], ours = []] = [watched, alone].map((of, at) => commits(of).slice(before[at]?.[1]))
    expect(theirs).toEqual(expect.arrayContaining(ours.slice(0, 1)))
    // The engine acts on a decision in commits of its own.
    const isDecision = row.typed[0] === 'ask' || row.typed[0] === 'review'
    if (!isDecision) expect(ours).toHaveLength(row.commits ?? own.length)
    if (row.file === undefined) return
    const says = row.file[1]
    const files = [watched, alone].map((of) => fileOf(of, row.file as NonNullable<Row['file']>))
    if (says === null) expect(files).toEqual([null, null])
    else for (const file of files) expect(file?.text).toMatch(says)
  })
})
