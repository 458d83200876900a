/**
 * A zod schema from a shape: for JSON Schema, for the protocol's doors, and as the judge that check.ts is tested by.
 */
import { z } from 'zod'
import type { Shape } from './shape.ts'

export function zodOf(shape: Shape<unknown>): z.ZodType {
  const schema = undescribed(shape)
  return shape.says === undefined ? schema : schema.describe(shape.says)
}

function undescribed(shape: Shape<unknown>): z.ZodType {
  switch (shape.kind) {
    case 'any':
      return z.unknown()
    case 'text':
      return textOf(shape)
    case 'choice':
      return z.enum(shape.of)
    case 'number':
      return numberOf(shape)
    case 'flag':
      return z.boolean()
    case 'list': {
      const items = z.array(zodOf(shape.of).nullable())
      return shape.one === 'yes' ? z.union([items, zodOf(shape.of)]) : items
    }
    case 'map':
      return z.record(z.string(), zodOf(shape.of).nullable())
    case 'keys':
      return keysOf(shape)
    case 'either':
      return z.union(shape.of.map(zodOf))
  }
}

function keysOf({ keys, harmless }: Shape<unknown> & { kind: 'keys' }): z.ZodType {
  const loose = z.looseObject(
    Object.fromEntries(
      Object.entries(keys).map(([key, of]) => {
        const value = zodOf(of).nullish()
        return [key, of.says === undefined ? value : value.describe(of.says)]
      }),
    ),
  )
  if (harmless === undefined) return loose
  const known = new Set([...Object.keys(keys), ...harmless])
  return loose.refine((value) => Object.keys(value).every((key) => known.has(key)), 'want known keys alone')
}

function textOf(shape: Shape<unknown> & { kind: 'text' }): z.ZodType {
  const any = z.union([z.string(), z.number(), z.boolean()]).describe(shape.want)
  const { accepts } = shape
  return accepts === undefined ? any : any.refine((value) => accepts(String(value)), `want ${shape.want}`)
}

function numberOf(shape: Shape<unknown> & { kind: 'number' }): z.ZodType {
  const number = shape.whole === 'yes' ? z.int() : z.number()
  return number.min(shape.min).max(shape.max)
}
