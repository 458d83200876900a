/**
 * Commit objects and their messages: subject, body, and the trailers as one last paragraph, which is all that git reads
 * as trailers. Names and values are folded to one line.
 */
import { maskKnown } from '../../../domain/secrets/known-secrets.ts'
import type { CommitRequest, Person } from '../../../ports/git-port.ts'
import type { Repository } from '../git-repository.ts'
import type { WorkTree } from '../locate.ts'
import { writeObject } from '../reading/objects.ts'

export const NEO: Person = { name: 'Neo', email: 'neo@localhost' }

export interface CommitParts {
  readonly tree: string
  readonly parents: readonly string[]
  readonly author: Person
  readonly message: string
}

/** Writes a commit object. */
export function writeCommit(repository: Pick<Repository, 'commonDir'>, parts: CommitParts): string {
  return writeObject(repository, 'commit', commitBytes(parts))
}

/** Writes a commit that is signed as the person's settings ask; gives why it is not written. */
export async function writeSigned(
  repository: Pick<Repository, 'signing'> & WorkTree,
  parts: CommitParts,
): Promise<{ readonly commit: string } | { readonly refused: string }> {
  const bytes = await repository.signing.sign(repository, commitBytes(parts))
  return 'refused' in bytes ? bytes : { commit: writeObject(repository, 'commit', bytes) }
}

/** A commit object, with Neo as committer and the present time. */
export function commitBytes({ tree, parents, author, message }: CommitParts): Buffer {
  const when = `${Math.floor(Date.now() / 1000)} +0000`
  const above = parents.map((parent) => `parent ${parent}\n`).join('')
  const people = `author ${signature(author)} ${when}\ncommitter ${signature(NEO)} ${when}\n`
  return Buffer.from(`tree ${tree}\n${above}${people}\n${message}`)
}

export function messageOf({
  subject,
  body,
  trailers,
}: Pick<CommitRequest, 'subject' | 'trailers'> & { readonly body?: string }): string {
  const paragraphs = [
    // A title or a reply can hold a secret that somebody typed, and history never forgets. Trailers are ids for programs.
    maskKnown(fold(subject)),
    maskKnown(body?.trim() ?? ''),
    trailers.map(([key, value]) => `${key}: ${fold(value)}`).join('\n'),
  ]
  return `${paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')}\n`
}

function fold(text: string): string {
  return text.replace(/\s*[\r\n\0]+\s*/g, ' ').trim()
}

function signature({ name, email }: Person): string {
  return `${clean(name) || 'unknown'} <${clean(email)}>`
}

/** Git allows neither angle brackets nor line breaks in a name. */
function clean(text: string): string {
  return text.replace(/[<>\r\n\0]/g, '').trim()
}
