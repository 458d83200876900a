/** A model server that keeps what it is asked, and answers nothing: for what stands in a request. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface RefusingModel {
  /** Lines of neo.yaml that name it. */
  readonly config: string
  /** The bodies of requests, as they came. */
  readonly bodies: readonly string[]
}

export async function startRefusingModel(): Promise<RefusingModel> {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => (body += String(piece)))
    request.on('end', () => {
      bodies.push(body)
      response.writeHead(500).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const config = `model: fake/m\nproviders: { fake: { api: anthropic, api_key: k, base_url: "${url}" } }\ndaemon: { settle: 0s, rescan: 1s }\n`
  return { config, bodies }
}
