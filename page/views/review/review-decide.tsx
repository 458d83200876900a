/** The decision about a review: accept, reject with words and comments, or reject for good. */
import { useEffect, useState } from 'preact/hooks'
import { Button, say } from '../../parts/controls.tsx'
import { type Comments, messageOf, written } from '../../parts/diff/diff-comments.ts'
import { Icon } from '../../parts/icons.tsx'
import { count, visible } from '../../parts/text.ts'
import { draft } from '../../store/drafts.ts'
import { closeDetail } from '../../store/routes.ts'
import { call, RpcError } from '../../store/rpc.ts'
import { may } from '../../store/session.ts'
import type { Task } from '../../store/types.ts'
import type { ReviewDiff } from './use-review.ts'

interface DecideProps {
  readonly task: Task
  readonly review: ReviewDiff
  readonly comments: Comments
}

/** As review.reject takes it. */
const MOST_MESSAGE = 20_000

export function Decide({ task, review, comments }: DecideProps) {
  const id = task.id ?? task.path
  const words = draft(`review ${id} words`)
  const [refusal, setRefusal] = useState<Error | null>(null)
  if (!may('settle-review', task.roomId))
    return <p class="card soft">Somebody with permission to decide reviews in this room has to accept it.</p>
  const notes = written(comments.all())
  const message = messageOf(words.value, notes)
  const forget = () => {
    words.value = ''
    comments.clear()
  }
  const accept = async () => {
    setRefusal(null)
    try {
      const { commit } = await call<Accepted>('review.accept', { taskId: id })
      forget()
      done(`“${visible(task.title)}” was accepted and merged into ${review.base}.${undoHint(commit)}`)
    } catch (error) {
      setRefusal(error as Error)
    }
  }
  const reject = async () => {
    if (message === '') return say('Write what to change, or comment on a line first.')
    if (message.length > MOST_MESSAGE)
      throw new Error(
        `The message is too long (${message.length} of ${MOST_MESSAGE} characters). Shorten it.`,
      )
    await call('review.reject', { taskId: id, message })
    forget()
    done(`“${visible(task.title)}” goes back to its worker with your message.`)
  }
  return (
    <section class="decide card" aria-label="Decision">
      {refusal === null ? null : <Refusal error={refusal} base={review.base} />}
      <textarea
        aria-label="Message to the worker"
        placeholder="What should change? Line comments are added."
        rows={2}
        value={words.value}
        onInput={({ currentTarget }) => {
          words.value = currentTarget.value
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) reject().catch(say)
        }}
      />
      <div class="row">
        <Button tone="primary" icon="check" onClick={accept}>
          Accept and merge
        </Button>
        <Button icon="retry" onClick={reject}>
          Send back{notes.length === 0 ? '' : ` with ${count(notes.length, 'comment')}`}
        </Button>
        <span class="grow" />
        <RejectForGood task={task} hasMessage={message !== ''} onDone={forget} />
      </div>
    </section>
  )
}

interface Accepted {
  readonly commit: string | null
}

/** Only the owner works on the files in a terminal. */
function undoHint(commit: string | null): string {
  if (commit === null || !may('change-home')) return ''
  return ` To undo it in a terminal: git revert -m 1 ${commit.slice(0, 12)}`
}

function done(text: string): void {
  say(text)
  closeDetail()
}

function Refusal({ error, base }: { readonly error: Error; readonly base: string }) {
  const paths = error instanceof RpcError && Array.isArray(error.data['paths']) ? error.data['paths'] : []
  return (
    <div class="refusal" role="alert">
      <p class="bad-text">
        <Icon name="warning" /> {visible(error.message)}
      </p>
      {paths.length === 0 ? null : (
        <>
          <ul class="small">
            {paths.map((path) => (
              <li key={String(path)}>
                <code>{visible(String(path))}</code>
              </li>
            ))}
          </ul>
          <p class="soft small">
            Nothing was merged. You can send the work back and ask the worker to merge {visible(base)} and
            resolve the conflict.
          </p>
        </>
      )}
    </div>
  )
}

interface RejectForGoodProps {
  readonly task: Task
  readonly hasMessage: boolean
  readonly onDone: () => void
}

/** The task fails, so it needs a second click. */
function RejectForGood({ task, hasMessage, onDone }: RejectForGoodProps) {
  const [isSure, setSure] = useState(false)
  useEffect(() => setSure(false), [hasMessage])
  const reject = async () => {
    if (!isSure) return setSure(true)
    await call('review.reject', { taskId: task.id ?? task.path })
    onDone()
    done(`“${visible(task.title)}” was rejected and has failed. You can retry it on its page.`)
  }
  return (
    <>
      {isSure ? (
        <>
          <span class="soft small">
            The task fails and isn't tried again.{hasMessage ? ' Your message is not sent.' : ''}
          </span>
          <Button onClick={() => setSure(false)}>Keep</Button>
        </>
      ) : null}
      <Button tone="bad" icon="close" onClick={reject}>
        {isSure ? 'Yes, reject it' : 'Reject'}
      </Button>
    </>
  )
}
