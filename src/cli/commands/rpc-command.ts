/**
 * `neo rpc`: any method of the hub; without a name, the list of methods. Invariant 1: the printed JSON has no control
 * characters for a terminal.
 */

import { mapIn } from '../../domain/text/is-map.ts'
import { failureOf } from '../../client/hub-client.ts'
import { NeoError } from '../../domain/home/error.ts'
import { nearest } from '../../files/values/suggest.ts'
import { HUB_CODES, HubError } from '../../hub/hub.ts'
import { METHODS, TABLE } from '../../hub/method-table.ts'
import { usage } from '../cli-failure.ts'
import { textOrStdin } from '../option-values.ts'
import { jsonText } from '../output.ts'
import type { Call } from '../spec.ts'
import { withHub } from '../with-hub.ts'

export async function rpc(call: Call): Promise<number> {
  const [name, given] = call.args
  if (call.isSet('stdio')) return (await import('./rpc-stdio.ts')).rpcStdio(call)
  if (name === undefined) return list(call)
  if (!TABLE.has(name)) throw unknown(name)
  const params = parametersOf(await textOrStdin(call, given ?? '{}'))
  return await withHub(call, async (hub) => {
    try {
      const result = await hub.callAny(name, params)
      if (call.out.mode === 'json') call.out.data('rpc', result)
      else call.out.block(jsonText(result, 2))
      return 0
    } catch (error) {
      throw error instanceof HubError ? failed(call, name, error) : error
    }
  })
}

function list(call: Call): number {
  const rows = METHODS.map(({ name, summary }) => ({ name, says: summary }))
  call.out.data('rpc.methods', rows)
  call.out.table(
    rows.map(({ name, says }) => [{ text: name, style: 'cyan' }, says]),
    1,
  )
  return 0
}

/** Prints the JSON-RPC error for programs. */
function failed({ out }: Call, name: string, error: HubError): NeoError {
  const { code, message, data } = error
  out.data('rpc.error', { code, message, data: data ?? null })
  const more = data === undefined ? '' : ` ${jsonText(data, 0)}`
  return failureOf(error, {
    why: `JSON-RPC error ${code}${more}`,
    next: code === HUB_CODES.missing ? whatThereIs(name) : (NEXT[code] ?? `docs/api.md: ${name}`),
  })
}

const NEXT: Readonly<Partial<Record<HubError['code'], string>>> = {
  [HUB_CODES.busy]: 'neo status',
}

function whatThereIs(name: string): string {
  const list = `${name.split('.')[0]}.list`
  const named = TABLE.has(list) ? list : 'room.list, task.list or session.list'
  return `neo rpc ${named} shows what there is`
}

function unknown(name: string): NeoError {
  const near = nearest(name, [...TABLE.keys()])
  return new NeoError('usage', `Cannot call "${name}": unknown method (${HUB_CODES.method})`, {
    ...(near === null ? {} : { why: `did you mean ${near}?` }),
    next: 'neo rpc lists them',
  })
}

function parametersOf(text: string): unknown {
  const value = mapIn(text)
  if (value !== null) return value
  throw usage(
    `Cannot read the parameters: not a JSON object (${HUB_CODES.parse})`,
    `neo rpc task.list '{"roomId": "shop"}'`,
  )
}
