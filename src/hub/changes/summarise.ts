/**
 * Having a conversation summarised by a model when somebody asks for it, where the home wants that. Invariant 1: while
 * the model is asked, others have the line.
 */
import { distillByModel, isByModel, type ModelReport, type Talk } from '../../memory/distill/by-model.ts'
import type { HubEnv } from '../env.ts'

export async function summarise(env: HubEnv, talk: Talk): Promise<ModelReport> {
  const { context } = env
  if (!isByModel(context)) return { kind: 'nothing', messages: 0, facts: 0, why: '' }
  const { signal } = new AbortController()
  const rest = { line: <T>(work: () => Promise<T>) => work(), aside: env.aside.bind(env) }
  return distillByModel({ context, talk, how: 'all', signal, ...rest })
}
