/** Addresses of what can be read: each place has one, and nothing else is a place. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { placeOf, uriOf } from '../../../src/servers/mcp/resources.ts'

type Place = Parameters<typeof uriOf>[0]

const PLACES: readonly (readonly [string, Place])[] = [
  ['neo://status', { kind: 'status' }],
  ['neo://rooms', { kind: 'rooms' }],
  ['neo://asks', { kind: 'asks' }],
  ['neo://rooms/shop', { kind: 'room', room: 'shop' }],
  ['neo://rooms/shop/overview', { kind: 'overview', room: 'shop' }],
  ['neo://rooms/shop/tasks', { kind: 'tasks', room: 'shop' }],
  ['neo://rooms/shop/memories', { kind: 'memories', room: 'shop' }],
  ['neo://rooms/shop/tasks/list', { kind: 'task', room: 'shop', id: 'list' }],
  ['neo://rooms/shop/tasks/old/list', { kind: 'task', room: 'shop', id: 'old/list' }],
  ['neo://rooms/shop/memories/m-1', { kind: 'memory', room: 'shop', id: 'm-1' }],
  ['neo://rooms/shop/sessions/s-1', { kind: 'session', room: 'shop', id: 's-1' }],
  ['neo://rooms/caf%C3%A9/tasks/a%3Fb', { kind: 'task', room: 'café', id: 'a?b' }],
]

test.each(PLACES)('%s', (uri, place) => {
  expect([placeOf(uri), uriOf(place)]).toEqual([place, uri])
})

test.each([
  ...['', 'neo://', 'neo://room', 'neo://Rooms', 'neo://status/', 'neo://toString', 'file:///etc/passwd'],
  ...[
    'neo://rooms/',
    'neo://rooms//tasks',
    'neo://rooms/shop/',
    'neo://rooms/shop/tasks/',
    'NEO://rooms/shop',
  ],
  ...['neo://rooms/shop/sessions', 'neo://rooms/shop/files/a', 'neo://rooms/shop/overview/a'],
  ...['neo://rooms/shop/constructor', 'neo://rooms/shop/__proto__/a', 'neo://rooms/shop/task/a'],
  ...['neo://rooms/%zz', 'neo://rooms/shop?x=1', 'neo://rooms/shop#a', `neo://rooms/${'a'.repeat(2_000)}`],
])('"%s" is no place', (uri) => {
  expect(placeOf(uri)).toBeNull()
})

const name = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' })
const id = fc.array(
  name.filter((one) => !one.includes('/')),
  { minLength: 1, maxLength: 3 },
)

test('the place of an address of a place is that place', () => {
  fc.assert(
    fc.property(name, id, fc.constantFrom('task', 'memory', 'session'), (room, parts, kind) => {
      const place = { kind, room, id: parts.join('/') } as Place
      expect(placeOf(uriOf(place))).toEqual(place)
    }),
  )
})

test('no address throws, and what is a place has an address that leads to it', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.webPath().map((path) => `neo://rooms${path}`),
      ),
      (uri) => {
        const place = placeOf(uri)
        if (place !== null) expect(placeOf(uriOf(place))).toEqual(place)
      },
    ),
  )
})
