/** When a schedule runs: typed, explained in words, with the next three runs or what is wrong. */
import { useId } from 'preact/hooks'
import { Field } from '../../parts/controls.tsx'
import { Icon } from '../../parts/icons.tsx'
import { visible } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import type { Form } from './schedule-edit.tsx'
import { clockIn, inWords, isOwnClock, type Kind, OWN_ZONE } from './schedule-words.ts'
import type { Checked } from './use-schedule-check.ts'

const KIND_WORDS: Readonly<Record<Kind, string>> = {
  cron: 'Calendar (cron)',
  every: 'Interval',
  at: 'Once',
}
const HELP: Readonly<Record<Kind, string>> = {
  cron: 'Minute, hour, day of month, month, day of week: 0 9 * * 1-5',
  every: 'A number and a unit (s, m, h, d): 30m',
  at: 'Date and time: 2026-03-05T09:00',
}
/** What a kind begins with. */
const BEGIN: Readonly<Record<Kind, string>> = { cron: '0 9 * * 1-5', every: '1d', at: '' }
const LOCAL = /^(?:\d{4}-\d\d-\d\dT\d\d:\d\d)?$/

interface WhenFieldProps {
  readonly form: Form
  readonly checked: Checked | null
  readonly homeZone: string
  readonly onChange: (part: Partial<Form>) => void
}

export function WhenField({ form, checked, homeZone, onChange }: WhenFieldProps) {
  const { kind, when, zone } = form
  const explained = useId()
  const isWrong = checked?.problems.some(({ severity }) => severity === 'error') === true
  return (
    <>
      <div class="row fields-row">
        <Field label="Runs">
          <select
            value={kind}
            onChange={({ currentTarget }) => {
              const next = currentTarget.value as Kind
              onChange({ kind: next, when: BEGIN[next] })
            }}
          >
            {Object.entries(KIND_WORDS).map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
        </Field>
        <Field label="When">
          <WhenInput
            kind={kind}
            when={when}
            isWrong={isWrong}
            explained={explained}
            onInput={(text) => onChange({ when: text })}
          />
        </Field>
        {kind === 'every' ? null : (
          <Field label="Time zone">
            <input
              list="zones"
              value={zone}
              placeholder={homeZone}
              onInput={({ currentTarget }) => onChange({ zone: currentTarget.value })}
            />
          </Field>
        )}
      </div>
      <Zones />
      <div class="explained" id={explained} aria-live="polite" data-wrong={isWrong}>
        <Explained form={form} checked={checked} />
      </div>
    </>
  )
}

interface WhenInputProps {
  readonly kind: Kind
  readonly when: string
  readonly isWrong: boolean
  /** Id of the text that explains it. */
  readonly explained: string
  readonly onInput: (text: string) => void
}

function WhenInput({ kind, when, isWrong, explained, onInput }: WhenInputProps) {
  const about = {
    value: when,
    'aria-invalid': isWrong,
    'aria-describedby': explained,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      onInput(currentTarget.value),
  }
  const isDate = kind === 'at' && LOCAL.test(when)
  return isDate ? <input type="datetime-local" {...about} /> : <input class="mono" {...about} />
}

function Zones() {
  return (
    <datalist id="zones">
      {Intl.supportedValuesOf('timeZone').map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  )
}

function Explained({ form: { kind, when }, checked }: Pick<WhenFieldProps, 'form' | 'checked'>) {
  const errors = checked?.problems.filter(({ severity }) => severity === 'error') ?? []
  const warnings = checked?.problems.filter(({ severity }) => severity === 'warning') ?? []
  if (when.trim() === '') return <p class="soft small">{HELP[kind]}</p>
  if (errors.length > 0) return <Problems problems={errors} tone="bad-text" />
  const words = inWords(kind, when)
  return (
    <>
      {words === null ? <p class="soft small">{HELP[kind]}</p> : <p class="strong">{words}</p>}
      {checked === null ? null : <NextRuns kind={kind} checked={checked} />}
      <Problems problems={warnings} tone="wait-text" />
    </>
  )
}

function Problems({ problems, tone }: { readonly problems: Checked['problems']; readonly tone: string }) {
  return (
    <>
      {problems.map(({ message, hint }) => (
        <p key={message} class={`${tone} wrap`}>
          <Icon name="warning" /> {visible(message)}
          {hint === '' ? null : <span class="soft small"> {visible(hint)}.</span>}
        </p>
      ))}
    </>
  )
}

function NextRuns({ kind, checked: { nextRuns, zone } }: { readonly kind: Kind; readonly checked: Checked }) {
  if (nextRuns.length === 0)
    return (
      <p class="wait-text">{kind === 'at' ? 'This time has passed: it does not run.' : 'It never runs.'}</p>
    )
  return (
    <ol class="next-runs small" aria-label="Next runs">
      {nextRuns.map((at) => (
        <li key={at}>
          <span class="num">{clockIn(zone, at)}</span>{' '}
          <span class="soft">
            {visible(zone)}
            {isOwnClock(zone, at) ? '' : ` (${clockIn(OWN_ZONE, at)} for you)`}, <Time at={at} />
          </span>
        </li>
      ))}
    </ol>
  )
}
