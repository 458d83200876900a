/**
 * A forge for tests, made from the documented shapes of the three APIs: pull requests in memory, and faults that the
 * next requests meet. Speaks all three dialects at once, by path.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface FakePull {
  readonly number: number
  readonly branch: string
  base: string
  title: string
  body: string
  state: 'open' | 'closed' | 'merged'
  readonly comments: string[]
}

export interface Fault {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Never answers. */
  readonly hang?: 'yes'
  /** Is met before the request is looked at, or after it was carried out. */
  readonly after?: 'yes'
}

export interface FakeForge {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  readonly pulls: FakePull[]
  /** Method and path of each request, and its `authorization`. */
  readonly requests: { readonly line: string; readonly login: string | undefined }[]
  /** Faults of the next requests; null lets one pass. */
  readonly faults: (Fault | null)[]
  /** Another pull request comes up between the look and the request that makes one. */
  race: FakePull | null
}

interface Call {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Record<string, string>
}
interface Answer {
  readonly status: number
  readonly data: unknown
}

export async function fakeForge(): Promise<FakeForge> {
  const server = createServer((request, response) => void serve(forge, request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const forge: FakeForge = { origin, pulls: [], requests: [], faults: [], race: null }
  return forge
}

export function pullFor(branch: string, more: Partial<FakePull> = {}): FakePull {
  return { number: 7, branch, base: 'main', title: 't', body: 'b', state: 'open', comments: [], ...more }
}

async function serve(forge: FakeForge, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  const url = new URL(request.url ?? '/', 'http://forge')
  const method = request.method ?? ''
  forge.requests.push({ line: `${method} ${url.pathname}`, login: request.headers.authorization })
  const fault = forge.faults.shift() ?? null
  if (fault?.hang === 'yes') return
  if (fault !== null && fault.after !== 'yes') return void send(response, fault)
  const call = {
    method,
    path: url.pathname,
    query: url.searchParams,
    body: text === '' ? {} : JSON.parse(text),
  }
  const { status, data } = dialect(forge, call)
  send(response, fault ?? { status, body: data })
}

function send(response: ServerResponse, { status = 500, headers = {}, body }: Fault): void {
  const isText = typeof body === 'string'
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers })
  response.end(isText ? body : JSON.stringify(body ?? { message: 'fault' }))
}

function dialect(forge: FakeForge, call: Call): Answer {
  if (call.path.startsWith('/projects/')) return gitlab(forge, call)
  return call.path.startsWith('/v1/') ? gitea(forge, call) : github(forge, call)
}

const missing: Answer = { status: 404, data: { message: 'Not Found' } }

/** Adds one, unless the branch has an open one or one comes up just now. */
function add(forge: FakeForge, of: Pick<FakePull, 'branch' | 'base' | 'title' | 'body'>): FakePull | null {
  if (forge.race !== null) forge.pulls.unshift(forge.race)
  forge.race = null
  if (forge.pulls.some(({ branch, state }) => branch === of.branch && state === 'open')) return null
  const made: FakePull = { ...of, number: forge.pulls.length + 1, state: 'open', comments: [] }
  forge.pulls.unshift(made)
  return made
}

function numbered(forge: FakeForge, number: string | undefined): FakePull | undefined {
  return forge.pulls.find((pull) => pull.number === Number(number))
}

function github(forge: FakeForge, { method, path, query, body }: Call): Answer {
  const shape = (pull: FakePull) => ({
    number: pull.number,
    html_url: `https://forge/acme/shop/pull/${pull.number}`,
    state: pull.state === 'open' ? 'open' : 'closed',
    merged_at: pull.state === 'merged' ? '2026-03-01T10:00:00Z' : null,
    comments: pull.comments.length,
  })
  const [, rest] = /^\/repos\/acme\/shop(\/.*)$/.exec(path) ?? []
  if (rest === undefined) return missing
  if (rest === '/pulls' && method === 'GET') {
    const found = forge.pulls.filter(({ branch }) => `acme:${branch}` === query.get('head'))
    return { status: 200, data: found.map(shape) }
  }
  if (rest === '/pulls') {
    const { head = '', base = '', title = '', body: text = '' } = body
    const made = add(forge, { branch: head, base, title, body: text })
    if (made !== null) return { status: 201, data: shape(made) }
    const message = `A pull request already exists for acme:${head}.`
    const errors = [{ resource: 'PullRequest', code: 'custom', message }]
    return { status: 422, data: { message: 'Validation Failed', errors } }
  }
  const [, kind, number] = /^\/(pulls|issues)\/(\d+)/.exec(rest) ?? []
  const pull = numbered(forge, number)
  if (pull === undefined) return missing
  if (kind === 'issues') {
    const size = Number(query.get('per_page'))
    const page = Number(query.get('page') ?? 1)
    const some = pull.comments.slice((page - 1) * size, page * size)
    return { status: 200, data: some.map((text) => ({ body: text })) }
  }
  if (method === 'PATCH') Object.assign(pull, { title: body['title'], body: body['body'] })
  return { status: 200, data: shape(pull) }
}

function gitlab(forge: FakeForge, { method, path, query, body }: Call): Answer {
  const shape = (pull: FakePull) => ({
    iid: pull.number,
    web_url: `https://forge/acme/shop/-/merge_requests/${pull.number}`,
    state: pull.state === 'open' ? 'opened' : pull.state,
  })
  const [, rest] = /^\/projects\/acme(?:%2F)shop\/merge_requests(.*)$/.exec(path) ?? []
  if (rest === undefined) return { status: 404, data: { message: '404 Project Not Found' } }
  if (rest === '' && method === 'GET') {
    const found = forge.pulls.filter(({ branch }) => branch === query.get('source_branch'))
    return { status: 200, data: found.map(shape) }
  }
  if (rest === '') {
    const { source_branch = '', target_branch = '', title = '', description = '' } = body
    const made = add(forge, { branch: source_branch, base: target_branch, title, body: description })
    if (made !== null) return { status: 201, data: shape(made) }
    const message = ['Another open merge request already exists for this source branch: !7']
    return { status: 409, data: { message } }
  }
  const [, number, more] = /^\/(\d+)(\/notes)?$/.exec(rest) ?? []
  const pull = numbered(forge, number)
  if (pull === undefined) return missing
  if (more !== undefined) {
    const texts = pull.comments.map((text) => ({ body: text, system: false })).reverse()
    return { status: 200, data: [{ body: 'closed', system: true }, ...texts] }
  }
  if (method === 'PUT') Object.assign(pull, { title: body['title'], body: body['description'] })
  return { status: 200, data: shape(pull) }
}

function gitea(forge: FakeForge, { method, path, query, body }: Call): Answer {
  const shape = (pull: FakePull) => ({
    number: pull.number,
    html_url: `https://forge/acme/shop/pulls/${pull.number}`,
    state: pull.state === 'open' ? 'open' : 'closed',
    merged: pull.state === 'merged',
    head: {
      ref: pull.state === 'merged' ? `refs/pull/${pull.number}/head` : pull.branch,
      label: pull.branch,
    },
  })
  const [, rest] = /^\/v1\/repos\/acme\/shop(\/.*)$/.exec(path) ?? []
  if (rest === undefined) return missing
  if (rest === '/pulls' && method === 'GET') {
    const size = Number(query.get('limit'))
    const page = Number(query.get('page'))
    return { status: 200, data: forge.pulls.slice((page - 1) * size, page * size).map(shape) }
  }
  if (rest === '/pulls') {
    const { head = '', base = '', title = '', body: text = '' } = body
    const made = add(forge, { branch: head, base, title, body: text })
    if (made !== null) return { status: 201, data: shape(made) }
    return { status: 409, data: { message: 'pull request already exists for these targets' } }
  }
  const [, kind, number] = /^\/(pulls|issues)\/(\d+)/.exec(rest) ?? []
  const pull = numbered(forge, number)
  if (pull === undefined) return missing
  if (kind === 'issues') return { status: 200, data: pull.comments.map((text) => ({ body: text })) }
  if (method === 'PATCH') Object.assign(pull, { title: body['title'], body: body['body'] })
  return { status: 201, data: shape(pull) }
}
