/** Saving a file of the home: what is risky about it is shown first, with what changes. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button, Dialog } from '../../parts/controls.tsx'
import { Icon } from '../../parts/icons.tsx'
import { visible } from '../../parts/text.ts'
import { TextDiff } from '../../parts/diff/text-diff.tsx'
import { call } from '../../store/rpc.ts'

export interface FileProblem {
  readonly code: string
  readonly line: number | null
  readonly column: number | null
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly hint: string
}

export interface Source {
  readonly path: string
  readonly text: string
  readonly version: string | null
  readonly problems: readonly FileProblem[]
}

interface Risk {
  readonly key: string
  readonly before: string | null
  readonly after: string | null
  readonly why: string
  readonly needsTrust: boolean
}

/** What source.preview says about a save. */
export interface Preview extends Source {
  readonly before: string
  readonly risks: readonly Risk[]
  readonly values: Readonly<Record<string, unknown>>
}

interface Waiting {
  readonly preview: Preview
  readonly version: string | null
}

interface Saving {
  /** Saves, or shows first what is risky; the answer comes with `onSaved`. */
  readonly save: (of: Pick<Source, 'path' | 'version'>, preview: Preview) => Promise<void>
  /** To be shown; null while nothing has to be decided. */
  readonly dialog: JSX.Element | null
}

/** @param onSaved gets what a save answers; it throws what the hub refuses, also a conflict */
export function useSaving(onSaved: (source: Source) => void, onFailed: (failure: unknown) => void): Saving {
  const [waiting, setWaiting] = useState<Waiting | null>(null)
  const write = async (preview: Preview, version: string | null) => {
    const { path, text } = preview
    onSaved(await call<Source>('source.set', { path, text, version }))
  }
  return {
    async save({ version }, preview) {
      if (preview.risks.length > 0) setWaiting({ preview, version })
      else await write(preview, version)
    },
    dialog:
      waiting === null ? null : (
        <RiskDialog
          preview={waiting.preview}
          onClose={() => setWaiting(null)}
          onSave={async () => {
            await write(waiting.preview, waiting.version).catch(onFailed)
            setWaiting(null)
          }}
        />
      ),
  }
}

interface RiskDialogProps {
  readonly preview: Preview
  readonly onClose: () => void
  readonly onSave: () => Promise<void>
}

function RiskDialog({ preview: { path, before, text, risks }, onClose, onSave }: RiskDialogProps) {
  const needsTrust = risks.some((risk) => risk.needsTrust)
  return (
    <Dialog title={`Check these changes of ${path}`} onClose={onClose}>
      <TextDiff before={before} after={text} />
      <ul class="risks" aria-label="What this means">
        {risks.map((risk) => (
          <RiskItem key={risk.key} risk={risk} />
        ))}
      </ul>
      {needsTrust ? <TrustNote /> : null}
      <div class="row end">
        <Button onClick={onClose}>Cancel</Button>
        <Button tone="primary" onClick={onSave}>
          Save changes
        </Button>
      </div>
    </Dialog>
  )
}

function RiskItem({ risk: { key, before, after, why } }: { readonly risk: Risk }) {
  const what = before === null ? 'added' : after === null ? 'removed' : 'changed'
  return (
    <li>
      <p class="wait-text">
        <Icon name="warning" /> <code>{visible(key)}</code> {what}
      </p>
      <p class="small wrap">
        {before === null ? null : <del>{visible(before)}</del>}
        {before === null || after === null ? null : ' → '}
        {after === null ? null : <ins>{visible(after)}</ins>}
      </p>
      <p class="small">{why}</p>
    </li>
  )
}

/** What a change of a trusted line leads to, and what somebody without a terminal can do. */
export function TrustNote() {
  return (
    <p class="note small">
      Saving is not enough for lines that run programs or connect to servers: Neo keeps its old settings until
      somebody runs <code>neo trust</code> on the computer where Neo runs. After a restart, Neo also waits for
      that. If you can't do it, ask the person who set Neo up, or put the old lines back.
    </p>
  )
}
