/** The heartbeat by a clock that is moved by hand: which slots have one, and what costs nothing. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openHeartbeat } from '../../src/channels/heartbeat.ts'
import type { Inbound } from '../../src/channels/channel-message.ts'
import { composeFiles } from '../../src/compose.ts'
import { saysNothing } from '../../src/domain/policy/known-people.ts'
import type { Context } from '../../src/engine/context.ts'

const MINUTE_MS = 60_000
const NINE = Date.parse('2026-03-01T09:00:00Z')

interface Beating {
  /** Slots that were put before Neo, as times of the day. */
  readonly beats: string[]
  readonly said: Inbound[]
  busy: boolean
  /** Calls that fail as they do where the disk is full. */
  full: 'nothing' | 'note' | 'accept'
  readonly troubles: string[]
  /** Moves the clock, with every timer on the way. */
  pass(minutes: number): void
  write(text: string): void
  /** Ends it and begins anew, as a restart does. */
  restart(): void
}

/** @param section the lines of `heartbeat:` in neo.yaml */
function beating(section: object = {}, from = NINE, model = 'fake/model'): Beating {
  const dir = mkdtempSync(join(tmpdir(), 'neo-beat-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  mkdirSync(join(dir, 'workspace'))
  const timers = new Map<() => void, number>()
  const clock = {
    at: from,
    now: () => clock.at,
    after(ms: number, call: () => void) {
      timers.set(call, clock.at + ms)
      return () => void timers.delete(call)
    },
  }
  const disk = composeFiles()
  const troubles: string[] = []
  const failIf = (what: Beating['full']): void => {
    if (self.full === what) throw new Error('ENOSPC: no space left on device')
  }
  const note = (...args: Parameters<typeof disk.writeJson>): void => {
    failIf('note')
    disk.writeJson(...args)
  }
  const config = { model, timezone: 'UTC', rest: { heartbeat: section } }
  const context = {
    home: dir,
    dir,
    world: { clock, files: { ...disk, writeJson: note } },
    emit: ({ text }: { readonly text: string }) => void troubles.push(text),
    look: { config: () => config },
  } as unknown as Context
  const beats: string[] = []
  const said: Inbound[] = []
  const self: Beating = {
    beats,
    said,
    busy: false,
    full: 'nothing',
    troubles,
    pass(minutes) {
      for (const end = clock.at + minutes * MINUTE_MS; clock.at < end; ) {
        const due = [...timers].filter(([, at]) => at <= clock.at)
        for (const [call] of due) timers.delete(call)
        for (const [call] of due) call()
        clock.at = Math.min(end, ...[...timers.values()].filter((at) => at > clock.at))
      }
    },
    write: (text) => writeFileSync(join(dir, 'workspace', 'HEARTBEAT.md'), text),
    restart() {
      close()
      close = open()
    },
  }
  const open = () =>
    openHeartbeat({
      context,
      resting: () => self.busy,
      accept: (message) => {
        failIf('accept')
        // As the queue does.
        if (said.some(({ key }) => key === message.key)) return
        said.push(message)
        beats.push(message.at.slice(11, 16))
      },
    })
  let close = open()
  onTestFinished(() => close())
  return self
}

test('each slot of the rhythm has one, also over restarts; the one under way at the first start has none', () => {
  const home = beating({ every: '30m' })
  home.write('Look at the mail.\n')
  home.pass(45)
  home.restart()
  home.pass(30)
  home.restart()
  home.pass(20)
  expect(home.beats).toEqual(['09:30', '10:00', '10:30'])
  expect(home.said[0]).toMatchObject({ channel: 'system', speaker: 'system', room: 'lobby', kind: 'message' })
  expect(home.said[0]?.content).toContain('Look at the mail.')
})

test.each(['', '# Heartbeat\n', '# A\n\n## B\n\n<!-- Look at the mail. -->\n- [ ]\n'])(
  'the file %j costs nothing',
  (text) => {
    const home = beating()
    home.write(text)
    home.pass(24 * 60)
    expect(home.beats).toEqual([])
  },
)

test('the file that neo init writes costs nothing, and a line under it is looked at', () => {
  const shipped = readFileSync('workspace/HEARTBEAT.md', 'utf8')
  const home = beating({ every: '1h', active_hours: [0, 24] })
  home.write(shipped)
  home.pass(24 * 60)
  expect(home.beats).toEqual([])
  home.write(`${shipped}\n- Look at the mail.\n`)
  home.pass(60)
  expect(home.beats).toHaveLength(1)
})

test('without the file, and without a model, nothing is said', () => {
  const none = beating()
  none.pass(24 * 60)
  const rules = beating({}, NINE, 'rules')
  rules.write('Look at the mail.\n')
  rules.pass(24 * 60)
  expect([none.beats, rules.beats]).toEqual([[], []])
})

test.each([
  [
    [8, 10],
    ['08:00', '09:00'],
  ],
  [
    [22, 2],
    ['22:00', '23:00', '00:00', '01:00'],
  ],
])('in the active hours %j there are those of %j', (hours, slots) => {
  const home = beating({ every: '1h', active_hours: hours }, Date.parse('2026-03-01T03:10:00Z'))
  home.write('Look at the mail.\n')
  home.pass(24 * 60)
  expect(home.beats).toEqual(slots)
})

test('in a long turn it waits for its end, once, and what passed meanwhile is not made up', () => {
  const home = beating({ every: '30m' })
  home.write('Look at the mail.\n')
  home.busy = true
  home.pass(100)
  expect(home.beats).toEqual([])
  home.busy = false
  home.pass(5)
  expect(home.beats).toEqual(['10:30'])
  home.pass(20)
  expect(home.beats).toEqual(['10:30', '11:00'])
})

test.each([
  ['Nothing to say.', true],
  ['  nothing to say ', true],
  ['HEARTBEAT_OK', true],
  ['', true],
  ['Nothing to say about the mail, but the plants are dry.', false],
  ['OK, HEARTBEAT_OK means that all is well.', false],
])('of a heartbeat the reply %j is nothing to say: %s', (reply, nothing) => {
  expect(saysNothing(reply)).toBe(nothing)
})

test.each(['note', 'accept'] as const)(
  'a disk that is full for a moment, at its %s, ends no heart: the slot is heard once, and those after it',
  (what) => {
    const home = beating({ every: '30m' })
    home.write('Look at the mail.\n')
    home.pass(20)
    home.full = what
    home.pass(15)
    home.full = 'nothing'
    home.pass(40)
    expect(home.beats).toEqual(['09:30', '10:00'])
    expect(home.troubles[0]).toMatch(/^heartbeat: ENOSPC/)
  },
)

test('a home that begins on a full disk has its heartbeats once there is space', () => {
  const home = beating({ every: '30m' })
  home.write('Look at the mail.\n')
  home.full = 'note'
  home.restart()
  home.full = 'nothing'
  home.pass(35)
  expect(home.beats).toEqual(['09:30'])
})
