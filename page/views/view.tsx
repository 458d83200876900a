/** Which view an address shows. Views beyond the first ones load on demand. */
import { Empty } from '../parts/controls.tsx'
import type { Route } from '../store/routes.ts'
import { InboxView } from './inbox/inbox.tsx'
import { RoomView } from './room/room.tsx'
import { RoomsView } from './room/rooms.tsx'
import { lazyView } from '../parts/lazy.tsx'
import { TaskView } from './task/task.tsx'

const FileView = lazyView(() => import('./file/file.tsx').then(({ FileView }) => FileView))
const ChatView = lazyView(() => import('./chat/chat.tsx').then(({ ChatView }) => ChatView))
const SchedulesView = lazyView(() =>
  import('./schedules/schedules.tsx').then(({ SchedulesView }) => SchedulesView),
)
const MemoryView = lazyView(() => import('./memory/memory.tsx').then(({ MemoryView }) => MemoryView))
const AgentsView = lazyView(() => import('./agents/agents.tsx').then(({ AgentsView }) => AgentsView))
const SettingsView = lazyView(() =>
  import('./settings/settings.tsx').then(({ SettingsView }) => SettingsView),
)
const ActivityView = lazyView(() =>
  import('./activity/activity.tsx').then(({ ActivityView }) => ActivityView),
)
const SessionView = lazyView(() => import('./session/session.tsx').then(({ SessionView }) => SessionView))
const RequestView = lazyView(() => import('./inbox/request.tsx').then(({ RequestView }) => RequestView))
const CommitView = lazyView(() => import('./task/commit.tsx').then(({ CommitView }) => CommitView))
const ReviewView = lazyView(() => import('./review/review.tsx').then(({ ReviewView }) => ReviewView))

export function View({ route }: { readonly route: Route }) {
  switch (route.view) {
    case 'inbox':
      return <InboxView />
    case 'rooms':
      return <RoomsView />
    case 'room':
      return <RoomView key={route.room} room={route.room} tab={route.tab} />
    case 'task':
      return <TaskView key={route.id} id={route.id} />
    case 'session':
      return <SessionView key={route.id} id={route.id} />
    case 'request':
      return <RequestView key={route.id} id={route.id} />
    case 'commit':
      return <CommitView key={route.id} id={route.id} />
    case 'review':
      return <ReviewView key={route.id} id={route.id} />
    case 'file':
      return <FileView key={route.path} path={route.path} />
    case 'chat':
      return <ChatView room={route.room} />
    case 'schedules':
      return <SchedulesView />
    case 'memory':
      return <MemoryView />
    case 'agents':
      return <AgentsView />
    case 'settings':
      return <SettingsView page={route.page} />
    case 'activity':
      return <ActivityView tab={route.tab} />
    default:
      return (
        <Empty title="This page doesn't exist.">
          <p>
            <a href="/">Go to the inbox</a>
          </p>
        </Empty>
      )
  }
}
