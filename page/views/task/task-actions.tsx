/** What you can do with a task: start, stop, retry, assign, cancel, delete. */
import { useState } from 'preact/hooks'
import { Button, Dialog, say } from '../../parts/controls.tsx'
import { type Choice, Menu } from '../../parts/menu.tsx'
import { visible } from '../../parts/text.ts'
import { addressOf, closeDetail } from '../../store/routes.ts'
import { call } from '../../store/rpc.ts'
import { may } from '../../store/session.ts'
import type { Card, WholeTask } from '../../store/types.ts'
import { moveTo } from '../room/moves.ts'

export function Actions({ task }: { readonly task: WholeTask }) {
  const id = task.id ?? task.path
  const mayMove = may('move-task', task.roomId, task.worker) || may('change-task', task.roomId, task.worker)
  return (
    <div class="row task-actions">
      {task.status === 'review' ? (
        <a class="button primary" href={addressOf('review', id)}>
          Review
        </a>
      ) : null}
      {mayMove ? <Moves task={task} /> : null}
      {task.sessionId === null ? null : (
        <a class="button" href={addressOf('session', task.sessionId)}>
          Session
        </a>
      )}
      {may('change-task', task.roomId, task.worker) ? <Assign task={task} /> : null}
      {mayMove ? <Cancel task={task} /> : null}
      {may('delete-task', task.roomId) ? <Delete task={task} /> : null}
    </div>
  )
}

function cardOf({ id, path, status }: WholeTask): Card {
  return { id: id ?? path, status } as Card
}

function Moves({ task }: { readonly task: WholeTask }) {
  const card = cardOf(task)
  const isAsked = task.blocked === 'ask' || task.blocked === 'interrupted'
  const start = task.status === 'blocked' && isAsked ? null : moveTo(card, 'in_progress')
  const again = task.status === 'pending' ? null : moveTo(card, 'pending')
  const done = moveTo(card, 'completed')
  const isForHuman = task.settings.worker === 'human'
  const isRunning = task.status === 'in_progress' && !isForHuman
  return (
    <>
      {start === null || isForHuman ? null : (
        <Button tone="primary" icon="play" onClick={async () => void (await start())}>
          Start now
        </Button>
      )}
      {done === null || !isForHuman ? null : (
        <Button tone="good" icon="check" onClick={async () => void (await done())}>
          Mark as done
        </Button>
      )}
      {isRunning && task.sessionId !== null && may('stop-session', task.roomId) ? (
        <Stop sessionId={task.sessionId} />
      ) : null}
      {again === null || task.status === 'blocked' || task.status === 'in_progress' ? null : (
        <Button icon="retry" onClick={async () => void (await again())}>
          {task.status === 'draft' ? 'Make pending' : 'Retry'}
        </Button>
      )}
    </>
  )
}

/** What runs is lost, so it needs a second click. */
function Stop({ sessionId }: { readonly sessionId: string }) {
  const [isSure, setSure] = useState(false)
  const stop = async () => {
    if (!isSure) return setSure(true)
    await call('session.stop', { sessionId })
    setSure(false)
  }
  return (
    <>
      <Button icon="stop" onClick={stop} title="End its processes. The task waits until you start it again.">
        {isSure ? 'Yes, stop it' : 'Stop'}
      </Button>
      {isSure ? <Button onClick={() => setSure(false)}>Let it run</Button> : null}
    </>
  )
}

const NOTES: Readonly<Record<string, string>> = {
  agent: 'a model works on it',
  shell: 'its sh blocks run as a script',
  human: 'you or somebody else does it',
}
const LABELS: Readonly<Record<string, string>> = { human: 'A person', agent: 'Agent', shell: 'Shell' }

function Assign({ task }: { readonly task: WholeTask }) {
  const room = task.worker === null ? ` (${LABELS[task.settings.worker] ?? task.settings.worker})` : ''
  const choices: readonly Choice[] = [
    { value: '', label: "The room's worker", note: room },
    ...task.workers.map((value) => ({
      value,
      label: LABELS[value] ?? visible(value),
      note: NOTES[value] ?? 'a program on this machine',
    })),
  ]
  const assign = async (worker: string) => {
    if (worker === (task.worker ?? '')) return
    const updates = { worker: worker === '' ? null : worker }
    await call('task.update', { taskId: task.id ?? task.path, updates })
    if (task.status === 'in_progress') say('This attempt continues. The next one has the new worker.')
  }
  return (
    <Menu
      label="Assign"
      icon="send"
      shortcut="a"
      choices={choices}
      chosen={task.worker ?? ''}
      onChoose={assign}
    />
  )
}

function Cancel({ task }: { readonly task: WholeTask }) {
  const cancel = moveTo(cardOf(task), 'cancelled')
  if (cancel === null) return null
  return (
    <Button icon="close" onClick={async () => void (await cancel())}>
      {task.status === 'in_progress' ? 'Stop and cancel' : 'Cancel task'}
    </Button>
  )
}

function Delete({ task }: { readonly task: WholeTask }) {
  const [isAsked, setAsked] = useState(false)
  const close = () => setAsked(false)
  const remove = async () => {
    await call('task.delete', { taskId: task.id ?? task.path })
    close()
    closeDetail()
  }
  return (
    <>
      <Button onClick={() => setAsked(true)}>Delete</Button>
      {isAsked ? (
        <Dialog title="Delete this task?" onClose={close}>
          <p class="wrap">
            Neo deletes {visible(task.path)} and stops its work. Git keeps the history of the file.
          </p>
          <div class="row end">
            <Button onClick={close}>Keep</Button>
            <Button tone="bad" onClick={remove}>
              Delete
            </Button>
          </div>
        </Dialog>
      ) : null}
    </>
  )
}
