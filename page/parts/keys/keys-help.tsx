/** All keys that can be pressed now, and those that are always there. */
import { isOffered, PLACES } from '../../store/places.ts'
import { Dialog } from '../controls.tsx'
import { type KeyHelp, keysNow } from './keys.ts'

const ALWAYS: readonly KeyHelp[] = [
  { keys: ['Esc'], what: 'Leave the field, or close what was opened last' },
  { keys: ['Ctrl+Enter'], what: 'Send or save the text of a form' },
]

export function KeysHelp({ onClose }: { readonly onClose: () => void }) {
  const views = PLACES.filter((place) => place.key !== '' && isOffered(place))
  return (
    <Dialog title="Keys" onClose={onClose}>
      <KeyTable title="In this view" rows={keysNow()} />
      <KeyTable
        title="Go to a view"
        rows={views.map(({ key, label }) => ({ keys: [`g ${key}`], what: label }))}
      />
      <KeyTable title="Everywhere" rows={ALWAYS} />
    </Dialog>
  )
}

function KeyTable({ title, rows }: { readonly title: string; readonly rows: readonly KeyHelp[] }) {
  return (
    <section aria-label={title}>
      <h3 class="soft small">{title}</h3>
      <dl class="key-table">
        {rows.map(({ keys, what }) => (
          <div key={what} class="row">
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{NAMES[key] ?? key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const NAMES: Readonly<Record<string, string>> = {
  'Ctrl+k': 'Ctrl K',
  'Ctrl+s': 'Ctrl S',
  'Ctrl+Enter': 'Ctrl Enter',
}
