/**
 * GitHub's pull requests, on github.com and on Enterprise servers, by Octokit. Invariant 1: Octokit writes nothing to
 * the terminal, and retries nothing.
 */
import { Octokit } from '@octokit/rest'
import { z } from 'zod'
import type { Access } from './access.ts'
import { type Client, fitting, ForgeTrouble, limited, type Pull, trouble, type Wire } from './rest.ts'

const pull = z.object({
  number: z.number().int(),
  html_url: z.string(),
  state: z.enum(['open', 'closed']),
  merged_at: z.string().nullish(),
})
const counted = z.object({ comments: z.number().int() })
const comments = z.array(z.object({ body: z.string().nullish() }))

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }
const HEADERS = { 'x-github-api-version': '2022-11-28' }

export function githubClient(access: Access, wire: Wire): Client {
  const { owner, repo } = access.address
  const { rest } = new Octokit({
    baseUrl: access.api,
    userAgent: 'neo-rooms',
    log: SILENT,
    request: { fetch: limited(wire) },
    ...(access.token === null ? {} : { auth: access.token }),
  })
  const at = { owner, repo, headers: HEADERS }
  const said = <T>(schema: z.ZodType<T>, answer: Promise<{ data: unknown }>) =>
    answer.then(
      ({ data }) => fitting(schema, data),
      (error: unknown) => {
        throw troubleOf(access, error)
      },
    )
  return {
    async pulls(branch) {
      const query = { state: 'all', sort: 'created', direction: 'desc', per_page: 50 } as const
      const list = rest.pulls.list({ ...at, ...query, head: `${owner}:${branch}` })
      return (await said(z.array(pull), list)).map(pullOf)
    },
    async create({ title, body, branch, base }) {
      try {
        return pullOf(await said(pull, rest.pulls.create({ ...at, title, body, base, head: branch })))
      } catch (error) {
        if (error instanceof ForgeTrouble && error.status === 422 && /already exists/i.test(error.message))
          return 'exists'
        throw error
      }
    },
    async update(number, { title, body }) {
      return pullOf(await said(pull, rest.pulls.update({ ...at, title, body, pull_number: number })))
    },
    async lastComment(number) {
      const { comments: count } = await said(counted, rest.pulls.get({ ...at, pull_number: number }))
      if (count === 0) return null
      const last = { issue_number: number, per_page: 1, page: count }
      return (await said(comments, rest.issues.listComments({ ...at, ...last }))).at(-1)?.body ?? null
    },
  }
}

function pullOf({ number, html_url, state, merged_at }: z.infer<typeof pull>): Pull {
  const isMerged = merged_at !== null && merged_at !== undefined
  return { number, url: html_url, state: isMerged ? 'merged' : state }
}

/** What Octokit throws, in our words: an answer with a status, or our own trouble below it. */
function troubleOf(access: Access, error: unknown): ForgeTrouble {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof ForgeTrouble) return at
  const answer = z.object({ response: answered }).safeParse(error)
  if (!answer.success) {
    const text = error instanceof Error ? error.message : String(error)
    return new ForgeTrouble(0, `it cannot be asked: ${text}`)
  }
  const { status, headers, data } = answer.data.response
  const names = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
  return trouble(access, { status, headers: new Headers(names) }, messageOf(data))
}

const answered = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.unknown()),
  data: z.unknown(),
})
/** 422 says what is wrong in `errors`, each with a message or as a text. */
const refusal = z.object({ message: z.string(), errors: z.array(z.unknown()).optional() })

function messageOf(data: unknown): string {
  const told = refusal.safeParse(data)
  if (!told.success) return ''
  const more = (told.data.errors ?? []).flatMap((one) => {
    if (typeof one === 'string') return [one]
    const { data: inner } = z.object({ message: z.string() }).safeParse(one)
    return inner === undefined ? [] : [inner.message]
  })
  return [told.data.message, ...more].join(': ')
}
