/** Asks before something that can't be undone. */
import type { ComponentChildren } from 'preact'
import { Button, Dialog } from './controls.tsx'

interface ConfirmProps {
  readonly title: string
  /** The verb of the button: `Remove`. */
  readonly verb: string
  readonly children: ComponentChildren
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
}

export function Confirm({ title, verb, children, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack">{children}</div>
      <div class="row end">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          tone="bad"
          onClick={async () => {
            await onConfirm()
            onClose()
          }}
        >
          {verb}
        </Button>
      </div>
    </Dialog>
  )
}

/** A text to pass on, such as a token: selected when it is focused, copied with a button. */
export function CopyField({ label, text }: { readonly label: string; readonly text: string }) {
  const lines = text.split('\n').length
  return (
    <div class="stack">
      <textarea
        class="mono"
        readOnly
        rows={Math.min(8, lines + 1)}
        value={text}
        aria-label={label}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <div class="row end">
        <Button onClick={() => navigator.clipboard.writeText(text)}>Copy</Button>
      </div>
    </div>
  )
}
