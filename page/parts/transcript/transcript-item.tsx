/** One item of a transcript: what was said, a call with its result, or a note. */
import { Component } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useChannel } from '../../store/channels.ts'
import { Ansi } from './ansi.tsx'
import { Icon, type IconName } from '../icons.tsx'
import { Markdown } from '../markdown.tsx'
import { duration, firstLine, number, visible } from '../text.ts'
import { Elapsed, Exact } from '../time.tsx'
import { type CallView, callView, type Entry, type Item, saidBy, textOf } from './transcript-items.ts'

interface ChunkProps {
  readonly items: readonly Item[]
  readonly sessionId: string
  /** The session runs, so a call without a result is at work. */
  readonly isLive: boolean
}

/** Is drawn again only if one of its items is another one. */
export class Chunk extends Component<ChunkProps> {
  override shouldComponentUpdate({ items, isLive }: ChunkProps): boolean {
    const before = this.props.items
    if (isLive !== this.props.isLive || items.length !== before.length) return true
    return items.some((item, index) => !isSame(item, before[index]))
  }

  override render({ items, sessionId, isLive }: ChunkProps) {
    return (
      <ol class="transcript-chunk">
        {items.map((item) => (
          <li key={item.key} class={`item item-${item.kind}`}>
            <ItemView item={item} sessionId={sessionId} isLive={isLive} />
          </li>
        ))}
      </ol>
    )
  }
}

function isSame(a: Item, b: Item | undefined): boolean {
  const resultOf = (item: Item | undefined) => (item?.kind === 'call' ? item.result?.id : undefined)
  return a.key === b?.key && resultOf(a) === resultOf(b)
}

interface ItemProps {
  readonly item: Item
  readonly sessionId: string
  readonly isLive: boolean
}

function ItemView({ item, sessionId, isLive }: ItemProps) {
  if (item.kind === 'text')
    return item.who === 'agent' ? <Said entry={item.entry} /> : <Told entry={item.entry} />
  if (item.kind === 'note') return <Note entry={item.entry} />
  return <Call view={callView(item.entry, item.result)} from={item.entry} of={{ sessionId, isLive }} />
}

function Said({ entry }: { readonly entry: Entry }) {
  return (
    <div class="said">
      <Exact at={entry.ts} />
      <Markdown text={saidBy(entry)} />
    </div>
  )
}

const LONG = 600

/** The task, and messages of people. The task's text is long and known, so it is folded. */
function Told({ entry }: { readonly entry: Entry }) {
  const text = textOf(entry['text'])
  const isTask = entry['key'] === 'u-0'
  const [isOpen, setOpen] = useState(!isTask && text.length < LONG)
  const from = /^Message from ([^:\n]+):\n/.exec(text)
  const title = isTask
    ? 'The task as the agent got it'
    : from === null
      ? 'Message'
      : `Message from ${from[1]}`
  return (
    <div class="told">
      <Fold
        isOpen={isOpen}
        onFold={setOpen}
        icon="chat"
        title={title}
        about={isOpen ? '' : firstLine(text, 120)}
      >
        <Exact at={entry.ts} />
      </Fold>
      {isOpen ? (
        <p class="wrap fold-body">{visible(from === null ? text : text.slice(from[0].length))}</p>
      ) : null}
    </div>
  )
}

interface FoldProps {
  readonly isOpen: boolean
  readonly onFold: (isOpen: boolean) => void
  readonly icon: IconName
  readonly title: string
  readonly about: string
  readonly children: preact.ComponentChildren
}

function Fold({ isOpen, onFold, icon, title, about, children }: FoldProps) {
  return (
    <button type="button" class="fold" aria-expanded={isOpen} onClick={() => onFold(!isOpen)}>
      <Icon name="chevron" />
      <Icon name={icon} />
      <span class="fold-title">{visible(title)}</span>
      <span class="grow min0 clip soft">{visible(about)}</span>
      {children}
    </button>
  )
}

const STATES = {
  running: { icon: 'play', word: 'running' },
  done: { icon: 'check', word: 'done' },
  failed: { icon: 'close', word: 'failed' },
  unknown: { icon: 'warning', word: 'no result' },
  asking: { icon: 'chat', word: 'waits for you' },
} as const

interface CallProps {
  readonly view: CallView
  readonly from: Entry
  readonly of: { readonly sessionId: string; readonly isLive: boolean }
}

function Call({ view, from, of: { sessionId, isLive } }: CallProps) {
  const state = stateOf(view, isLive)
  const isCommand = view.name === 'shell' || view.args[0]?.[0] === 'command'
  const [chosen, setOpen] = useState<boolean | null>(null)
  const isOpen = chosen ?? (state === 'failed' || (state === 'running' && isCommand))
  const { icon, word } = STATES[state]
  return (
    <div class="call" data-state={state}>
      <Fold isOpen={isOpen} onFold={setOpen} icon={icon} title={view.name} about={view.about}>
        <span class="small num call-state">
          {word}
          {view.ended === '' ? '' : `, ${view.ended}`}
        </span>
        <span class="small num soft call-time">
          {state === 'running' ? <Elapsed from={from.ts} /> : view.ms === null ? '' : duration(view.ms)}
        </span>
      </Fold>
      {isOpen ? <CallBody view={view} of={{ sessionId, isLive: state === 'running' }} /> : null}
    </div>
  )
}

function stateOf({ state, name }: CallView, isLive: boolean): keyof typeof STATES {
  if (state !== 'running') return state
  if (!isLive) return 'unknown'
  return name === 'ask_human' ? 'asking' : 'running'
}

function CallBody({ view, of }: Pick<CallProps, 'view' | 'of'>) {
  const whole = view.args.length === 1 && view.args[0]?.[0] === 'command'
  return (
    <div class="fold-body">
      {whole ? (
        <pre class="code command">{visible(view.args[0]?.[1] ?? '')}</pre>
      ) : view.args.length === 0 ? null : (
        <dl class="pairs args">
          {view.args.map(([name, value]) => [
            <dt key={name}>{visible(name)}</dt>,
            <dd key={`${name} value`}>
              <pre class="code">{visible(value)}</pre>
            </dd>,
          ])}
        </dl>
      )}
      <Output view={view} of={of} />
    </div>
  )
}

interface Streamed {
  readonly text: string
  readonly skipped: number
}

/** All that streamed in, if it did; else the end that the transcript has. */
function Output({ view, of: { sessionId, isLive } }: Pick<CallProps, 'view' | 'of'>) {
  const { value } = useChannel<Readonly<Record<string, Streamed>>>(`session:${sessionId}:output`)
  const streamed = value.value?.[view.step]
  const isStreamed = streamed !== undefined && streamed.text.length >= view.output.length
  const text = isStreamed ? streamed.text : view.output
  if (text === '') return isLive ? null : <p class="soft small">No output.</p>
  return (
    <>
      {isStreamed && streamed.skipped > 0 ? (
        <p class="soft small">The first {number(streamed.skipped)} bytes aren't shown.</p>
      ) : null}
      <OutputBox label={`Output of ${visible(view.name)}`} text={text} />
    </>
  )
}

/** Stays at its end while it grows, unless somebody has scrolled up. The keyboard reaches it if it scrolls. */
function OutputBox({ label, text }: { readonly label: string; readonly text: string }) {
  const element = useRef<HTMLElement>(null)
  const isAtEnd = useRef(true)
  useLayoutEffect(() => {
    const box = element.current
    if (box === null) return
    if (box.scrollHeight > box.clientHeight) box.tabIndex = 0
    if (isAtEnd.current) box.scrollTop = box.scrollHeight
  }, [text])
  return (
    <section
      class="code output"
      aria-label={label}
      ref={element}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 24
      }}
    >
      <pre>
        <Ansi text={text} />
      </pre>
    </section>
  )
}

const ENDS: Readonly<
  Record<string, { readonly icon: IconName; readonly word: string; readonly tone: string }>
> = {
  done: { icon: 'check', word: 'Completed', tone: 'good-text' },
  failed: { icon: 'close', word: 'Failed', tone: 'bad-text' },
  stopped: { icon: 'stop', word: 'Stopped', tone: 'soft' },
  parked: { icon: 'schedules', word: 'Waits', tone: 'wait-text' },
  unknown: { icon: 'warning', word: 'Interrupted', tone: 'wait-text' },
}

function Note({ entry }: { readonly entry: Entry }) {
  const message = textOf(entry['message']) || textOf(entry['text']) || textOf(entry['summary'])
  const end = entry.type === 'end' ? ENDS[textOf(entry['outcome'])] : undefined
  const isError = entry.type === 'error'
  const words =
    entry.type === 'start'
      ? 'Started'
      : entry.type === 'compaction'
        ? 'Older messages were summarised'
        : entry.type
  return (
    <div class={`note ${end?.tone ?? (isError ? 'bad-text' : 'soft')}`}>
      <p class="row">
        <Icon name={end?.icon ?? (isError ? 'warning' : 'activity')} />
        <span class="grow min0 wrap">
          {end?.word ?? visible(words)}
          {message === '' || entry.type === 'compaction' ? '' : `: ${visible(message)}`}
        </span>
        <Exact at={entry.ts} />
      </p>
      {isError && textOf(entry['output']) !== '' ? (
        <OutputBox label="Output" text={textOf(entry['output'])} />
      ) : null}
    </div>
  )
}
