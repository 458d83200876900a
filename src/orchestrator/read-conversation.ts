/**
 * The kept state of a conversation, read back. Invariant 1: what is given has the shape that it says, all the way down.
 */
import type { Message } from '../domain/agent/model-message.ts'
import type { Conversation, Handled, Item, OpenTurn } from './orchestrator-conversation.ts'

type Loose = Readonly<Record<string, unknown>>

export function savedConversation(value: unknown, room: string): Conversation | null {
  if (!isObject(value) || value['v'] !== 1 || value['room'] !== room) return null
  const isWhole =
    isTextOrNull(value['file']) &&
    isTextOrNull(value['last']) &&
    typeof value['summary'] === 'string' &&
    isTextOrNull(value['compactedAt']) &&
    isListOf(value['items'], isItem) &&
    (value['open'] === null || isOpen(value['open'])) &&
    isListOf(value['handled'], isHandled) &&
    isListOf(value['wakes'], (one): one is number => typeof one === 'number')
  return isWhole ? (value as unknown as Conversation) : null
}

function isObject(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isListOf<T>(value: unknown, is: (one: unknown) => one is T): value is readonly T[] {
  return Array.isArray(value) && value.every(is)
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string'
}

function hasTexts(value: unknown, ...keys: readonly string[]): value is Loose {
  return isObject(value) && keys.every((key) => typeof value[key] === 'string')
}

function isItem(value: unknown): value is Item {
  return hasTexts(value, 'id', 'at', 'turn') && isMessage(value['message'])
}

function isMessage(value: unknown): value is Message {
  if (!isObject(value) || (value['role'] !== 'user' && value['role'] !== 'assistant')) return false
  const kinds = value['role'] === 'user' ? ['result', 'text', 'image'] : ['call', 'text']
  return isListOf(
    value['parts'],
    (part): part is Loose => isPart(part) && kinds.includes(String(part['kind'])),
  )
}

function isPart(value: unknown): value is Loose {
  if (!isObject(value)) return false
  switch (value['kind']) {
    case 'text':
      return hasTexts(value, 'text')
    case 'image':
      return hasTexts(value, 'type', 'path')
    case 'call':
      return hasTexts(value, 'id', 'name') && isObject(value['input'])
    case 'result':
      return hasTexts(value, 'call', 'name', 'text') && typeof value['isError'] === 'boolean'
    default:
      return false
  }
}

function isOpen(value: unknown): value is OpenTurn {
  if (!hasTexts(value, 'id', 'asked')) return false
  const { keys, modelCalls, actions, begun } = value
  const counts = typeof modelCalls === 'number' && typeof actions === 'number'
  return counts && isListOf(keys, isText) && isObject(begun) && Object.values(begun).every(isText)
}

function isHandled(value: unknown): value is Handled {
  return hasTexts(value, 'key', 'reply')
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
