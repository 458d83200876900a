/** Which view an address shows. Views beyond the first ones load on demand. */
import { Empty } from '../parts/controls.tsx'
import type { Route } from '../store/routes.ts'
import { InboxView } from './inbox.tsx'
import { RoomView } from './room.tsx'
import { RoomsView } from './rooms.tsx'
import { lazyView } from '../parts/lazy.tsx'
import { TaskView } from './task.tsx'

const FileView = lazyView(() => import('./file.tsx').then(({ FileView }) => FileView))
const ActivityView = lazyView(() => import('./activity.tsx').then(({ ActivityView }) => ActivityView))

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
    case 'file':
      return <FileView key={route.path} path={route.path} />
    case 'activity':
      return <ActivityView />
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
