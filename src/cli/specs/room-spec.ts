/**
 * The commands of `neo room`: words and options.
 */
import type { Spec } from '../spec.ts'

const status = (name: 'pause' | 'resume' | 'archive', about: string): Spec => ({
  name,
  args: '<room...>',
  about,
  example: `neo room ${name} welcome`,
  load: async () => (await import('../room/set-room-status.ts')).setRoomStatus(name),
})

export const ROOM: readonly Spec[] = [
  {
    name: 'list',
    about: 'all rooms with what is in them',
    options: [{ flags: '--all', about: 'archived ones too' }],
    example: 'neo room list',
    load: async () => (await import('../room/list-rooms.ts')).listRooms,
  },
  {
    name: 'show',
    args: '<room>',
    about: 'one room: its settings and its standing instruction',
    example: 'neo room show welcome',
    load: async () => (await import('../room/show-room.ts')).showRoom,
  },
  {
    name: 'new',
    args: '<name>',
    about: 'make a room; prints the path of its ROOM.md',
    options: [
      { flags: '--description <text>', about: 'one line' },
      { flags: '--workspace <folder>', about: 'git repository or folder where its sessions work' },
      { flags: '--worker <worker>', about: 'agent, shell, human, exec:<name> or peer:<agent>' },
      { flags: '--template <name>', about: 'from templates/rooms/<name>/' },
    ],
    example: "neo room new shop --description 'The web shop' --workspace ../shop",
    load: async () => (await import('../room/create-room.ts')).newRoom,
  },
  {
    name: 'edit',
    args: '<room>',
    about: 'open its ROOM.md in $EDITOR, and check what was saved',
    example: 'neo room edit welcome',
    load: async () => (await import('../room/edit-room.ts')).editRoom,
  },
  status('pause', 'start nothing more in it; what runs goes on'),
  status('resume', 'let its tasks start again'),
  status('archive', 'put it away: nothing starts, lists leave it out'),
]
