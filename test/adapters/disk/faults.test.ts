import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type DiskFiles, openFiles } from '../../../src/adapters/disk/disk-files.ts'
import { blobId } from '../../../src/adapters/disk/replace-file.ts'
import { NeoError } from '../../../src/domain/home/error.ts'
import { CODES, type Fault, faultyFs, openHandles } from './faulty-fs.ts'
import { OLD, OLD_ID, tempFolder } from './folder.ts'

const NEW = `${'after\n'.repeat(5_000)}`

interface Tried {
  readonly result: unknown
  readonly calls: readonly string[]
  readonly leaked: number
}

/** Does it on a disk with this fault, and gives the value or the error. */
function attempt(fault: Fault, act: (files: DiskFiles) => unknown): Tried {
  const { fs, calls } = faultyFs(fault)
  const handles = openHandles()
  let result: unknown
  try {
    result = act(openFiles({ fs }))
  } catch (error) {
    result = error
  }
  return { result, calls, leaked: openHandles() - handles }
}

/** Each call of `act` in turn, each code: once failing alone, once with everything after it. */
function everyFault(
  act: (files: DiskFiles) => unknown,
  prepare: () => void,
): (() => Tried & { at: string })[] {
  prepare()
  const count = attempt(() => null, act).calls.length
  const cases = Array.from({ length: count }, (_, index) => index + 1).flatMap((n) =>
    CODES.flatMap((code) => [
      { name: `${code} at call ${n}`, fault: (at: number) => (at === n ? code : null) },
      { name: `${code} from call ${n} on`, fault: (at: number) => (at >= n ? code : null) },
    ]),
  )
  return cases.map(({ name, fault }) => () => {
    prepare()
    return { ...attempt(fault, act), at: name }
  })
}

test('save() leaves the old bytes or the new ones when any call fails', () => {
  const path = join(tempFolder(), 'task.md')
  const act = (files: DiskFiles) => files.save(path, Buffer.from(NEW), OLD_ID)
  for (const run of everyFault(act, () => writeFileSync(path, OLD))) {
    const { result, at, leaked } = run()
    const stands = readFileSync(path, 'utf8')
    expect([OLD, NEW], at).toContain(stands)
    expect(leaked, at).toBe(0)
    if (!(result instanceof Error)) expect(stands, at).toBe(NEW)
    else expect(result, at).toMatchObject({ name: 'NeoError', code: 'disk' })
    if (result instanceof NeoError) expect(result.message, at).toContain(path)
  }
})

test('save() makes a new file whole or not at all when any call fails', () => {
  const dir = tempFolder()
  const path = join(dir, 'new.md')
  const act = (files: DiskFiles) => files.save(path, Buffer.from(NEW), null)
  const prepare = () => openFiles().remove(path, blobId(Buffer.from(NEW)))
  for (const run of everyFault(act, prepare)) {
    const { result, at, leaked } = run()
    if (existsSync(path)) expect(readFileSync(path, 'utf8'), at).toBe(NEW)
    if (!(result instanceof Error)) expect(existsSync(path), at).toBe(true)
    expect(leaked, at).toBe(0)
  }
})

test('save() makes missing folders and the file, or neither cut, when any call fails', () => {
  const dir = tempFolder()
  const path = join(dir, 'rooms', 'shop', 'new.md')
  const act = (files: DiskFiles) => files.save(path, Buffer.from(NEW), null)
  for (const run of everyFault(act, () => rmSync(join(dir, 'rooms'), { recursive: true, force: true }))) {
    const { result, at, leaked } = run()
    if (existsSync(path)) expect(readFileSync(path, 'utf8'), at).toBe(NEW)
    if (!(result instanceof Error)) expect(existsSync(path), at).toBe(true)
    expect(leaked, at).toBe(0)
  }
})

test('save() leaves no temp file when one call fails, unless it is the removal of the temp file', () => {
  const dir = tempFolder()
  const path = join(dir, 'task.md')
  const act = (files: DiskFiles) => files.save(path, Buffer.from(NEW), OLD_ID)
  writeFileSync(path, OLD)
  const calls = attempt(() => null, act).calls
  calls.forEach((name, index) => {
    if (name === 'unlinkSync') return
    writeFileSync(path, OLD)
    attempt((n) => (n === index + 1 ? 'EIO' : null), act)
    const left = readdirSync(dir).length - 1
    expect(left, `${name} ${index + 1}`).toBe(0)
  })
})

test('save() goes on when the fault has ended', () => {
  const path = join(tempFolder(), 'task.md')
  const act = (files: DiskFiles) => files.save(path, Buffer.from(NEW), OLD_ID)
  for (const run of everyFault(act, () => writeFileSync(path, OLD))) {
    const { at } = run()
    const now = blobId(readFileSync(path))
    expect(openFiles().save(path, Buffer.from('third'), now).kind, at).toBe('saved')
  }
})

test('remove() leaves the file whole or gone when any call fails', () => {
  const path = join(tempFolder(), 'task.md')
  const act = (files: DiskFiles) => files.remove(path, OLD_ID)
  for (const run of everyFault(act, () => writeFileSync(path, OLD))) {
    const { result, at, leaked } = run()
    if (existsSync(path)) expect(readFileSync(path, 'utf8'), at).toBe(OLD)
    if (!(result instanceof Error)) expect(existsSync(path), at).toBe(false)
    expect(leaked, at).toBe(0)
  }
})

test('append() keeps every earlier line and the next append is whole when any call fails', () => {
  const path = join(tempFolder(), 'log.jsonl')
  const act = (files: DiskFiles) => files.append(path, '{"n":2}')
  for (const run of everyFault(act, () => writeFileSync(path, '{"n":1}\n'))) {
    const { result, at, leaked } = run()
    expect(leaked, at).toBe(0)
    openFiles().append(path, '{"n":3}')
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    expect(['{"n":1}', lines.at(-1)], at).toEqual([lines[0], '{"n":3}'])
    if (!(result instanceof Error)) expect(lines[1], at).toBe('{"n":2}')
  }
})

test('append() leaves only whole lines when the repair fails', () => {
  const path = join(tempFolder(), 'log.jsonl')
  const act = (files: DiskFiles) => files.append(path, '{"n":2}')
  for (const run of everyFault(act, () => writeFileSync(path, '{"n":1}\n{"n":'))) {
    const { at } = run()
    openFiles().append(path, '{"n":3}')
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    expect(
      lines.map((line) => typeof JSON.parse(line)),
      at,
    ).toEqual(lines.map(() => 'object'))
  }
})

test('read() is refused and never throws when any call fails', () => {
  const path = join(tempFolder(), 'task.md')
  const act = (files: DiskFiles) => files.read(path, 1_000)
  for (const run of everyFault(act, () => writeFileSync(path, OLD))) {
    const { result, at, leaked } = run()
    expect(['file', 'refused'], at).toContain((result as { kind: string }).kind)
    expect(leaked, at).toBe(0)
  }
})

test('scan() throws and takes nothing for deleted when a call fails for want of handles or by IO', () => {
  const dir = tempFolder()
  for (const name of ['a.md', 'b.md']) writeFileSync(join(dir, name), OLD)
  const act = (files: DiskFiles) => files.scan(dir, () => true)
  const calls = attempt(() => null, act).calls.length
  for (let n = 1; n <= calls; n += 1) {
    for (const code of ['EIO', 'EMFILE']) {
      const { result } = attempt((at) => (at === n ? code : null), act)
      expect(result, `${code} at call ${n}`).toMatchObject({ name: 'NeoError', code: 'disk' })
    }
  }
})
