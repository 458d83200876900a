/** `neo agent query, exec`: asks an agent of another home, and hands it a task. What it says is data for people. */
import type { ParamsOf, ResultOf } from '../../hub/method-table.ts'
import { usage } from '../cli-failure.ts'
import { durationOption, paramsOf, textOrStdin } from '../option-values.ts'
import { dim } from '../output.ts'
import type { Call } from '../spec.ts'
import { withHub } from '../with-hub.ts'
import { contextsOf } from './context-words.ts'

/** As the hub has it. */
const MOST_S = 300

export function queryAgent(call: Call): Promise<number> {
  const [agentId = '', typed = ''] = call.args
  return withHub(call, async (hub) => {
    const example = `neo agent query ${agentId} 'How far is it?' --context repository:acme/webapp`
    const contextScope = contextsOf(call, example)
    const timeout = timeoutOf(call)
    const query = await textOrStdin(call, typed)
    const more = {
      ...paramsOf<ParamsOf<'agent.query'>>(call),
      ...(call.isSet('async') ? { async: true } : {}),
      ...(timeout === null ? {} : { timeout }),
    }
    const answer = await hub.call('agent.query', { agentId, query, contextScope, ...more }, 'neo agent list')
    call.out.data('agent.query', answer)
    showAnswer(call, answer)
    return 0
  })
}

/** Seconds. */
function timeoutOf(call: Call): number | null {
  const ms = durationOption(call, 'timeout')
  if (ms === null || (ms >= 1000 && ms <= MOST_S * 1000)) return ms === null ? null : ms / 1000
  throw usage(`Invalid value "${call.text('timeout')}" for --timeout: use 1s to ${MOST_S}s`, '--timeout 30s')
}

function showAnswer({ out }: Call, answer: ResultOf<'agent.query'>): void {
  const { completed, summary, progress, blockers = [], contextRefs } = answer
  if (summary !== '') out.block(summary)
  if (progress !== undefined) out.line(`Progress: ${progress}%`)
  for (const blocker of blockers) out.line({ text: 'Blocked:', style: 'yellow' }, blocker)
  out.table(
    contextRefs.map(({ type, ref, summary: about = '' }) => [dim(type), ref, about]),
    2,
  )
  if (!completed) out.note('The answer comes later, as a notice.')
}

/** Exit code 1 if the task has failed. */
export function executeTask(call: Call): Promise<number> {
  const [agentId = '', taskType = ''] = call.args
  return withHub(call, async (hub) => {
    const example = `neo agent exec ${agentId} ${taskType} --context repository:acme/webapp`
    const contextScope = contextsOf(call, example)
    const taskParams = Object.fromEntries(call.all('param').map(paramOf))
    const more = {
      ...paramsOf<ParamsOf<'agent.execute'>>(call),
      ...(call.isSet('wait') ? { async: false } : {}),
    }
    const params = { agentId, taskType, taskParams, contextScope, ...more }
    const task = await hub.call('agent.execute', params, 'neo agent list')
    call.out.data('agent.execute', task)
    call.out.line(task.taskId, task.state)
    if (task.output !== undefined) call.out.block(task.output)
    if (task.error !== undefined) call.out.note({ text: task.error, style: 'red' })
    if (task.status === 'pending')
      call.out.note(dim(`Its state later: the same command with --request-id ${task.requestId}`))
    return task.status === 'failed' ? 1 : 0
  })
}

function paramOf(typed: string): readonly [string, string] {
  const at = typed.indexOf('=')
  if (at > 0) return [typed.slice(0, at), typed.slice(at + 1)]
  throw usage(`Invalid value "${typed}" for --param: use name=value`, '--param branch=main')
}
