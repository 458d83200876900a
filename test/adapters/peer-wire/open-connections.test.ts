/** Room for new connections: it is made at the cost of whoever has the most silent ones. */
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { OpenConnections } from '../../../src/adapters/peer-wire/open-connections.ts'

let ports = 1000

class Line extends EventEmitter {
  readonly remotePort = ++ports
  readonly localAddress = '::1'
  destroyed = false
  constructor(readonly remoteAddress: string) {
    super()
  }
  destroy(): void {
    this.destroyed = true
    this.emit('close')
  }
}

function opened(most: number, ...addresses: string[]) {
  const connections = new OpenConnections(most)
  const lines = addresses.map((address) => new Line(address))
  const add = (address: string) => {
    const line = new Line(address)
    connections.add(line as unknown as Socket)
    return line
  }
  for (const line of lines) connections.add(line as unknown as Socket)
  const busy = (line: Line) => connections.busy(line as unknown as Socket)
  return { connections, lines, add, busy, gone: () => lines.map(({ destroyed }) => destroyed) }
}

test('add() takes the oldest silent line of the address that has the most', () => {
  const { add, gone } = opened(4, 'good', 'bad', 'bad', 'other')
  expect(add('new').destroyed).toBe(false)
  expect(gone()).toEqual([false, true, false, false])
})

test('add() ends no line with a request, and the new one where all have one', () => {
  const { lines, add, busy, gone } = opened(2, 'bad', 'bad')
  const done = busy(lines[0] as Line)
  const third = add('x')
  expect(gone()).toEqual([false, true])
  busy(third)
  expect(add('y').destroyed).toBe(true)
  done()
  expect(add('z').destroyed).toBe(false)
  expect([gone(), third.destroyed]).toEqual([[true, true], false])
})

test('add() counts anew what has closed by itself', () => {
  const { lines, add, gone } = opened(2, 'a', 'b')
  lines[0]?.destroy()
  add('c')
  expect(gone()).toEqual([true, false])
  add('d')
  expect(gone()).toEqual([true, true])
})

test('endIdle() leaves what is answered, endAll() nothing', () => {
  const { connections, lines, busy, gone } = opened(3, 'a', 'a', 'b')
  busy(lines[1] as Line)
  connections.endIdle()
  expect(gone()).toEqual([true, false, true])
  connections.endAll()
  expect(gone()).toEqual([true, true, true])
})

test('busy() of a line that is not known does nothing', () => {
  const { busy } = opened(1)
  expect(busy(new Line('x'))()).toBeUndefined()
})
