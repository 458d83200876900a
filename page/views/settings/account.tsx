/** The person who is signed in: what they may do, and their sign-ins. The only settings that members have. */
import { Confirm } from '../../parts/confirm.tsx'
import { Button, Empty, say } from '../../parts/controls.tsx'
import { count, visible } from '../../parts/text.ts'
import { useState } from 'preact/hooks'
import { useRooms } from '../../store/rooms.ts'
import { roomAddress } from '../../store/routes.ts'
import { me, signOut, signOutOthers } from '../../store/session.ts'

export function Account() {
  const who = me.value
  const rooms = useRooms()
  const [isEnding, setEnding] = useState(false)
  if (who === null) return <Empty title="You're not signed in." />
  const isOwner = who.who === 'human'
  return (
    <>
      <dl class="pairs">
        <dt>Name</dt>
        <dd>{visible(who.name)}</dd>
        <dt>Role</dt>
        <dd>{isOwner ? 'Owner: you can do everything.' : visible(who.role ?? 'member')}</dd>
        {isOwner || rooms === null ? null : (
          <>
            <dt>Your rooms</dt>
            <dd>
              {rooms.length === 0 ? 'None yet. Ask the owner of this home for access.' : null}
              {rooms.map(({ id, name }, at) => (
                <>
                  {at === 0 ? '' : ', '}
                  <a href={roomAddress(id)}>{visible(name)}</a>
                </>
              ))}
            </dd>
          </>
        )}
      </dl>
      <p class="soft small">A sign-in lasts 30 days, also while Neo restarts.</p>
      <p class="row wrap-row">
        <Button onClick={signOut}>Sign out</Button>
        <Button onClick={() => setEnding(true)}>Sign out everywhere else</Button>
      </p>
      {isEnding ? (
        <Confirm
          title="Sign out everywhere else?"
          verb="Sign out"
          onClose={() => setEnding(false)}
          onConfirm={async () => say(`${count(await signOutOthers(), 'sign-in')} ended.`)}
        >
          <p>Your other browsers are signed out at once. This one stays signed in.</p>
        </Confirm>
      ) : null}
    </>
  )
}
