/**
 * What the three forges have in common: pull requests of a branch, as the clients (github.ts, gitlab.ts, gitea.ts) give
 * them, and what opening and looking mean over any of them. Invariant 1: a branch has one open pull request of Neo:
 * found ones are updated; one that comes up in between too.
 */

import { redact } from '../../domain/secrets/redact.ts'
import { withoutCredentials } from '../../domain/text/forge.ts'
import type { PullRequest } from '../../ports/forge-port.ts'
import { ForgeTrouble } from './rest.ts'

export interface Pull {
  readonly number: number
  readonly url: string
  readonly state: PullRequest['state']
}

export interface PullText {
  readonly title: string
  readonly body: string
}

/** All throw ForgeTrouble, and nothing else. */
export interface Client {
  /** Pull requests from a branch of the repository itself, in any state, the newest first. */
  pulls(branch: string): Promise<readonly Pull[]>
  /** `exists`: the forge says that there is an open one. */
  create(of: PullText & { readonly branch: string; readonly base: string }): Promise<Pull | 'exists'>
  update(number: number, of: PullText): Promise<Pull>
  /** The text of the last comment that a person or a program wrote; null for none. */
  lastComment(number: number): Promise<string | null>
}

/** Opens the pull request of a branch that is already pushed, or brings the open one up. */
export async function openPull(
  client: Client,
  of: PullText & { readonly branch: string; readonly base: string },
): Promise<PullRequest> {
  const text = { title: titleOf(of.title), body: of.body }
  const open = await openOne(client, of.branch)
  if (open !== null) return client.update(open.number, text)
  const made = await client.create({ ...text, branch: of.branch, base: of.base })
  if (made !== 'exists') return made
  const there = await openOne(client, of.branch)
  if (there !== null) return client.update(there.number, text)
  throw new ForgeTrouble(409, 'the server reports that this branch has a pull request, but lists none')
}

/** How the pull request of a branch stands: the open one before all others; null if there is none. */
export async function pullState(client: Client, branch: string): Promise<PullRequest | null> {
  const pulls = await client.pulls(branch)
  const pull = pulls.find(({ state }) => state === 'open') ?? pulls[0]
  if (pull === undefined) return null
  if (pull.state !== 'closed') return pull
  const said = await client.lastComment(pull.number)
  const reason = said === null ? '' : oneLine(said, MOST_REASON)
  return reason === '' ? pull : { ...pull, reason }
}

async function openOne(client: Client, branch: string): Promise<Pull | null> {
  return (await client.pulls(branch)).find(({ state }) => state === 'open') ?? null
}

/** All three take 255. */
const MOST_TITLE = 240
const MOST_REASON = 300

/** The title of a pull request: one line, no secret, of a length that every forge takes. */
export function titleOf(title: string): string {
  return oneLine(title, MOST_TITLE) || 'Work of a session'
}

function oneLine(text: string, most: number): string {
  const line = withoutCredentials(redact(text))
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return line.length <= most ? line : `${line.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
