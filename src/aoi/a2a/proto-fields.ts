/**
 * Reads ProtoJSON: fields are found by their camelCase name or by the name in the .proto file, null is the same as absent,
 * unknown fields are ignored. Each reader throws A2aError −32602 with the path of what is wrong.
 */
import { isMap } from '../../domain/text/is-map.ts'
import { badField } from './a2a-error.ts'

export class ProtoFields {
  constructor(
    private readonly value: Readonly<Record<string, unknown>>,
    private readonly path: string,
  ) {}

  /** @param path empty for the parameters themselves */
  static of(value: unknown, path: string): ProtoFields {
    if (!isMap(value)) throw badField(path === '' ? 'params' : path, 'must be an object')
    return new ProtoFields(value, path)
  }

  pathOf(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`
  }

  raw(name: string): unknown {
    const own = [name, protoName(name)].find((key) => Object.hasOwn(this.value, key))
    return own === undefined ? undefined : (this.value[own] ?? undefined)
  }

  /** Empty if absent, as in protobuf. */
  text(name: string, most: number): string {
    const value = this.raw(name) ?? ''
    if (typeof value !== 'string') throw badField(this.pathOf(name), 'must be text')
    if (value.length > most) throw badField(this.pathOf(name), `must have at most ${most} characters`)
    return value
  }

  isTrue(name: string): boolean {
    const value = this.raw(name) ?? false
    if (typeof value !== 'boolean') throw badField(this.pathOf(name), 'must be true or false')
    return value
  }

  /** Undefined if absent. */
  whole(name: string, [least, most]: readonly [number, number]): number | undefined {
    const value = this.raw(name)
    if (value === undefined) return undefined
    if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
      throw badField(this.pathOf(name), `must be a whole number from ${least} to ${most}`)
    return value
  }

  list(name: string, most: number): readonly unknown[] {
    const value = this.raw(name) ?? []
    if (!Array.isArray(value)) throw badField(this.pathOf(name), 'must be a list')
    if (value.length > most) throw badField(this.pathOf(name), `must have at most ${most} entries`)
    return value
  }

  /** Null if absent. */
  object(name: string): ProtoFields | null {
    const value = this.raw(name)
    return value === undefined ? null : ProtoFields.of(value, this.pathOf(name))
  }
}

function protoName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
