/** An error that lists tasks of several rooms tells a caller only of those that they see. */
import type { Principal } from '../../domain/policy/policy-acts.ts'
import type { HubEnv } from '../env.ts'
import { HubError } from '../hub.ts'
import { membersOf } from '../rights/member-rules.ts'
import { sees } from './find-in-home.ts'

/** The result of `find`. Throws what it throws, without what the caller doesn't see. */
export async function withoutHidden<T>(
  env: HubEnv,
  principal: Principal,
  find: () => T | Promise<T>,
): Promise<T> {
  try {
    return await find()
  } catch (error) {
    throw error instanceof HubError ? shownTo(env, principal, error) : error
  }
}

function shownTo(env: HubEnv, principal: Principal, error: HubError): HubError {
  const { paths, ids } = (error.data ?? {}) as { readonly paths?: readonly string[]; readonly ids?: unknown }
  if (principal.kind === 'human' || (paths === undefined && ids === undefined)) return error
  const members = membersOf(env)
  const seen = paths?.filter((path) => sees(principal, path.split('/')[1] ?? '', members)) ?? []
  if (paths !== undefined && seen.length === paths.length) return error
  return new HubError(error.code, 'Cannot tell which task this is: use its id', { paths: seen })
}
