/** Zod schemas from shapes: for JSON Schema, and as the reference that check-value.ts is tested against. */
import { z } from 'zod'
import type { Shape } from './shape.ts'

export function zodOf(shape: Shape<unknown>): z.ZodType {
  const schema = undescribed(shape)
  return shape.description === undefined ? schema : schema.describe(shape.description)
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
      return shape.acceptsSingle ? z.union([items, zodOf(shape.of)]) : items
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
        return [key, of.description === undefined ? value : value.describe(of.description)]
      }),
    ),
  )
  if (harmless === undefined) return loose
  const known = new Set([...Object.keys(keys), ...harmless])
  return loose.refine((value) => Object.keys(value).every((key) => known.has(key)), 'unknown key')
}

function textOf(shape: Shape<unknown> & { kind: 'text' }): z.ZodType {
  const any = z.union([z.string(), z.number(), z.boolean()]).describe(shape.expected)
  const { accepts } = shape
  return accepts === undefined
    ? any
    : any.refine((value) => accepts(String(value)), `expected ${shape.expected}`)
}

function numberOf(shape: Shape<unknown> & { kind: 'number' }): z.ZodType {
  const number = shape.isInteger ? z.int() : z.number()
  return number.min(shape.min).max(shape.max)
}
