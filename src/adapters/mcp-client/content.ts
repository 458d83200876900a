/**
 * Results of tools of other servers as text, for a model that reads text. Pure. Invariant 1: it never throws, whatever a
 * server sends; what is no text is named with its type and size.
 */

/** As the protocol has it; every field may be missing in what a server really sends. */
export interface ToolAnswer {
  readonly content?: unknown
  readonly structuredContent?: unknown
}

export function textOf({ content, structuredContent }: ToolAnswer): string {
  const blocks = Array.isArray(content) ? content.map(blockText).filter((text) => text !== '') : []
  if (blocks.length > 0) return blocks.join('\n')
  return structuredContent === undefined ? '' : JSON.stringify(structuredContent, null, 2)
}

function blockText(block: unknown): string {
  if (!isObject(block)) return ''
  switch (block['type']) {
    case 'text':
      return String(block['text'] ?? '')
    case 'resource':
      return resourceText(block['resource'])
    case 'resource_link':
      return `[${String(block['name'] ?? 'resource')}: ${String(block['uri'] ?? '')}]`
    case 'image':
    case 'audio':
      return `[${block['type']}, ${String(block['mimeType'] ?? 'of no type')}, ${bytesOf(block['data'])} bytes]`
    default:
      return ''
  }
}

function resourceText(resource: unknown): string {
  if (!isObject(resource)) return ''
  if (typeof resource['text'] === 'string') return resource['text']
  return `[${String(resource['uri'] ?? 'resource')}, ${String(resource['mimeType'] ?? 'of no type')}, ${bytesOf(resource['blob'])} bytes]`
}

/** Of base64. */
function bytesOf(data: unknown): number {
  return typeof data === 'string' ? Math.floor((data.replace(/=+$/, '').length * 3) / 4) : 0
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
