/**
 * Events of audit.timeline, newest first, by day. More come when the end is reached.
 * Invariant: an event that comes later never moves what is being read: away from the top it waits until it is asked for.
 */
import { useEffect, useRef } from 'preact/hooks'
import { Button, Empty } from '../controls.tsx'
import { count, visible } from '../text.ts'
import { EventRow } from './timeline-event.tsx'
import { placeOf, type TimelineEvent, useTimeline } from './use-timeline.ts'
import '../../style/timeline.css'

interface TimelineProps {
  /** Parameters of audit.timeline. */
  readonly about: Readonly<Record<string, unknown>>
  /** When this changes, new events are fetched. */
  readonly version?: string
  /** What an empty list says. */
  readonly empty?: string
}

export function Timeline({ about, version = '', empty = 'Nothing happened yet.' }: TimelineProps) {
  const list = useRef<HTMLDivElement>(null)
  const isAtTop = () => (list.current?.closest('main, .panel')?.scrollTop ?? 0) < TOP_PX
  const { events, waiting, hasMore, unread, error, more, showWaiting } = useTimeline({
    about,
    version,
    isAtTop,
  })
  const show = () => {
    showWaiting()
    list.current?.closest('main, .panel')?.scrollTo({ top: 0 })
  }
  if (error !== null) return <Empty title={error} />
  if (events === null) return <div aria-busy="true" />
  return (
    <div ref={list}>
      {waiting === 0 ? null : (
        <p class="timeline-new">
          <Button tone="primary" onClick={show}>
            {`Show ${count(waiting, 'new event')}`}
          </Button>
        </p>
      )}
      {events.length === 0 ? <Empty title={empty} /> : <Days events={events} />}
      {unread.length === 0 ? null : (
        <p class="soft small">
          Too large to be read together: {visible(unread.join(', '))}. Choose a room or a day.
        </p>
      )}
      {hasMore ? <More known={events.length} onMore={more} /> : null}
    </div>
  )
}

/** Closer to the top than this is at the top. */
const TOP_PX = 40

const DAY = new Intl.DateTimeFormat(undefined, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
})

function Days({ events }: { readonly events: readonly TimelineEvent[] }) {
  const days = new Map<string, TimelineEvent[]>()
  for (const event of events) {
    const day = DAY.format(Date.parse(event.at))
    days.set(day, [...(days.get(day) ?? []), event])
  }
  const today = DAY.format(Date.now())
  return (
    <>
      {[...days].map(([day, all]) => (
        <section key={day} aria-label={day}>
          <h2 class="timeline-day">{day === today ? `Today, ${day}` : day}</h2>
          <ol class="timeline">
            {all.map((event) => (
              <EventRow key={placeOf(event)} event={event} />
            ))}
          </ol>
        </section>
      ))}
    </>
  )
}

interface MoreProps {
  /** How many events are shown. */
  readonly known: number
  readonly onMore: () => Promise<void>
}

/** Presses itself while it is in sight. */
function More({ known, onMore }: MoreProps) {
  const element = useRef<HTMLParagraphElement>(null)
  const latest = useRef(onMore)
  latest.current = onMore
  useEffect(() => {
    const seen = new IntersectionObserver(([entry]) => {
      // A refusal is shown when the button is pressed.
      if (entry?.isIntersecting === true) latest.current().catch(() => {})
    })
    if (element.current !== null) seen.observe(element.current)
    return () => seen.disconnect()
  }, [known])
  return (
    <p ref={element} class="timeline-more">
      <Button onClick={onMore}>Show older events</Button>
    </p>
  )
}
