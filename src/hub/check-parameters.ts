import type { z } from 'zod'
import { inputIssues } from '../files/values/input-issues.ts'
import { HUB_CODES, HubError } from './hub.ts'

/** Throws HubError `params` with all issues. `of`: the method or tool, as the caller knows it. */
export function checkParameters<S extends z.ZodType>(of: string, schema: S, params: unknown): z.output<S> {
  const read = schema.safeParse(params)
  if (read.success) return read.data
  const issues = inputIssues(schema, params, read.error)
  const said = issues.map(({ message }) => message).join('; ')
  throw new HubError(HUB_CODES.params, `Invalid parameters for ${of}: ${said}`, { issues })
}
