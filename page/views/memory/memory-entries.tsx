/** The list of what is remembered: each entry is read, changed and forgotten in its place. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, Empty, say } from '../../parts/controls.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { number, visible } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { addressOf, setQuery } from '../../store/routes.ts'
import { call } from '../../store/rpc.ts'
import { may } from '../../store/session.ts'
import { EditMemory } from './memory-edit.tsx'
import { MemoryHistory } from './memory-history.tsx'
import { kindWord, speakerWord } from './memory-words.ts'
import type { Memories, MemoryEntry, MemoryPlace } from './use-memories.ts'

interface ListProps {
  readonly memories: Memories
  readonly places: readonly MemoryPlace[]
}

export function MemoryEntries({ memories, places }: ListProps) {
  const { page, error, at, reload, more } = memories
  const [edited, setEdited] = useState<MemoryEntry | null>(null)
  const [forgotten, setForgotten] = useState<MemoryEntry | null>(null)
  if (error !== null) return <Empty title={error} />
  if (page === null) return <div aria-busy="true" />
  const row = edited === null ? null : rowOf(page.entries, edited)
  const form = (entry: MemoryEntry | null) =>
    edited === null ? null : (
      <EditMemory
        key={edited.source}
        edited={edited}
        now={entry}
        places={places}
        onSaved={reload}
        onClose={() => setEdited(null)}
      />
    )
  return (
    <>
      {forgotten === null ? null : (
        <Forgotten entry={forgotten} onBack={reload} onClose={() => setForgotten(null)} />
      )}
      {edited !== null && row === null ? form(null) : null}
      {page.entries.length === 0 ? <NoMemories /> : null}
      <ol class="memory-list" aria-label="What is remembered">
        {page.entries.map((entry) => (
          <li key={entry.source} class="memory-entry" aria-current={at === entry.source ? 'true' : undefined}>
            {entry === row ? (
              form(entry)
            ) : (
              <Entry
                entry={entry}
                places={places}
                isAt={at === entry.source}
                onEdit={() => setEdited(entry)}
                onForgotten={async () => {
                  setForgotten(entry)
                  await reload()
                }}
                onChange={reload}
              />
            )}
          </li>
        ))}
      </ol>
      {page.next === null ? null : <Button onClick={more}>Show more of {number(page.total)}</Button>}
    </>
  )
}

/** Where an edited entry is now: lines move when others come or go. */
function rowOf(entries: readonly MemoryEntry[], { source, version, id, roomId, scopeId }: MemoryEntry) {
  const here = entries.filter((one) => one.roomId === roomId && one.scopeId === scopeId)
  return (
    here.find((one) => one.version === version && (id === null || one.id === id)) ??
    here.find((one) => (id === null ? one.source === source : one.id === id)) ??
    null
  )
}

interface EntryProps {
  readonly entry: MemoryEntry
  readonly places: readonly MemoryPlace[]
  readonly isAt: boolean
  readonly onEdit: () => void
  readonly onForgotten: () => Promise<void>
  readonly onChange: () => Promise<void>
}

function Entry({ entry, places, isAt, onEdit, onForgotten, onChange }: EntryProps) {
  const [open, setOpen] = useState<'forget' | 'history' | null>(null)
  const element = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isAt) element.current?.scrollIntoView({ block: 'center' })
  }, [isAt])
  const { key, text, kind, roomId, source } = entry
  return (
    <article ref={element}>
      {key === '' ? null : <p class="strong">{visible(key)}</p>}
      {kind === 'memory' ? <Markdown text={text} /> : <p class="wrap">{visible(text)}</p>}
      <div class="memory-foot">
        <About entry={entry} places={places} />
        <span class="row quiet-actions">
          {entry.mayEdit ? <Quiet label="Edit" onClick={onEdit} /> : null}
          {roomId === null ? null : <Quiet label="History" onClick={() => setOpen('history')} />}
          {entry.mayForget ? <Quiet label="Forget" onClick={() => setOpen('forget')} /> : null}
        </span>
      </div>
      {open === 'forget' ? (
        <ConfirmForget entry={entry} onForgotten={onForgotten} onClose={() => setOpen(null)} />
      ) : null}
      {open === 'history' && roomId !== null ? (
        <MemoryHistory
          about={{ path: fileOf(source) }}
          title={kind === 'memory' ? 'History of this memory' : `History of ${fileOf(source)}`}
          room={roomId}
          onChange={onChange}
          onClose={() => setOpen(null)}
        />
      ) : null}
    </article>
  )
}

function fileOf(source: string): string {
  return source.replace(/:\d+$/, '')
}

function Quiet({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <button type="button" class="link small" onClick={onClick}>
      {label}
    </button>
  )
}

function About({ entry, places }: { readonly entry: MemoryEntry; readonly places: readonly MemoryPlace[] }) {
  const { roomId, scopeId, speaker, tags, importance, at, taskId, sessionId } = entry
  const place = places.find((one) => one.roomId === roomId && one.scopeId === scopeId)
  return (
    <p class="soft small row grow">
      <button type="button" class="link" onClick={() => setQuery({ room: roomId, scope: scopeId, at: null })}>
        {visible(place?.name ?? roomId ?? scopeId ?? '')}
      </button>
      <span>{kindWord(entry)}</span>
      {speaker === null ? null : <span>{visible(speakerWord(speaker))}</span>}
      {importance === null || importance === 'normal' ? null : <span>{importance} importance</span>}
      {tags.map((tag) => (
        <span key={tag} class="label">
          {visible(tag)}
        </span>
      ))}
      {taskId === null ? null : <a href={addressOf('task', taskId)}>its task</a>}
      {sessionId === null ? null : <a href={addressOf('session', sessionId)}>its session</a>}
      {at === null ? null : <Time at={at} />}
    </p>
  )
}

interface ForgetProps {
  readonly entry: MemoryEntry
  readonly onForgotten: () => Promise<void>
  readonly onClose: () => void
}

function ConfirmForget({ entry, onForgotten, onClose }: ForgetProps) {
  const { source, version, scopeId, kind, inGit } = entry
  const forget = async () => {
    if (scopeId === null) await call('memory.delete', { memoryId: source, version })
    else await call('scope.edit', { scopeId, source, version, content: null })
    await onForgotten()
  }
  const first = useRef<HTMLFieldSetElement>(null)
  useEffect(() => first.current?.querySelector('button')?.focus(), [])
  return (
    <fieldset ref={first} class="row notice" aria-label="Forget this?">
      <span class="grow">
        {kind === 'fact' ? 'Its older values and notes go too. ' : ''}
        {inGit
          ? 'Git keeps it: you can bring it back from the history.'
          : 'You can’t bring it back: private conversations aren’t in git.'}
      </span>
      <Button tone="bad" onClick={forget}>
        Forget
      </Button>
      <Button onClick={onClose}>Keep</Button>
    </fieldset>
  )
}

interface ForgottenProps {
  readonly entry: MemoryEntry
  readonly onBack: () => Promise<void>
  readonly onClose: () => void
}

/** What was forgotten a moment ago, and how it comes back. */
function Forgotten({ entry, onBack, onClose }: ForgottenProps) {
  const { kind, source, roomId } = entry
  const undo = async () => {
    await call('memory.restore', { path: source })
    onClose()
    await onBack()
    say('It is back.')
  }
  const canUndo = kind === 'memory' && roomId !== null && may('forget', roomId)
  return (
    <p class="row notice" role="status">
      <span class="grow">Forgotten. {canUndo ? '' : entry.inGit ? 'The history still has it.' : ''}</span>
      {canUndo ? <Button onClick={undo}>Undo</Button> : null}
      <Button onClick={onClose}>Close</Button>
    </p>
  )
}

function NoMemories() {
  return (
    <Empty title="No memories yet.">
      <p class="soft">
        Add a fact, or tell Neo in the chat: “Remember that the shop closes at six.” Agents also save what
        they learn.
      </p>
    </Empty>
  )
}
