/**
 * The open connections of a server. When there are too many, room is made: the longest open connection without a request
 * that is whole goes, of the address that has the most. So a client with many silent connections loses only its own.
 */
import type { Socket } from 'node:net'

interface Connection {
  readonly socket: Socket
  readonly address: string
  requests: number
}

export class OpenConnections {
  /** In the order in which they were opened; keyed by the other end, since TLS wraps the socket. */
  private readonly open = new Map<string, Connection>()
  private readonly counts = new Map<string, number>()

  constructor(private readonly most: number) {}

  add(socket: Socket): void {
    if (this.open.size >= this.most && !this.makeRoom()) {
      socket.destroy()
      return
    }
    const key = keyOf(socket)
    const address = socket.remoteAddress ?? ''
    this.open.set(key, { socket, address, requests: 0 })
    this.count(address, 1)
    socket.once('close', () => this.drop(key, socket))
  }

  /** A whole request is answered from now until the returned function is called. */
  busy(socket: Socket): () => void {
    const connection = this.open.get(keyOf(socket))
    if (connection === undefined) return () => {}
    connection.requests += 1
    return () => {
      connection.requests -= 1
    }
  }

  endAll(): void {
    for (const { socket } of this.open.values()) socket.destroy()
  }

  endIdle(): void {
    for (const { socket, requests } of this.open.values()) if (requests === 0) socket.destroy()
  }

  private makeRoom(): boolean {
    const idle = [...this.open.values()].filter(({ requests }) => requests === 0)
    const busiest = idle.reduce((most, { address }) => Math.max(most, this.counts.get(address) ?? 0), 0)
    const victim = idle.find(({ address }) => this.counts.get(address) === busiest)
    if (victim === undefined) return false
    const key = keyOf(victim.socket)
    victim.socket.destroy()
    this.drop(key, victim.socket)
    return true
  }

  private drop(key: string, socket: Socket): void {
    const connection = this.open.get(key)
    if (connection?.socket !== socket) return
    this.open.delete(key)
    this.count(connection.address, -1)
  }

  private count(address: string, change: number): void {
    const count = (this.counts.get(address) ?? 0) + change
    if (count <= 0) this.counts.delete(address)
    else this.counts.set(address, count)
  }
}

function keyOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`
}
