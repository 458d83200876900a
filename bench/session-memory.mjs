/** Opens the conversation of a session with a long transcript, as a resumed session does, and says what memory it took. */
import { openFiles } from '../dist/adapters/disk/disk-files.js'
import { systemClock } from '../dist/adapters/machine.js'
import { emptyConversation, openLog, replay } from '../dist/agent/worker-conversation.js'

const [, , session = '', id = ''] = process.argv
const talk = emptyConversation()
const world = { files: openFiles(), clock: systemClock() }
openLog({ id, room: 'shop', taskId: 't-a' }, { world, dirs: { session } }, (entry) => replay(talk, entry))
process.stdout.write(
  JSON.stringify({ messages: talk.messages.length, mb: process.resourceUsage().maxRSS / 1024 }),
)
