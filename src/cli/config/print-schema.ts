/** `neo config schema`: JSON Schema of the files' headers, for editors. */
import { NeoError } from '../../domain/home/error.ts'
import { jsonSchema, SCHEMA_KINDS, type SchemaKind } from '../../files/values/schemas.ts'
import { type Call, firstOf } from '../spec.ts'

export function schema(call: Call): number {
  const kind = firstOf(call)
  if (kind !== '' && !isKind(kind))
    throw new NeoError('usage', `Unknown kind "${kind}": use one of ${SCHEMA_KINDS.join(', ')}`, {
      next: 'neo config schema task',
    })
  const value =
    kind === ''
      ? Object.fromEntries(SCHEMA_KINDS.map((one) => [one, jsonSchema(one)]))
      : jsonSchema(kind as SchemaKind)
  call.out.data('config.schema', value)
  if (call.out.mode === 'text') call.out.block(JSON.stringify(value, null, 2))
  return 0
}

function isKind(kind: string): kind is SchemaKind {
  return (SCHEMA_KINDS as readonly string[]).includes(kind)
}
