/** What a room is for, and the settings that hold for its tasks. */
import { useEffect, useState } from 'preact/hooks'
import { Empty } from '../../parts/controls.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { visible } from '../../parts/text.ts'
import { call } from '../../store/rpc.ts'
import type { Room, RoomBrief } from '../../store/types.ts'
import { RoomFileLink } from './room-head.tsx'
import '../../style/room.css'

interface RoomAboutProps {
  readonly room: string
  readonly brief: RoomBrief | undefined
}

export function RoomAbout({ room, brief }: RoomAboutProps) {
  const [found, setFound] = useState<Room | null>(null)
  const [error, setError] = useState<string | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    call<Room>('room.get', { roomId: room }, stop.signal).then(
      setFound,
      (failure: Error) => stop.signal.aborted || setError(failure.message),
    )
    return () => stop.abort()
  }, [room, brief])
  if (error !== null) return <Empty title={error} />
  if (found === null) return <div aria-busy="true" />
  return (
    <div class="room-about stack">
      {found.description === '' ? null : <p class="wrap">{visible(found.description)}</p>}
      <dl class="pairs">
        {factsOf(found)
          .filter(([, value]) => value !== '')
          .map(([name, value]) => [
            <dt key={name}>{name}</dt>,
            <dd key={`${name} value`} class="wrap">
              {visible(value)}
            </dd>,
          ])}
      </dl>
      <section aria-label="Instructions">
        <h2>Instructions for all tasks</h2>
        {found.instructions.trim() === '' ? (
          <p class="soft">None. The text of ROOM.md is given to each agent of this room.</p>
        ) : (
          <Markdown text={found.instructions} />
        )}
      </section>
      <div class="row">
        <RoomFileLink room={room} />
      </div>
    </div>
  )
}

function factsOf(room: Room): readonly (readonly [name: string, value: string])[] {
  const { budget } = room
  const spending = [
    amount(budget?.usdPerDay, 'USD a day'),
    amount(budget?.usdPerTask, 'USD a task'),
    amount(budget?.tokensPerTask, 'tokens a task'),
    amount(budget?.turnsPerTask, 'model calls a task'),
  ]
  return [
    ['Worker', room.worker ?? 'agent'],
    ['Model', room.defaultModel ?? ''],
    ['Workspace', room.defaultWorkspace ?? 'workspace/files'],
    ['Base branch', room.base ?? ''],
    ['Review', room.review ?? ''],
    ['Checks', room.verify.join('\n')],
    ['Sessions at once', room.concurrency === null ? '' : String(room.concurrency)],
    ['Budget', spending.filter((part) => part !== '').join(', ')],
    [
      'Permissions',
      Object.entries(room.permissions)
        .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : value}`)
        .join('\n'),
    ],
    ['Approvers', room.approvers.join(', ')],
  ]
}

function amount(value: number | null | undefined, unit: string): string {
  return value === null || value === undefined ? '' : `${value} ${unit}`
}
