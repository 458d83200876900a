/**
 * Pull requests without a token: GitLab and Gitea open them on a push with the git login of the user.
 * Invariant 1: options are one line each, and short: servers cut or refuse others.
 */

import { redact } from '../../domain/secrets/redact.ts'
import { topicOf, withoutCredentials } from '../../domain/text/forge.ts'
import type { PullRequest } from '../../ports/forge-port.ts'
import type { Access } from './access.ts'
import { titleOf } from './client.ts'
import { type Pushed, pushAs, pushSession, type Work, type Wrong } from './push.ts'

export interface Request {
  readonly title: string
  readonly body: string
  readonly work: Work
}

/** A limit that both keep to. */
const MOST_DESCRIPTION = 1000

/** Opens one by push; `unnamed`: pushed, but the server did not say which pull request it is. */
export async function openByPush(
  access: Access,
  request: Request,
): Promise<PullRequest | Wrong | { readonly kind: 'unnamed' }> {
  switch (access.kind) {
    case 'github':
      return {
        wrong: `set ${access.tokenName}: ${access.address.host} opens pull requests with a token only`,
      }
    case 'gitlab':
      return named(await gitlabPush(request), /https?:\/\/\S+\/merge_requests\/(\d+)\b/)
    case 'gitea':
      return named(await giteaPush(request), /https?:\/\/\S+\/pulls\/(\d+)\b/)
  }
}

function named(pushed: Pushed | Wrong, pattern: RegExp): PullRequest | Wrong | { readonly kind: 'unnamed' } {
  if ('wrong' in pushed) return pushed
  const [url, number] = pattern.exec(pushed.said) ?? []
  return url === undefined ? { kind: 'unnamed' } : { url, number: Number(number), state: 'open' }
}

function gitlabPush({ title, body, work }: Request): Promise<Pushed | Wrong> {
  return pushSession(work, [
    'merge_request.create',
    `merge_request.target=${work.place.base}`,
    `merge_request.title=${titleOf(title)}`,
    `merge_request.description=${description(body)}`,
  ])
}

/** For review, without a branch at the remote: the topic names the pull request, and pushing again replaces it. */
async function giteaPush({ title, body, work }: Request): Promise<Pushed | Wrong> {
  const pushed = await pushAs(work, {
    expect: null,
    to: `refs/for/${work.place.base}`,
    options: [
      `topic=${topicOf(work.branch)}`,
      `title=${titleOf(title)}`,
      `description=${description(body)}`,
      'force-push=true',
    ],
  })
  return pushed.kind === 'pushed' ? pushed : { wrong: pushed.why }
}

/** The first paragraphs on one line. */
function description(body: string): string {
  const line = withoutCredentials(redact(body)).replaceAll(/\s+/g, ' ').trim()
  return line.slice(0, MOST_DESCRIPTION).replace(/[\uD800-\uDBFF]$/, '')
}
