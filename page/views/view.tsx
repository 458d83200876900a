/** Which view an address shows. Views beyond the first ones load on demand. */
import { Empty } from '../parts/controls.tsx'
import type { Route } from '../store/routes.ts'
import { InboxView } from './inbox.tsx'
import { RoomView } from './room.tsx'
import { RoomsView } from './rooms.tsx'
import { TaskView } from './task.tsx'

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
