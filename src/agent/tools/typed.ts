/**
 * Tool calls that people type in a chat: `!grep -n deadline src`, `!shell npm test -- --grep "a b"`. Invariant 1: what
 * is typed means the same as the same values sent by a model; no shell reads it.
 */
import type { JsonObject } from '../../domain/agent/model-message.ts'
import { fieldKind } from '../../files/values/input-issues.ts'
import { nearest } from '../../files/values/suggest.ts'
import { readArguments, type Tool } from './tool.ts'

type Given = Record<string, string | readonly string[] | boolean>

interface Param {
  readonly name: string
  readonly kind: ReturnType<typeof fieldKind>
  readonly required: boolean
  readonly typed: 'flag' | 'place' | 'rest'
}

/** Flags first, then what has a place, in its order. */
function paramsOf({ input, typed = {} }: Tool): readonly Param[] {
  if ('json' in input) return []
  const placed = [...(typed.places ?? []), ...(typed.rest === undefined ? [] : [typed.rest])]
  const flags = Object.keys(input.shape).filter((name) => !placed.includes(name))
  return [...flags, ...placed].map((name) => ({
    name,
    kind: fieldKind(input.shape[name]),
    required: input.shape[name]?.isOptional() === false,
    typed: flags.includes(name) ? 'flag' : name === typed.rest ? 'rest' : 'place',
  }))
}

function usageOf(tool: Tool): string {
  return [tool.name, ...paramsOf(tool).map(usagePart)].join(' ')
}

function usagePart({ name, kind, required, typed }: Param): string {
  const value = name.toUpperCase()
  const flag = `--${dashed(name)}${kind === 'flag' ? '' : `=${value}`}`
  const part = typed === 'flag' ? flag : typed === 'rest' || kind === 'list' ? `${value}…` : value
  return required ? part : `[${part}]`
}

/** As it is typed. */
function dashed(name: string): string {
  return name.replaceAll('_', '-')
}

/** Reads a line that begins with the tool's name, with or without `!` before it. */
export function parseTyped(
  tool: Tool,
  line: string,
): { readonly args: JsonObject } | { readonly wrong: string } {
  const [, name, rest = ''] = /^\s*!?\s*(\S+)\s*([\s\S]*)$/.exec(line) ?? []
  if (name !== tool.name) {
    return {
      wrong: `Cannot call ${tool.name}: the line begins with "${name ?? ''}"; usage: ${usageOf(tool)}`,
    }
  }
  const words = splitWords(rest)
  if (!Array.isArray(words)) return { wrong: `Cannot call ${tool.name}: ${words}; usage: ${usageOf(tool)}` }
  const given = assign(tool, words, rest)
  return 'wrong' in given ? given : readArguments(tool, given.given)
}

interface Word {
  readonly text: string
  /** Its position in the line. */
  readonly at: number
  /** Written with quotes or a backslash at its beginning: never a flag. */
  readonly isQuoted: boolean
}

/** Words as shells part them: quotes, double quotes with `\`, `\` before any character. A text says what is wrong. */
function splitWords(line: string): Word[] | string {
  const words: Word[] = []
  const token = /\s*((?:[^\s'"\\]+|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*")+)/y
  while (token.lastIndex < line.length) {
    const from = token.lastIndex
    const match = token.exec(line)
    if (match === null) {
      return line.slice(from).trim() === ''
        ? words
        : `the quote in "${line.slice(from).trim()}" is not closed`
    }
    const raw = match[1] ?? ''
    words.push({
      text: unquoted(raw),
      at: token.lastIndex - raw.length,
      isQuoted: /^['"\\]/.test(raw),
    })
  }
  return words
}

const QUOTED = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])/g

function unquoted(raw: string): string {
  return raw.replaceAll(QUOTED, (_: string, ...groups: readonly (string | undefined)[]) => {
    const [single, double, escaped] = groups
    return single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped ?? ''
  })
}

type Assigned = { readonly given: Given } | { readonly wrong: string }

function assign(tool: Tool, words: readonly Word[], line: string): Assigned {
  const given: Given = {}
  const places = paramsOf(tool).filter(({ typed }) => typed !== 'flag')
  let index = 0
  let flags = true
  while (index < words.length) {
    const word = words[index]
    if (word === undefined) break
    if (flags && !word.isQuoted && /^-./.test(word.text)) {
      index += 1
      if (word.text === '--') {
        flags = false
        continue
      }
      const next = words[index]?.text
      const read = readFlag(tool, word.text, next)
      if ('wrong' in read) return read
      for (const [param, value] of read.set) put(given, param, value)
      if (read.took === 'next') index += 1
      continue
    }
    const place = places.find((param) => !Object.hasOwn(given, param.name) || param.kind === 'list')
    if (place === undefined) return { wrong: tooMany(tool, word.text) }
    if (place.typed === 'rest') {
      given[place.name] = line.slice(word.at)
      break
    }
    put(given, place, word.text)
    index += 1
  }
  return { given }
}

function tooMany(tool: Tool, word: string): string {
  return `Cannot call ${tool.name}: unexpected "${word}"; put text with spaces in quotes; usage: ${usageOf(tool)}`
}

type Flag =
  | {
      readonly set: readonly (readonly [Param, string | boolean])[]
      readonly took: 'next' | 'nothing'
    }
  | { readonly wrong: string }

function readFlag(tool: Tool, word: string, next: string | undefined): Flag {
  if (!word.startsWith('--')) return readShort(tool, word.slice(1), next)
  const [, name = '', value] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(word) ?? []
  const param = flagNamed(tool, name)
  if (param !== undefined) return withValue(tool, param, value === undefined ? next : { own: value })
  const negated = name.startsWith('no-') ? flagNamed(tool, name.slice(3)) : undefined
  if (negated?.kind === 'flag' && value === undefined) return { set: [[negated, false]], took: 'nothing' }
  return { wrong: unknownFlag(tool, name) }
}

/** `-n`, `-in`, `-C3`, `-C 3`. */
function readShort(tool: Tool, letters: string, next: string | undefined): Flag {
  const set: (readonly [Param, boolean])[] = []
  for (const [at, letter] of [...letters].entries()) {
    const param = flagNamed(tool, tool.typed?.short?.[letter] ?? '')
    if (param === undefined) return { wrong: unknownFlag(tool, letter) }
    if (param.kind === 'flag') {
      set.push([param, true])
      continue
    }
    const own = [...letters].slice(at + 1).join('')
    const read = withValue(tool, param, own === '' ? next : { own: own.replace(/^=/, '') })
    return 'wrong' in read ? read : { ...read, set: [...set, ...read.set] }
  }
  return { set, took: 'nothing' }
}

/** @param value the word after the flag, or the rest of the same word */
function withValue(tool: Tool, param: Param, value: string | undefined | { readonly own: string }): Flag {
  if (typeof value === 'object') return { set: [[param, value.own]], took: 'nothing' }
  if (param.kind === 'flag') return { set: [[param, true]], took: 'nothing' }
  if (value === undefined) {
    return {
      wrong: `Cannot call ${tool.name}: "--${dashed(param.name)}" needs a value; usage: ${usageOf(tool)}`,
    }
  }
  return { set: [[param, value]], took: 'next' }
}

function put(given: Given, param: Param, value: string | boolean): void {
  const before = given[param.name]
  if (param.kind !== 'list' || typeof value === 'boolean') given[param.name] = value
  else given[param.name] = Array.isArray(before) ? [...before, value] : [value]
}

function flagNamed(tool: Tool, name: string): Param | undefined {
  return paramsOf(tool).find((param) => param.typed === 'flag' && dashed(param.name) === dashed(name))
}

function unknownFlag(tool: Tool, name: string): string {
  const near = nearest(
    name,
    paramsOf(tool).flatMap((param) => (param.typed === 'flag' ? [param.name] : [])),
  )
  const hint = near === null ? '' : ` (did you mean "--${dashed(near)}"?)`
  return `Cannot call ${tool.name}: unknown flag "${name}"${hint}; usage: ${usageOf(tool)}`
}
