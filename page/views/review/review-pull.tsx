/** The pull request of a review: its address, how far it is, and the button that opens one. */
import { Button } from '../../parts/controls.tsx'
import { Icon } from '../../parts/icons.tsx'
import { visible } from '../../parts/text.ts'
import { call } from '../../store/rpc.ts'
import { may } from '../../store/session.ts'
import type { Task } from '../../store/types.ts'
import type { ReviewDiff } from './use-review.ts'

interface PullRequestProps {
  readonly task: Task
  readonly review: ReviewDiff
  /** How the work is reviewed now; the cards of a room don't tell. */
  readonly way: Task['review']
  readonly onWay: (way: Task['review']) => void
}

/** Where it is, or how far it is; nothing if the work is reviewed only here. */
export function PullRequest({ task, review: { pullRequest }, way, onWay }: PullRequestProps) {
  if (pullRequest !== null) return <Opened address={pullRequest} />
  if (way !== 'pr') return null
  return (
    <p class="card row">
      <Icon name="branch" />
      <span class="grow">
        {task.error === null
          ? 'Neo pushes the branch and opens a pull request.'
          : "The pull request can't be opened. The reason is above."}
      </span>
      {mayChoose(task) ? <Button onClick={choose(task, 'branch', onWay)}>Review it only here</Button> : null}
    </p>
  )
}

export function OpenPullRequest({ task, review: { pullRequest }, way, onWay }: PullRequestProps) {
  if (pullRequest !== null || way === 'pr' || !mayChoose(task)) return null
  return (
    <Button
      icon="external"
      title="Push the branch and open a pull request"
      onClick={choose(task, 'pr', onWay)}
    >
      Open pull request
    </Button>
  )
}

/** A key of the task that only who decides about its work can set. */
function mayChoose({ roomId, worker }: Task): boolean {
  return may('change-task', roomId, worker) && may('settle-review', roomId)
}

function choose(task: Task, review: 'pr' | 'branch', onWay: PullRequestProps['onWay']) {
  return async () => {
    await call('task.update', { taskId: task.id ?? task.path, updates: { review } })
    onWay(review)
  }
}

/** Only web addresses are links. */
function Opened({ address }: { readonly address: string }) {
  return (
    <p class="card row">
      <Icon name="external" />
      {/^https?:\/\//i.test(address) ? (
        <a href={address} target="_blank" rel="noreferrer noopener">
          Pull request: {visible(address.replace(/^https?:\/\//i, ''))}
        </a>
      ) : (
        visible(address)
      )}
    </p>
  )
}
