/**
 * `neo export DIR --format NAME`: writes all transcripts of rooms in the format of another program, one file each.
 * Invariant 1: private conversations are never included.
 */

import { lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { counted } from '../../domain/text/counted.ts'
import { readTranscript } from '../../files/body/read-transcript.ts'
import { TRANSCRIPT_FORMATS, transcriptAs } from '../../files/body/transcript-as.ts'
import { roomNames } from '../task/task-paths.ts'
import { usage } from '../cli-failure.ts'
import { ensureFolder } from '../edit-file.ts'
import { type Call, firstOf } from '../spec.ts'
import { type Opened, withWorld } from '../with-world.ts'

const MOST_BYTES = 64 * 1024 * 1024

export function exportTranscripts(call: Call): Promise<number> {
  return withWorld(call, async (opened) => {
    const format = TRANSCRIPT_FORMATS.find((one) => one === call.text('format')) ?? 'claude-code'
    const target = resolve(call.around.cwd, firstOf(call))
    if (lstatSync(target, { throwIfNoEntry: false }) !== undefined)
      throw usage(`Cannot export to "${target}": the folder already exists`, 'use another name')
    ensureFolder(`Cannot export to "${target}"`, target)
    const found = transcriptsOf(opened)
    mkdirSync(target)
    let count = 0
    for (const { path, name } of found) {
      const read = opened.world.files.read(path, MOST_BYTES)
      const { entries } = readTranscript(read.kind === 'file' ? read.bytes : '')
      if (read.kind === 'refused') call.out.note(`Left out: ${path}: ${read.why}`)
      if (entries.length === 0) continue
      const to = join(target, name)
      mkdirSync(dirname(to), { recursive: true })
      writeFileSync(to, transcriptAs(format, entries), { flag: 'wx', mode: 0o600 })
      count++
    }
    call.out.data('export', { folder: target, format, transcripts: count })
    call.out.line(target, `${counted(count, 'transcript')} as ${format}`)
    return 0
  })
}

interface Found {
  readonly path: string
  /** `shop/s-aaaaaa.jsonl` */
  readonly name: string
}

/** Transcripts in rooms, and those that are not moved there yet. */
function transcriptsOf({ home, dir, world }: Opened): readonly Found[] {
  const rooms = roomNames(home, world.files)
  const moved = rooms.flatMap((room) => {
    const folder = join(home, 'rooms', room, 'transcripts')
    return jsonlIn(world.files.names(folder)).map((name) => ({
      path: join(folder, name),
      name: `${room}/${name}`,
    }))
  })
  const live = jsonlIn(world.files.names(join(dir, 'transcripts'))).flatMap((name): readonly Found[] => {
    const path = join(dir, 'transcripts', name)
    if (/^s-[a-z0-9]+\.jsonl$/.test(name)) return [{ path, name: `running/${name}` }]
    const [, room = '', rest] = /^neo-(.+)-(\d{4}-\d{2}-\d{2}-\d+\.jsonl)$/.exec(name) ?? []
    return rooms.includes(room) ? [{ path, name: `${room}/neo-${rest}` }] : []
  })
  const names = new Set<string>()
  return [...moved, ...live].filter(({ name }) => !names.has(name) && names.add(name))
}

function jsonlIn(names: readonly string[]): readonly string[] {
  return names.filter((name) => /^[\w.-]+\.jsonl$/.test(name) && !name.startsWith('.'))
}
