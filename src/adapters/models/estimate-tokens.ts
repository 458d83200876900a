/** Tokens counted from the length of texts, for servers that tell nothing. */
import type { Usage } from '../../domain/agent/model-message.ts'

/** Four bytes a token: close for English and code, a little low for other scripts, whose signs have more bytes. */
const BYTES_PER_TOKEN = 4

export function estimatedTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}

export function estimatedUsage(input: string, output: string): Usage {
  return {
    input: estimatedTokens(input),
    cacheRead: 0,
    cacheWrite: 0,
    output: estimatedTokens(output),
    source: 'estimated',
  }
}
