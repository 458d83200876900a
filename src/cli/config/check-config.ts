/** `neo config check` and `neo config show`: all problems of the files of a home, and the configuration in use. Needs no git. */
import { isMap } from '../../domain/text/is-map.ts'
import { join } from 'node:path'
import { composeFiles } from '../../compose.ts'
import { NeoError } from '../../domain/home/error.ts'
import { type FileKind, kindOf } from '../../domain/home/home-paths.ts'
import { type Problem, problemText, whereOf } from '../../domain/home/problem.ts'
import { grouped } from '../../domain/task/depends.ts'
import { counted } from '../../domain/text/counted.ts'
import { buildSnapshot, type Entry } from '../../engine/snapshot/build-snapshot.ts'
import { type Reading, readKnown } from '../../engine/snapshot/file-catalog.ts'
import { isLinkedFolder, linksApart } from '../../engine/snapshot/room-folders.ts'
import { namesIn } from '../../engine/snapshot/validate-names.ts'
import { readTranscript } from '../../files/body/read-transcript.ts'
import { getConfigValue, showConfig } from '../../files/config/config-secrets.ts'
import { defaultConfig } from '../../files/config/read-config.ts'
import { readSession } from '../../files/kinds/read-session.ts'
import type { Files, ScanEntry } from '../../ports/files-port.ts'
import { wholeFile } from '../cli-failure.ts'
import { MAX_BYTES } from '../edit-file.ts'
import { findHome } from '../find-home.ts'
import { dim, type Output } from '../output.ts'
import { type Call, firstOf } from '../spec.ts'
import { configOf, readHomeConfig } from './read-config-file.ts'

/** Neo cuts transcripts long before this size. */
const MAX_TRANSCRIPT = 64 * 1024 * 1024

export interface Checked {
  readonly files: number
  readonly counts: Readonly<Partial<Record<FileKind | 'transcript', number>>>
  readonly problems: readonly Problem[]
}

export function check(call: Call): number {
  const files = composeFiles()
  const home = findHome(call, files)
  const checked = checkHome(home, files, { env: call.around.env, now: Date.now() })
  const errors = checked.problems.filter(({ severity }) => severity === 'error')
  call.out.data('config.check', {
    ...checked,
    errors: errors.length,
    warnings: checked.problems.length - errors.length,
  })
  for (const problem of errors) printProblem(call.out, problem)
  for (const warnings of onceAFile(checked.problems)) printWarnings(call.out, warnings)
  const kinds = Object.entries(checked.counts).map(([kind, count]) => `${count} ${kind}`)
  call.out.line(`${counted(checked.files, 'file')} checked`, dim(`(${kinds.join(', ')})`))
  const broken = new Set(errors.map(({ file }) => file)).size
  const warned = checked.problems.length - errors.length
  const comma = warned === 0 ? '' : ','
  call.out.line(
    broken === 0
      ? { text: `no errors${comma}`, style: 'green' }
      : { text: `${counted(errors.length, 'error')} in ${counted(broken, 'file')}${comma}`, style: 'red' },
    warned === 0 ? '' : counted(warned, 'warning'),
  )
  return errors.length === 0 ? 0 : 1
}

export function printProblem(out: Output, problem: Problem): void {
  out.line(
    { text: whereOf(problem), style: problem.severity === 'error' ? 'red' : 'yellow' },
    problem.message,
  )
  if (problem.hint !== '') out.line(dim(`  ${problem.hint}`))
}

/** The warnings, grouped by file. */
function onceAFile(problems: readonly Problem[]): readonly (readonly Problem[])[] {
  const warnings = problems.filter(({ severity }) => severity !== 'error')
  return [...grouped(warnings, ({ file }) => file).values()]
}

/** All warnings of a file on one line, so that they don't hide the errors of other files. */
function printWarnings(out: Output, warnings: readonly Problem[]): void {
  const [first] = warnings
  if (first === undefined) return
  if (warnings.length === 1) {
    printProblem(out, first)
    return
  }
  const said = warnings.map(problemText).map((text) => (text.endsWith('?') ? text : `${text}.`))
  out.line({ text: first.file, style: 'yellow' }, said.join(' '))
}

/** All problems in the files of a home. */
export function checkHome(
  home: string,
  files: Files,
  { env, now }: { readonly env: Readonly<Record<string, string | undefined>>; readonly now: number },
): Checked {
  const config = readHomeConfig(home, files, env)
  const ownProblems = config.kind === 'ok' ? config.warnings : config.kind === 'bad' ? config.problems : []
  const inUse = config.kind === 'ok' ? config.value : defaultConfig()
  const entries = new Map<string, Entry>()
  const counts: Partial<Record<FileKind | 'transcript', number>> = { config: 1 }
  const { links, others } = linksApart(
    files.scan(home, (path, is, isLink) =>
      is === 'folder'
        ? isOurs(path) && (kindOf(path) === null || 'named')
        : isChecked(path) || (isLink && isLinkedFolder(path)),
    ),
  )
  const more: Problem[] = [...links]
  for (const entry of others) {
    const kind = kindOf(entry.path)?.kind ?? 'transcript'
    counts[kind] = (counts[kind] ?? 0) + 1
    if (kind === 'transcript') more.push(...transcriptProblems(home, files, entry.path))
    else entries.set(entry.path, entryOf(entry, { home, files, zone: inUse.timezone }))
  }
  const picture = buildSnapshot({
    entries,
    deleted: [],
    git: { kind: 'home', branch: '', commit: '' },
    config: inUse,
    now,
    problems: [...ownProblems, ...more],
    names: namesIn({ home, world: { files, clock: { now: () => now } } }),
  })
  const problems = [
    ...picture.problems.filter(({ code }) => code !== 'fence'),
    ...fences(picture.problems, entries),
  ]
  return {
    files: entries.size + (counts.transcript ?? 0) + 1,
    counts,
    problems: problems.toSorted(bySeverity),
  }
}

function isOurs(path: string): boolean {
  const [top = '', ...rest] = path.split('/')
  return (
    ['rooms', 'workspace', 'templates'].includes(top) &&
    path !== 'workspace/files' &&
    !rest.some((part) => part.startsWith('.'))
  )
}

function isChecked(path: string): boolean {
  return (
    path !== 'neo.yaml' && (kindOf(path) !== null || /^rooms\/[^/]+\/transcripts\/[^/]+\.jsonl$/.test(path))
  )
}

interface HomeFiles {
  readonly home: string
  readonly files: Files
  readonly zone: string
}

function entryOf(entry: ScanEntry, place: HomeFiles): Entry {
  const known = kindOf(entry.path)
  if (known === null) throw new Error('Only known files are checked here')
  const reading = readingOf(entry.path, place)
  const good = { hash: '', gitStatus: 'same', committedStatus: null, against: null } as const
  return {
    path: entry.path,
    known,
    hash: '',
    stat: entry,
    gone: false,
    good: reading.kind === 'ok' ? { ...good, content: reading.content } : null,
    problems: reading.kind === 'unfinished' ? [] : reading.problems,
    state: reading.kind,
    why: reading.kind === 'unfinished' ? reading.why : '',
  }
}

function readingOf(path: string, { home, files, zone }: HomeFiles): Reading {
  const known = kindOf(path)
  const read = files.read(join(home, path), MAX_BYTES)
  if (read.kind !== 'file' || known === null) {
    const why = read.kind === 'refused' ? `It ${read.why}` : 'It was deleted, or its name is not UTF-8'
    return { kind: 'bad', problems: [wholeFile(path, why, 'Replace it with a text file, or remove it')] }
  }
  if (known.kind !== 'session') return readKnown({ path, known, bytes: read.bytes, zone })
  const session = readSession(path, read.bytes)
  return session.kind === 'ok'
    ? { kind: 'ok', content: { kind: 'other' }, problems: session.warnings }
    : session
}

function transcriptProblems(home: string, files: Files, path: string): readonly Problem[] {
  const read = files.read(join(home, path), MAX_TRANSCRIPT)
  if (read.kind !== 'file')
    return [wholeFile(path, read.kind === 'refused' ? `It ${read.why}` : 'It was deleted', '')]
  const { torn } = readTranscript(read.bytes)
  if (torn === null) return []
  const problem = wholeFile(path, 'Its last line is incomplete', 'No action needed: the complete lines count')
  return [{ ...problem, severity: 'warning' }]
}

/** The daemon waits until an open fence is closed; a check reports it at once. */
function fences(problems: readonly Problem[], entries: ReadonlyMap<string, Entry>): Problem[] {
  const closed = problems.filter(({ code, severity }) => code === 'fence' && severity === 'error')
  const open = [...entries.values()].filter(({ state }) => state === 'unfinished')
  return [
    ...closed,
    ...open.map(
      ({ path, why, stat }): Problem => ({
        ...wholeFile(path, why, 'Finish the file, or delete it'),
        code: 'fence',
        severity: stat.size === 0 ? 'warning' : 'error',
      }),
    ),
  ]
}

/** Errors first: a file with an error is ignored. */
function bySeverity(a: Problem, b: Problem): number {
  return a.severity === b.severity ? byFile(a, b) : a.severity === 'error' ? -1 : 1
}

function byFile(a: Problem, b: Problem): number {
  return a.file < b.file ? -1 : a.file > b.file ? 1 : (a.line ?? 0) - (b.line ?? 0)
}

export function show(call: Call): number {
  const files = composeFiles()
  const home = findHome(call, files)
  const config = configOf(home, files, call.around.env)
  const key = firstOf(call)
  const value = key === '' ? showConfig(config) : getConfigValue(config, key)
  if (value === undefined)
    throw new NeoError('missing', `Cannot find "${key}": the configuration has no such key`, {
      next: 'neo config show',
    })
  call.out.data('config.show', value)
  const rows = flat(value, key)
  if (rows.length === 1 && rows[0]?.[0] === key) call.out.line(rows[0][1])
  else call.out.table(rows.map(([name, text]) => [dim(name), text]))
  return 0
}

/** Every value with its path, such as `daemon.concurrency`. */
function flat(value: unknown, path: string): (readonly [string, string])[] {
  if (isMap(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([key, inner]) => flat(inner, path === '' ? key : `${path}.${key}`))
  return [[path, typeof value === 'string' ? value : JSON.stringify(value)]]
}
