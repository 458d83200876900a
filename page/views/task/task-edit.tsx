/**
 * Edits a task: title and text with a preview, and the keys of its header. Typed text survives a reload. If somebody else
 * changes the text in the meantime, both versions are shown, and nothing is saved over the other one unseen.
 */
import { useState } from 'preact/hooks'
import { Button, Field } from '../../parts/controls.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { visible } from '../../parts/text.ts'
import { draft } from '../../store/drafts.ts'
import { addressOf } from '../../store/routes.ts'
import { call } from '../../store/rpc.ts'
import { may } from '../../store/session.ts'
import type { WholeTask } from '../../store/types.ts'
import { type Changed, TaskFields, updatesOf } from './task-fields.tsx'

interface TaskEditProps {
  readonly task: WholeTask
  readonly onDone: () => void
}

interface Typed {
  readonly title: string
  readonly text: string
  /** The task's own when the typing began. */
  readonly before: { readonly title: string; readonly text: string }
}

export function TaskEdit({ task, onDone }: TaskEditProps) {
  const { typed, type, forget } = useTyped(task)
  const [changed, setChanged] = useState<Changed>({})
  const { title, text, before } = typed
  const isConflict = text !== before.text && task.description !== before.text && task.description !== text
  const save = async () => {
    const updates = {
      ...(title === before.title ? {} : { title }),
      ...(text === before.text ? {} : { description: text }),
      ...updatesOf(changed, task),
    }
    if (Object.keys(updates).length > 0) await call('task.update', { taskId: task.id ?? task.path, updates })
    forget()
    onDone()
  }
  const cancel = () => {
    forget()
    onDone()
  }
  return (
    <form class="stack task-edit" onSubmit={(event) => event.preventDefault()} onKeyDown={onSaveKey}>
      <Field label="Title">
        <input value={title} onInput={({ currentTarget }) => type({ title: currentTarget.value })} />
      </Field>
      <Text text={text} onChange={(value) => type({ text: value })} />
      {isConflict ? <Conflict task={task} typed={typed} type={type} /> : null}
      <TaskFields task={task} changed={changed} onChange={setChanged} />
      <datalist id="task-workers">
        {task.workers.map((worker) => (
          <option key={worker} value={worker} />
        ))}
      </datalist>
      <div class="row end edit-bar">
        {may('change-home') ? <a href={addressOf('file', task.path)}>Edit the file</a> : null}
        <span class="grow" />
        <Button onClick={cancel}>Cancel</Button>
        <Button tone="primary" disabled={isConflict} onClick={save} title="Save (Ctrl-S)">
          Save
        </Button>
      </div>
    </form>
  )
}

/** As a click on Save, which is disabled during a conflict and shows what goes wrong. */
function onSaveKey(event: KeyboardEvent): void {
  const isSave = (event.ctrlKey || event.metaKey) && (event.key === 's' || event.key === 'Enter')
  if (!isSave) return
  event.preventDefault()
  const form = event.currentTarget as HTMLElement
  form.querySelector<HTMLButtonElement>('.edit-bar .primary')?.click()
}

function useTyped(task: WholeTask) {
  const stored = draft(`task ${task.id ?? task.path}`)
  const [begun] = useState(() => ({ title: task.title, text: task.description }))
  const typed = parsed(stored.value) ?? { ...begun, before: begun }
  return {
    typed,
    type(more: Partial<Pick<Typed, 'title' | 'text' | 'before'>>) {
      const next = { ...typed, ...more }
      const isSame = next.title === next.before.title && next.text === next.before.text
      stored.value = isSame && next.before.text === begun.text ? '' : JSON.stringify(next)
    },
    forget() {
      stored.value = ''
    },
  }
}

function parsed(text: string): Typed | null {
  try {
    const value = text === '' ? null : (JSON.parse(text) as Typed)
    const isTyped = typeof value?.text === 'string' && typeof value.title === 'string'
    return isTyped && typeof value.before?.text === 'string' ? value : null
  } catch {
    return null
  }
}

function Text({ text, onChange }: { readonly text: string; readonly onChange: (text: string) => void }) {
  const [isPreview, setPreview] = useState(false)
  return (
    <>
      <div class="row spread">
        <span class="field-label">Description</span>
        <button
          type="button"
          class="link small"
          aria-pressed={isPreview}
          onClick={() => setPreview(!isPreview)}
        >
          {isPreview ? 'Edit' : 'Preview'}
        </button>
      </div>
      {isPreview ? (
        <div class="card">
          <Markdown text={text} />
        </div>
      ) : (
        <textarea
          aria-label="Description"
          class="mono"
          rows={Math.min(24, Math.max(8, text.split('\n').length + 2))}
          value={text}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </>
  )
}

interface ConflictProps {
  readonly task: WholeTask
  readonly typed: Typed
  readonly type: (more: Partial<Typed>) => void
}

function Conflict({ task, typed, type }: ConflictProps) {
  const before = { title: task.title, text: task.description }
  return (
    <section class="card stack" aria-label="Changed meanwhile">
      <p class="wait-text">The text was changed meanwhile. This is the other version:</p>
      <pre class="code">{visible(task.description)}</pre>
      <div class="row">
        <Button onClick={() => type({ before })}>Keep my text</Button>
        <Button onClick={() => type({ ...before, before })}>Take the other version</Button>
        <Button onClick={() => type({ text: `${typed.text.trimEnd()}\n\n${task.description}`, before })}>
          Put it below mine
        </Button>
      </div>
    </section>
  )
}
