/** An entry as fields. If it changes while it is edited, both versions are shown, and the person decides. */
import type { TargetedKeyboardEvent } from 'preact'
import { useState } from 'preact/hooks'
import { Button, Field } from '../../parts/controls.tsx'
import { visible } from '../../parts/text.ts'
import { call, RpcError } from '../../store/rpc.ts'
import { may } from '../../store/session.ts'
import { TYPES } from './memory-words.ts'
import type { MemoryEntry, MemoryPlace } from './use-memories.ts'

interface EditProps {
  /** As it was when the editing began. */
  readonly edited: MemoryEntry
  /** As it is now; null: it is gone. */
  readonly now: MemoryEntry | null
  readonly places: readonly MemoryPlace[]
  readonly onSaved: () => Promise<void>
  readonly onClose: () => void
}

interface Form {
  readonly content: string
  readonly type: string
  readonly tags: string
  readonly importance: string
  readonly room: string
}

function formOf({ text, type, tags, importance, roomId }: MemoryEntry): Form {
  return {
    content: text,
    type: type ?? 'note',
    tags: tags.join(', '),
    importance: importance ?? 'normal',
    room: roomId ?? '',
  }
}

export function EditMemory({ edited, now, places, onSaved, onClose }: EditProps) {
  const [form, setForm] = useState(() => formOf(edited))
  const [version, setVersion] = useState(edited.version)
  const set = (change: Partial<Form>) => setForm((before) => ({ ...before, ...change }))
  const other = now !== null && now.version !== version ? now : null
  const save = async () => {
    try {
      await saved(now ?? edited, version, form)
    } catch (error) {
      // The list brings the other version.
      if (!(error instanceof RpcError) || error.data['conflict'] !== true) throw error
      await onSaved()
      throw new Error('It was changed in the meantime. Your text is still here.')
    }
    onClose()
    await onSaved()
  }
  return (
    <form
      class="stack"
      aria-label="Edit"
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={(event) => takeKey(event, onClose)}
    >
      <Field label="Text">
        <textarea
          rows={4}
          ref={begin}
          value={form.content}
          onInput={({ currentTarget }) => set({ content: currentTarget.value })}
        />
      </Field>
      {edited.kind === 'memory' ? <MoreFields form={form} set={set} places={places} /> : null}
      {now === null ? (
        <p class="notice" role="alert">
          It was forgotten or moved in the meantime.
        </p>
      ) : null}
      {other === null ? null : (
        <Conflict
          other={other}
          onMine={() => setVersion(other.version)}
          onTheirs={() => {
            setVersion(other.version)
            setForm(formOf(other))
          }}
        />
      )}
      <div class="row end">
        <span class="soft small grow">Ctrl-Enter saves, Esc leaves it as it was.</span>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          tone="primary"
          disabled={form.content.trim() === '' || other !== null || now === null}
          onClick={save}
        >
          Save
        </Button>
      </div>
    </form>
  )
}

function takeKey(event: TargetedKeyboardEvent<HTMLFormElement>, onClose: () => void): void {
  if (event.key === 'Escape') onClose()
  else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.currentTarget.querySelector<HTMLButtonElement>('.button.primary')?.click()
  } else return
  event.preventDefault()
  event.stopPropagation()
}

/** The focus goes into the text when the form opens. */
function begin(element: HTMLTextAreaElement | null): void {
  if (element === null || element.dataset['begun'] === 'yes') return
  element.dataset['begun'] = 'yes'
  element.focus()
}

async function saved(entry: MemoryEntry, version: string, form: Form): Promise<void> {
  const { source, scopeId, kind } = entry
  const content = form.content.trim()
  if (scopeId !== null) {
    await call('scope.edit', { scopeId, source, version, content })
    return
  }
  const updates = kind === 'memory' ? changesOf(entry, form) : { content }
  await call('memory.update', { memoryId: source, version, updates: { ...updates, content } })
}

/** Only what differs, so that a file gets no key that nobody has set. */
function changesOf(entry: MemoryEntry, form: Form) {
  const before = formOf(entry)
  const tags = form.tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
  return {
    ...(form.type === before.type ? {} : { type: form.type }),
    ...(form.importance === before.importance ? {} : { importance: form.importance }),
    ...(tags.join() === entry.tags.join() ? {} : { tags }),
    ...(form.room === before.room ? {} : { moveTo: form.room }),
  }
}

interface MoreProps {
  readonly form: Form
  readonly set: (change: Partial<Form>) => void
  readonly places: readonly MemoryPlace[]
}

function MoreFields({ form, set, places }: MoreProps) {
  const rooms = places.filter(
    ({ roomId }) => roomId !== null && (roomId === form.room || may('remember', roomId)),
  )
  return (
    <div class="memory-fields">
      <Field label="Type">
        <select value={form.type} onChange={({ currentTarget }) => set({ type: currentTarget.value })}>
          {TYPES.map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </Field>
      <Field label="Importance">
        <select
          value={form.importance}
          onChange={({ currentTarget }) => set({ importance: currentTarget.value })}
        >
          <option value="high">High</option>
          <option value="normal">Normal</option>
          <option value="low">Low</option>
        </select>
      </Field>
      <Field label="For room">
        <select value={form.room} onChange={({ currentTarget }) => set({ room: currentTarget.value })}>
          {rooms.map(({ roomId, name }) => (
            <option key={roomId} value={roomId ?? ''}>
              {visible(name)}
            </option>
          ))}
        </select>
      </Field>
      <Field label="Tags">
        <input
          type="text"
          placeholder="prices, login"
          value={form.tags}
          onInput={({ currentTarget }) => set({ tags: currentTarget.value })}
        />
      </Field>
    </div>
  )
}

interface ConflictProps {
  readonly other: MemoryEntry
  readonly onMine: () => void
  readonly onTheirs: () => void
}

function Conflict({ other, onMine, onTheirs }: ConflictProps) {
  return (
    <div class="notice stack" role="alert">
      <p>It was changed while you edited it. It now says:</p>
      <p class="wrap quote">{visible(other.text)}</p>
      <div class="row">
        <Button onClick={onMine}>Keep my text</Button>
        <Button onClick={onTheirs}>Take this one</Button>
      </div>
    </div>
  )
}
