/** Queries of this home whose answers come later. Invariant 1: an answer counts only if its agent was asked, and once. */
import { join } from 'node:path'
import type { AnswerView } from '../../hub/peer-control.ts'
import { openQueue } from '../../store/durable-queue.ts'
import type { Notice } from '../aoi-rpc.ts'
import { answerIn } from './wire-answers.ts'

interface OwnQuery {
  readonly agentId: string
  readonly requestId: string
  readonly query: string
  /** Epoch ms. */
  readonly at: number
}

export interface OwnQueries {
  put(query: OwnQuery): void
  done(agentId: string, requestId: string): void
  /** Null if nobody waits for it. */
  answered(agentId: string, notice: Notice): (Pick<AnswerView, 'summary'> & { readonly query: string }) | null
}

const MOST = 1_000

export function openOwnQueries(files: Parameters<typeof openQueue>[0], dir: string): OwnQueries {
  const queue = openQueue<OwnQuery>(files, join(dir, 'agent', 'queries.jsonl'))
  const keyOf = (agentId: string, requestId: string) => `${agentId}:${requestId}`
  return {
    put(query) {
      const [oldest] = queue.waiting()
      if (oldest !== undefined && queue.waiting().length >= MOST) queue.done(oldest.key)
      queue.put(keyOf(query.agentId, query.requestId), query)
    },
    done: (agentId, requestId) => queue.done(keyOf(agentId, requestId)),
    answered(agentId, { event, relatedQueryId, data }) {
      const found = event === 'query.completed' ? queue.get(keyOf(agentId, relatedQueryId ?? '')) : null
      if (found === null) return null
      queue.done(found.key)
      const { query } = found.item
      const answer = answerIn(data, found.item.requestId)
      return { query, summary: answer === null ? 'it refused to answer' : answer.summary }
    },
  }
}
