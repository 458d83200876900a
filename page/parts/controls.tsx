/** Buttons, fields, dialogs and messages. */
import type { ComponentChildren, JSX } from 'preact'
import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon, type IconName } from './icons.tsx'

export type Tone = 'plain' | 'primary' | 'good' | 'bad'

interface ButtonProps {
  readonly onClick: () => void | Promise<void>
  readonly children: ComponentChildren
  readonly tone?: Tone
  readonly icon?: IconName
  readonly title?: string
  readonly disabled?: boolean
}

/** Disabled while the promise of `onClick` runs. What it throws is shown as a message. */
export function Button({ onClick, children, tone = 'plain', icon, title, disabled = false }: ButtonProps) {
  const [busy, setBusy] = useState(false)
  const press = async () => {
    setBusy(true)
    try {
      await onClick()
    } catch (error) {
      say(error)
    }
    setBusy(false)
  }
  return (
    <button
      type="button"
      class={`button ${tone}`}
      disabled={disabled || busy}
      aria-busy={busy}
      title={title}
      onClick={() => void press()}
    >
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </button>
  )
}

export function IconButton({
  icon,
  label,
  onClick,
}: {
  readonly icon: IconName
  readonly label: string
  readonly onClick: () => void
}) {
  return (
    <button type="button" class="button icon-only" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  )
}

interface FieldProps {
  readonly label: string
  readonly help?: string
  readonly children: JSX.Element
}

export function Field({ label, help, children }: FieldProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is in children
    <label class="field">
      <span class="field-label">{label}</span>
      {children}
      {help === undefined ? null : <span class="soft small">{help}</span>}
    </label>
  )
}

interface Message {
  readonly id: number
  readonly text: string
  readonly tone: 'info' | 'error'
}

export const messages = signal<readonly Message[]>([])
const SHOWN_MS = 8_000
let lastMessage = 0

/** Shows a message at the edge of the page: an error, or text. */
export function say(what: unknown): void {
  const isError = what instanceof Error
  lastMessage += 1
  const message: Message = {
    id: lastMessage,
    text: isError ? what.message : String(what),
    tone: isError ? 'error' : 'info',
  }
  messages.value = [...messages.value.slice(-3), message]
  setTimeout(() => dismiss(message.id), SHOWN_MS)
}

function dismiss(id: number): void {
  messages.value = messages.value.filter((message) => message.id !== id)
}

export function Messages() {
  return (
    <div class="messages" role="status" aria-live="polite">
      {messages.value.map(({ id, text, tone }) => (
        <p key={id} class={`message ${tone}`}>
          <span>{text}</span>
          <IconButton icon="close" label="Dismiss" onClick={() => dismiss(id)} />
        </p>
      ))}
    </div>
  )
}

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A modal dialog; Esc and a click outside close it, focus returns to where it was. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = element.current
    if (dialog === null) return
    const outside = (event: MouseEvent) => event.target === dialog && onClose()
    const before = document.activeElement
    dialog.showModal()
    dialog.addEventListener('click', outside)
    return () => {
      dialog.removeEventListener('click', outside)
      dialog.close()
      // The element is gone from the document by now, so the browser does not do it.
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={element}
      class="dialog"
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <div class="dialog-body">
        <header class="row spread">
          <h2>{title}</h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  )
}

/** What a list says if there is nothing in it, and what to do next. */
export function Empty({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ComponentChildren
}) {
  return (
    <div class="empty">
      <p class="strong">{title}</p>
      {children}
    </div>
  )
}
