/** A port that a test may take, give back and take again: below those that the kernel hands out, so that nobody else gets it. */
import { createServer } from 'node:net'

const FIRST = 20_000
const COUNT = 12_000
/** Processes of other tests begin elsewhere. */
let next = (process.pid * 37) % COUNT

export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let tries = 0; tries < COUNT; tries++) {
    const port = FIRST + (next++ % COUNT)
    if (await isFree(port, host)) return port
  }
  throw new Error(`No port of ${host} is free`)
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, host, () => server.close(() => resolve(true)))
  })
}
