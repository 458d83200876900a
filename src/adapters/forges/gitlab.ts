/** GitLab's merge requests over its REST API, version 4. */
import { z } from 'zod'
import type { Access } from './access.ts'
import { type Ask, ask, type Client, ForgeTrouble, type Pull, type Wire } from './rest.ts'

const merge = z.object({
  iid: z.number().int(),
  web_url: z.string(),
  state: z.enum(['opened', 'closed', 'locked', 'merged']),
})
const notes = z.array(z.object({ body: z.string(), system: z.boolean() }))

export function gitlabClient(access: Access, wire: Wire): Client {
  const project = encodeURIComponent(`${access.address.owner}/${access.address.repo}`)
  const send = <T>(of: Omit<Ask, 'scheme'> & { schema: z.ZodType<T> }) =>
    ask(access, wire, { ...of, path: `/projects/${project}/merge_requests${of.path}`, scheme: 'Bearer' })
  return {
    async pulls(branch) {
      const query = new URLSearchParams({
        source_branch: branch,
        state: 'all',
        order_by: 'created_at',
        sort: 'desc',
        per_page: '50',
      })
      const found = await send({ method: 'GET', path: `?${query}`, schema: z.array(merge) })
      return found.map(pullOf)
    },
    async create({ title, body, branch, base }) {
      const fields = { source_branch: branch, target_branch: base, title, description: body }
      try {
        return pullOf(await send({ method: 'POST', path: '', body: fields, schema: merge }))
      } catch (error) {
        if (error instanceof ForgeTrouble && error.status === 409) return 'exists'
        throw error
      }
    },
    async update(number, { title, body }) {
      const fields = { title, description: body }
      return pullOf(await send({ method: 'PUT', path: `/${number}`, body: fields, schema: merge }))
    },
    async lastComment(number) {
      const path = `/${number}/notes?order_by=created_at&sort=desc&per_page=50`
      const found = await send({ method: 'GET', path, schema: notes })
      return found.find(({ system }) => !system)?.body ?? null
    },
  }
}

function pullOf({ iid, web_url, state }: z.infer<typeof merge>): Pull {
  return { number: iid, url: web_url, state: state === 'opened' || state === 'locked' ? 'open' : state }
}
