/** What keeps a task from going on, in words, with links to what it is about. */
import { Icon } from '../../parts/icons.tsx'
import { StatusMark } from '../../parts/status.tsx'
import { visible } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { addressOf, roomAddress } from '../../store/routes.ts'
import type { WholeTask } from '../../store/types.ts'

type Wait = WholeTask['waitsFor'][number]

interface WaitsForProps {
  readonly task: WholeTask
  /** Kinds that are shown elsewhere. */
  readonly hidden: readonly Wait['kind'][]
}

export function WaitsFor({ task, hidden }: WaitsForProps) {
  const waits = task.waitsFor.filter(({ kind }) => !hidden.includes(kind))
  if (waits.length === 0) return null
  return (
    <section class="waits" aria-label="Waits for">
      <Icon name="schedules" />
      <div class="grow min0">
        <h2>Waits for</h2>
        <ul>
          {waits.map((wait) => (
            <li key={`${wait.kind} ${wait.says}`} class="wrap">
              <Reason wait={wait} />
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}

function Reason({ wait }: { readonly wait: Wait }) {
  const { kind, says, at, links } = wait
  const [only] = links
  if (only !== undefined && links.length === 1 && (kind === 'task' || kind === 'request' || kind === 'room'))
    return (
      <>
        {only.status === null ? null : <StatusMark status={only.status} />}{' '}
        <a href={addressTo(only)}>{visible(kind === 'request' ? `${says}: ${only.title}` : says)}</a>
      </>
    )
  return (
    <>
      {visible(says)}
      {at === null ? null : (
        <>
          , <Time at={at} />
        </>
      )}
      {links.map((link, index) => (
        <span key={link.id}>
          {index === 0 ? (kind === 'slot' ? ' by ' : ' ') : ', '}
          <a href={addressTo(link)}>{visible(link.to === 'review' ? 'Open it' : link.title)}</a>
        </span>
      ))}
    </>
  )
}

function addressTo({ to, id }: Wait['links'][number]): string {
  return to === 'room' ? roomAddress(id) : addressOf(to, id)
}
