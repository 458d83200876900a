/** The starter home in rooms/, workspace/ and templates/: its files are without flaw, its runbooks do what they say. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Known, kindOf } from '../../src/domain/home/home-paths.ts'
import { readConfig } from '../../src/files/config/read-config.ts'
import { readRoom } from '../../src/files/kinds/read-room.ts'
import { stepsOf } from '../../src/files/body/runbook.ts'
import { readSkill } from '../../src/files/kinds/read-skill.ts'
import { readTask } from '../../src/files/kinds/read-task.ts'
import { fillTemplate, readTemplate } from '../../src/files/kinds/read-template.ts'
import { filesBelow } from './source.ts'

const starter = ['rooms', 'workspace', 'templates'].flatMap(filesBelow)
const texts = starter.flatMap((path) => {
  const known = kindOf(path.replace(/^templates\/(?=rooms\/)/, ''))
  return known === null ? [] : [{ path, known }]
})

let place: string
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'neo-starter-'))
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

test.each(texts)('$path reads without a problem', ({ path, known }) => {
  expect(read(path, known)).toMatchObject({ kind: 'ok', warnings: [] })
})

test('templates/neo.yaml says the defaults', () => {
  const written = readConfig('neo.yaml', readFileSync('templates/neo.yaml'), {})
  expect(written).toEqual({ ...readConfig('neo.yaml', null, {}), warnings: [] })
})

test('templates/neo.yaml lists every level of the log', () => {
  const [, listed = ''] = /^ {2}level: .*# (.*)$/m.exec(readFileSync('templates/neo.yaml', 'utf8')) ?? []
  const read = readConfig('neo.yaml', 'log: { level: loud }\n', {})
  const [problem] = read.kind === 'bad' ? read.problems : []
  expect(problem?.hint).toContain(listed.replaceAll(' | ', ', '))
})

test('the checkout itself is no home', () => {
  expect(existsSync('neo.yaml')).toBe(false)
})

test('the welcome runbooks write a report and sum it up', () => {
  for (const name of ['look-around', 'sum-up']) runSteps(`rooms/welcome/tasks/${name}.md`)
  expect(readFileSync(join(place, 'report.md'), 'utf8')).toMatch(/^\| git \| git version /m)
  expect(readFileSync(join(place, 'summary.md'), 'utf8')).toMatch(/^- free disk: [\d.]+ GiB/m)
})

test('sum-up fails with a reason when there is no report', () => {
  expect(() => runSteps('rooms/welcome/tasks/sum-up.md')).toThrow(/report\.md is missing/)
})

test('check-links can be filled in with its defaults', () => {
  const source = readFileSync('templates/tasks/check-links.md', 'utf8')
  expect(fillTemplate(source, {})).toMatchObject({ kind: 'ok', env: { folder: '.' } })
})

test('the package holds the starter home', () => {
  const out = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { encoding: 'utf8' })
  const [packed] = JSON.parse(out) as { files: { path: string }[] }[]
  const held = new Set(packed?.files.map((file) => file.path))
  expect(starter.filter((path) => !held.has(path))).toEqual([])
})

function read(path: string, known: Known): unknown {
  const bytes = readFileSync(path)
  switch (known.kind) {
    case 'room':
      return readRoom(path, bytes, known.room)
    case 'task':
      return readTask(path, bytes, 'UTC')
    case 'template':
      return readTemplate(path, bytes)
    case 'skill':
      return readSkill(path, bytes)
    default:
      return `${path} is of kind ${known.kind}, which this test does not read`
  }
}

function runSteps(path: string): void {
  const task = readTask(path, readFileSync(path), 'UTC')
  const steps = task.kind === 'ok' ? stepsOf(task.value) : { steps: [] }
  for (const step of 'steps' in steps ? steps.steps : []) runScript(step.script)
}

function runScript(script: string): void {
  try {
    execFileSync('sh', ['-e', '-c', script], { cwd: place, encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    throw new Error(String((error as { stdout?: string }).stdout))
  }
}
