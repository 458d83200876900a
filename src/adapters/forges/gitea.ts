/** Gitea's and Forgejo's pull requests over their REST API, version 1. */
import { z } from 'zod'
import { topicOf } from '../../domain/text/forge.ts'
import type { Access } from './access.ts'
import { type Ask, ask, type Client, ForgeTrouble, type Pull, type Wire } from './rest.ts'

const pull = z.object({
  number: z.number().int(),
  html_url: z.string(),
  state: z.enum(['open', 'closed']),
  merged: z.boolean().nullish(),
  head: z.object({ ref: z.string(), label: z.string().nullish() }),
})
const comments = z.array(z.object({ body: z.string() }))

/** The list cannot be asked for one branch: so many pages of it are looked at, the newest first. */
const PAGES = 4
const PAGE = 50

export function giteaClient(access: Access, wire: Wire): Client {
  const { owner, repo } = access.address
  const base = `/repos/${owner.split('/').map(encodeURIComponent).join('/')}/${encodeURIComponent(repo)}`
  const send = <T>(of: Omit<Ask, 'scheme'> & { schema: z.ZodType<T> }) =>
    ask(access, wire, { ...of, path: `${base}${of.path}`, scheme: 'token' })
  return {
    async pulls(branch) {
      const found: Pull[] = []
      for (let page = 1; page <= PAGES; page++) {
        const path = `/pulls?state=all&sort=recentupdate&limit=${PAGE}&page=${page}`
        const some = await send({ method: 'GET', path, schema: z.array(pull) })
        found.push(...some.filter((one) => isOf(one, branch)).map(pullOf))
        if (some.length === 0 || found.some(({ state }) => state === 'open')) break
      }
      return found.sort((a, b) => b.number - a.number)
    },
    async create({ title, body, branch, base }) {
      try {
        const fields = { title, body, head: branch, base }
        return pullOf(await send({ method: 'POST', path: '/pulls', body: fields, schema: pull }))
      } catch (error) {
        if (error instanceof ForgeTrouble && error.status === 409) return 'exists'
        throw error
      }
    },
    async update(number, { title, body }) {
      const path = `/pulls/${number}`
      return pullOf(await send({ method: 'PATCH', path, body: { title, body }, schema: pull }))
    },
    async lastComment(number) {
      const found = await send({ method: 'GET', path: `/issues/${number}/comments`, schema: comments })
      return found.at(-1)?.body ?? null
    },
  }
}

/**
 * The head of a pull request whose branch is gone is `refs/pull/<n>/head`; its label keeps the name. One that was
 * pushed for review is labelled `<user>/<topic>`.
 */
function isOf({ head }: z.infer<typeof pull>, branch: string): boolean {
  if (head.ref === branch || head.label === branch) return true
  return head.ref.startsWith('refs/pull/') && (head.label?.endsWith(`/${topicOf(branch)}`) ?? false)
}

function pullOf({ number, html_url, state, merged }: z.infer<typeof pull>): Pull {
  return { number, url: html_url, state: merged === true ? 'merged' : state }
}
