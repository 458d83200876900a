/** The state of one conversation at a terminal, shared by its commands, tools and messages. */

import type { Call } from '../spec.ts'
import type { AtHub } from '../with-hub.ts'
import type { Lines } from './chat-lines.ts'
import type { Heard } from './reply-stream.ts'

export interface Chat {
  readonly call: Call
  readonly at: AtHub
  readonly lines: Lines
  readonly heard: Heard
  room: string
  ended: boolean
}
