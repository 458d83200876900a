/**
 * What one method of the hub is: its name, its checked parameters, who may call it on what, and what it does.
 */
import type { z } from 'zod'
import type { Principal } from '../domain/policy/policy-acts.ts'
import { speakersOf } from '../domain/policy/scope-types.ts'
import type { Actor, Method } from './env.ts'

/** A row of the table, with its types kept. */
export function method<const N extends string, P extends z.ZodType, R extends z.ZodType>(
  row: Method<N, P, R>,
): Method<N, P, R> {
  return row
}

/** True if a person stands behind the call: their own, or by their approval. */
export function isByPerson({ principal, approvedBy }: Actor): boolean {
  return approvedBy !== null || principal.kind === 'human' || principal.kind === 'member'
}

/** As `neo.created_by` and messages name the caller. */
export function nameOf(principal: Principal): string {
  switch (principal.kind) {
    case 'human':
    case 'neo':
    case 'editor':
      return principal.kind
    case 'member':
    case 'session':
    case 'peer':
      return `${principal.kind}:${principal.id}`
  }
}

/** As asks and messages name the caller: a room's Neo with his room. */
export function whoOf(principal: Principal): string {
  return principal.kind === 'neo' ? `neo:${principal.room}` : nameOf(principal)
}

/** As the audit log names the caller: Neo with whom he answers in which scope, which no file in git tells. */
export function auditedAs(principal: Principal): string {
  const within = principal.kind === 'neo' ? principal.within : undefined
  const who = whoOf(principal)
  if (within === undefined) return who
  const where = within.scope === null ? '' : ` in ${within.scope}`
  return `${who} for ${speakersOf(within).join(', ')}${where}`
}
