import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync as remove,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { ModelError } from '../../src/domain/agent/model-retry.ts'
import { NeoError } from '../../src/domain/home/error.ts'
import type { Files } from '../../src/ports/files-port.ts'
import type { ModelRequest } from '../../src/ports/model-port.ts'
import { MOMENT_MS } from '../wait.ts'
import { call, does, says, textIn } from './script.ts'
import { FakeHub, lines, message, SIGNAL, stage } from './world.ts'

const task = (title: string) => call('create_task', { title, description: 'x' })
const hang = (): Promise<never> => new Promise(() => {})
const never = () => hang()

/** Resolves when the hub has been asked for this. */
async function until(is: () => boolean): Promise<void> {
  const end = Date.now() + MOMENT_MS
  while (Date.now() < end && !is()) await new Promise((resolve) => setImmediate(resolve))
  if (!is()) throw new Error('It did not come to it')
}

describe('after a crash in the middle of a turn', () => {
  test('an action without a result is told as unknown, and not repeated', async () => {
    const hub = new FakeHub({ 'memory.add': never })
    const first = stage([does(call('add_memory', { type: 'note', content: 'a' }), task('B'))], { hub })
    const trigger = message('go')
    first.neo.turn('shop', [trigger], SIGNAL).catch(() => {})
    await until(() => hub.changes.length === 1)
    const next = first.again([says('I looked.')])
    expect(await next.neo.turn('shop', [trigger], SIGNAL)).toEqual({ kind: 'done', reply: 'I looked.' })
    expect(hub.changes.length).toBe(1)
    expect(next.model.asked(0)).toContain('Interrupted: it may or may not have been done')
    expect(next.model.asked(0)).toContain('Interrupted before it started: it was not done')
    expect(next.model.asked(0)).toContain('You were interrupted in this turn')
  })

  test('a task that had been made is found, and is not made again', async () => {
    const hub = new FakeHub()
    const make = hub.methods.get('task.create')
    hub.methods.set('task.create', (params, who) => {
      make?.(params, who)
      return hang()
    })
    const first = stage([does(task('A'))], { hub })
    const trigger = message('go')
    first.neo.turn('shop', [trigger], SIGNAL).catch(() => {})
    await until(() => hub.tasks.length === 1)
    if (make !== undefined) hub.methods.set('task.create', make)
    const next = first.again([does(task('A')), says('There.')])
    await next.neo.turn('shop', [trigger], SIGNAL)
    expect(next.model.asked(0)).toContain('Created t-000001, before an interruption')
    expect(hub.tasks.length).toBe(1)
  })

  test('a call is on disk before the hub sees it', async () => {
    const hub = new FakeHub({
      'memory.add': () => {
        expect(lines(dir).at(-1)).toMatchObject({ type: 'action', phase: 'call', input: { content: 'a' } })
        return {}
      },
    })
    const { neo, dir } = stage([does(call('add_memory', { type: 'note', content: 'a' })), says('')], { hub })
    await neo.turn('shop', [message('go')], SIGNAL)
    expect(lines(dir).filter(({ type }) => type === 'action').length).toBe(2)
  })

  test('a trigger that had its turn gets the same reply without a model', async () => {
    const first = stage([says('Hello.')])
    const trigger = message('hi')
    await first.neo.turn('shop', [trigger], SIGNAL)
    const next = first.again([])
    expect(await next.neo.turn('shop', [trigger], SIGNAL)).toEqual({ kind: 'done', reply: 'Hello.' })
  })

  test('an answer whose end is not on disk is given, without a model', async () => {
    const first = stage([does(task('A')), says('Done.')])
    const trigger = message('go')
    await first.neo.turn('shop', [trigger], SIGNAL)
    cutLastLine(first.dir)
    const next = first.again([])
    expect(await next.neo.turn('shop', [trigger], SIGNAL)).toEqual({ kind: 'done', reply: 'Done.' })
  })

  test('every cut of the transcript gives a turn that ends, with each task made once', async () => {
    const trigger = message('go')
    const whole = stage([does(task('A')), does(task('B')), says('Done.')])
    await whole.neo.turn('shop', [trigger], SIGNAL)
    const [name = ''] = readdirSync(join(whole.dir, 'transcripts'))
    const path = join(whole.dir, 'transcripts', name)
    const all = readFileSync(path, 'utf8').trimEnd().split('\n')
    for (let keep = 0; keep <= all.length; keep += 1) {
      const next = stage([says('Ended.')], { hub: whole.hub })
      const there = all.slice(0, keep).map((line) => `${line}\n`)
      writeTranscript(next.dir, name, `${there.join('')}{"v":1,"id":"torn`)
      expect((await next.neo.turn('shop', [trigger], SIGNAL)).kind).toBe('done')
      expect(whole.hub.tasks.length).toBe(2)
    }
  })
})

describe('a disk that fails once', () => {
  /** Makes A, then B, by what it is shown; so it would make one twice if it were not told. */
  const maker = (request: ModelRequest) => {
    const seen = request.messages.map(textIn).join('\n')
    const made = ['t-000001', 't-000002'].filter((id) => seen.includes(`Created ${id}`)).length
    return made === 2 ? says('Done.') : does(task(made === 0 ? 'A' : 'B'))
  }

  test.each(Array.from({ length: 16 }, (_, n) => n))(
    'at write %i: the next turn ends it, each task made once',
    async (nth) => {
      const files = openFiles()
      let writes = 0
      const append: Files['append'] = (path, line) => {
        writes += 1
        if (writes === nth) throw new NeoError('disk', 'Cannot append: no space')
        files.append(path, line)
      }
      const on = stage(
        Array.from({ length: 12 }, () => maker),
        { files: { ...files, append } },
      )
      const trigger = message('go')
      const turn = () => on.neo.turn('shop', [trigger], SIGNAL)
      const turned = await turn().catch(() => turn())
      expect(turned).toMatchObject({ kind: 'done', reply: 'Done.' })
      expect(on.hub.tasks.map(({ title }) => title)).toEqual(['A', 'B'])
    },
  )
})

describe('a turn that waits for a model', () => {
  test('goes on where it was, actions included', async () => {
    const limit = new ModelError('rate', 'limit reached', { retryAfterMs: 3_600_000 })
    const { neo, hub, model, clock } = stage([does(task('A')), limit, says('Done.')])
    const trigger = message('go')
    const waits = await neo.turn('shop', [trigger], SIGNAL)
    expect(waits).toMatchObject({ kind: 'waits', why: 'limit reached', retryAt: clock.at + 3_600_000 })
    expect(await neo.turn('shop', [trigger], SIGNAL)).toEqual({ kind: 'done', reply: 'Done.' })
    expect(hub.tasks.length).toBe(1)
    expect(model.requests.at(-1)?.messages[0]).toMatchObject({ role: 'user' })
  })

  test('takes up what came meanwhile', async () => {
    const { neo, model } = stage([new ModelError('rate', 'limit'), says('Both.')])
    const [one, two] = [message('first thing'), message('second thing')]
    await neo.turn('shop', [one], SIGNAL)
    await neo.turn('shop', [one, two], SIGNAL)
    expect(model.asked(1).match(/first thing|second thing/g)).toEqual(['first thing', 'second thing'])
  })
})

describe('transcripts', () => {
  test('are closed at midnight of the home, and the conversation goes on', async () => {
    const { neo, clock, model, dir } = stage([says('a'), says('b')])
    await neo.turn('shop', [message('blue is best')], SIGNAL)
    expect(neo.closed()).toEqual([])
    clock.at += 24 * 3_600_000
    expect(neo.closed()).toEqual([
      {
        room: 'shop',
        name: 'neo-2026-03-02-1.jsonl',
        path: join(dir, 'transcripts', 'neo-shop-2026-03-02-1.jsonl'),
      },
    ])
    await neo.turn('shop', [message('and now?')], SIGNAL)
    expect(model.asked(1)).toContain('blue is best')
    expect(readdirSync(join(dir, 'transcripts'))).toContain('neo-shop-2026-03-03-1.jsonl')
  })

  test('are closed at 256 KiB', async () => {
    const long = says('x'.repeat(100_000))
    const { neo, dir } = stage([long, long, long, says('')])
    for (const text of ['a', 'b', 'c', 'd']) await neo.turn('shop', [message(text)], SIGNAL)
    expect(readdirSync(join(dir, 'transcripts')).length).toBe(2)
    expect(neo.closed().map(({ name }) => name)).toEqual(['neo-2026-03-02-1.jsonl'])
  })

  test('are closed by clear, which begins a new conversation', async () => {
    const { neo, model } = stage([says('a'), says('b')])
    await neo.turn('shop', [message('blue is best')], SIGNAL)
    await neo.clear('shop')
    expect(neo.context('shop').messages).toEqual([])
    expect(neo.closed().length).toBe(1)
    await neo.turn('shop', [message('and now?')], SIGNAL)
    expect(model.asked(1)).not.toContain('blue is best')
  })

  test('begin anew under a fresh number where the closed one has moved into the room', async () => {
    const { neo, home, dir, again } = stage([says('a')])
    await neo.turn('shop', [message('blue is best')], SIGNAL)
    await neo.clear('shop')
    for (const { room, path, name } of neo.closed())
      move(path, join(home, 'rooms', room, 'transcripts'), name)
    await again([says('b')]).neo.turn('shop', [message('x')], SIGNAL)
    expect(readdirSync(join(dir, 'transcripts'))).toEqual(['neo-shop-2026-03-02-2.jsonl'])
  })

  test.each([['missing'], ['{"v":1}'], ['{"v":1,"room":"shop","items":[{"id":1}]}'], ['not json']])(
    'give the same conversation where the kept state is %s',
    async (damage) => {
      const { neo, dir, again } = stage([does(task('A')), says('a'), says('b')])
      await neo.turn('shop', [message('one')], SIGNAL)
      await neo.turn('shop', [message('two')], SIGNAL)
      const before = neo.context('shop')
      const kept = join(dir, 'context', 'shop.json')
      expect(existsSync(kept)).toBe(true)
      if (damage === 'missing') remove(kept)
      else writeFileSync(kept, damage)
      expect(again([]).neo.context('shop')).toEqual(before)
    },
  )

  test('may be gone: what was kept of them is still known', async () => {
    const { neo, dir, again } = stage([says('a')])
    await neo.turn('shop', [message('blue is best')], SIGNAL)
    remove(join(dir, 'transcripts'), { recursive: true })
    const next = again([says('b')])
    await next.neo.turn('shop', [message('and now?')], SIGNAL)
    expect(next.model.asked(0)).toContain('blue is best')
    expect(again([]).neo.context('shop').messages.length).toBe(4)
  })
})

function cutLastLine(dir: string): void {
  const folder = join(dir, 'transcripts')
  const [name = ''] = readdirSync(folder)
  const all = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n')
  remove(join(dir, 'context', 'shop.json'))
  writeFileSync(join(folder, name), `${all.slice(0, -1).join('\n')}\n`)
}

function writeTranscript(dir: string, name: string, text: string): void {
  mkdirSync(join(dir, 'transcripts'), { recursive: true })
  writeFileSync(join(dir, 'transcripts', name), text)
}

function move(path: string, folder: string, name: string): void {
  mkdirSync(folder, { recursive: true })
  renameSync(path, join(folder, name))
}
