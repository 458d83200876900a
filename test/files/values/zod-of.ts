/** Shapes as zod: a second opinion on what `check` accepts, and what it takes from the JSON Schema. */
import { z } from 'zod'
import type { Shape } from '../../../src/files/values/shape.ts'
import {
  gapIn,
  type KeysShape,
  mapAround,
  restrains,
  unknownKey,
} from '../../../src/files/values/unknown-key.ts'

/** @param around the map that has this one */
export function zodOf(shape: Shape<unknown>, around?: KeysShape): z.ZodType {
  switch (shape.kind) {
    case 'any':
      return z.unknown()
    case 'text':
      return textOf(shape)
    case 'choice':
      return z.enum(shape.of)
    case 'number':
      return (shape.isInteger ? z.int() : z.number()).min(shape.min).max(shape.max)
    case 'flag':
      return z.boolean()
    case 'list': {
      const items = z.array(zodOf(shape.of).nullable()).min(shape.isFilled === true ? 1 : 0)
      return shape.acceptsSingle ? z.union([items, zodOf(shape.of)]) : items
    }
    case 'map':
      return z.record(z.string(), zodOf(shape.of).nullable())
    case 'keys':
      return keysOf(shape, around)
    case 'either':
      return z.union(shape.of.map((one) => zodOf(one, around)))
  }
}

function keysOf(shape: KeysShape, around: KeysShape | undefined): z.ZodType {
  const keys = Object.entries(shape.keys)
  const loose = z.looseObject(
    Object.fromEntries(keys.map(([key, of]) => [key, zodOf(of, mapAround(key, shape)).nullish()])),
  )
  const isUnknown = (key: string): boolean =>
    !Object.hasOwn(shape.keys, key) && unknownKey(key, shape, { name: key, around })?.severity === 'error'
  const isEmpty = ([key, value]: readonly [string, unknown]) =>
    Object.hasOwn(shape.keys, key) && restrains(key, shape) && gapIn(value) !== null
  return loose
    .refine((value) => !Object.keys(value).some(isUnknown), 'unknown key')
    .refine((value) => !Object.entries(value).some(isEmpty), 'no value')
}

function textOf(shape: Shape<unknown> & { kind: 'text' }): z.ZodType {
  const { accepts, refusesFlags } = shape
  const plain = refusesFlags === true ? [z.string(), z.number()] : [z.string(), z.number(), z.boolean()]
  return accepts === undefined ? z.union(plain) : z.union(plain).refine((value) => accepts(String(value)))
}
