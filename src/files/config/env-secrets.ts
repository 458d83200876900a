/**
 * The secrets in a `.env` file, and in other files of settings that a session is given (JSON, YAML, keys).
 */
import { learnSecret, learnSecrets } from '../../domain/secrets/known-secrets.ts'
import { parseEnvFile } from './config-env.ts'

/** A value in quotes that goes over several lines. */
const MULTILINE = /^(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(?:"([^"]*\n[^"]*)"|'([^']*\n[^']*)')/gm
const KEY_BLOCK = /-----BEGIN [A-Z ]{1,40}-----([^-]+)-----END/g
/** `"name": "value"`, `name: value`. */
const PAIR = /^[\s,{]*["']?([A-Za-z_][\w.-]*)["']?\s*:\s+["']?([^"'\n]{4,4096}?)["']?,?\s*\}?$/gm

export function learnEnvText(text: string): void {
  learnSecrets(parseEnvFile(text))
  for (const [, name = '', double, single] of text.matchAll(MULTILINE))
    learnSecrets({ [name]: double ?? single ?? '' })
  for (const [, block = ''] of text.matchAll(KEY_BLOCK)) learnSecret(block)
}

/** Of a file in any form. */
export function learnSettingsText(text: string): void {
  learnEnvText(text)
  for (const [, name = '', value = ''] of text.matchAll(PAIR)) learnSecrets({ [name]: value })
}
