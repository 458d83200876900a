/** Effects of the parameters of a search by name, over the whole home. */
import { expect } from 'vitest'
import type { HubHome } from '../hub-home.ts'
import { type Effects, effects, type Files } from './effect.ts'

const task = (title: string, status: string) => `---\nstatus: ${status}\n---\n# ${title}\n`
export const NAMES: Files = {
  'rooms/desk/ROOM.md': '---\nname: Desk\n---\n',
  'rooms/shop/tasks/a.md': task('Fix the pump', 'draft'),
  'rooms/shop/tasks/b.md': task('Paint the old pump', 'failed'),
  'rooms/desk/tasks/c.md': task('Pump of the desk', 'draft'),
  'workspace/members/kim.md': '---\nname: Kim Pump\nrole: member\npermissions: { rooms: [shop] }\n---\n',
}

export async function titles({ call }: HubHome, params: { text: string; limit?: number }) {
  return (await call('home.search', params)).tasks.map(({ title }) => title)
}

export const HOME: readonly Effects[] = [
  effects('home.search', NAMES, {
    text: async (home) => {
      expect(await titles(home, { text: 'pump desk' })).toEqual(['Pump of the desk'])
      expect(await titles(home, { text: 'pum' })).toHaveLength(3)
      expect((await home.call('home.search', { text: 'kim' })).people).toEqual([
        { id: 'kim', name: 'Kim Pump', role: 'member' },
      ])
    },
    statuses: async ({ call }) => {
      const { tasks, people } = await call('home.search', { text: 'pump', statuses: ['failed'] })
      expect([tasks.map(({ title }) => title), people]).toEqual([['Paint the old pump'], []])
    },
    limit: async (home) =>
      expect(await titles(home, { text: 'pump', limit: 1 })).toEqual(['Pump of the desk']),
  }),
]
