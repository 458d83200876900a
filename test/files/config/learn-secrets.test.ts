/** Secrets of neo.yaml and of files of settings are learned by value, so that they are masked in every text. */
import { afterEach, expect, test } from 'vitest'
import { forgetSecrets, maskKnown } from '../../../src/domain/secrets/known-secrets.ts'
import {
  learnConfig,
  learnEnvText,
  learnSettingsText,
  showConfig,
} from '../../../src/files/config/config-secrets.ts'
import { readConfig } from '../../../src/files/config/read-config.ts'
import { cpuMs } from '../../wait.ts'

const VALUE = 'Zq4-hidden-93'

afterEach(forgetSecrets)

function isMasked(learn: (text: string) => void, text: string): boolean {
  learn(text)
  const masked = !maskKnown(`it says ${VALUE}`).includes(VALUE)
  forgetSecrets()
  return masked
}

function learnYaml(text: string): void {
  const read = readConfig('neo.yaml', text, {})
  if (read.kind !== 'ok') throw new Error(JSON.stringify(read))
  learnConfig(read.value)
}

test.each([
  `providers: { x: { api: openai, headers: { X-Custom: ${VALUE} } } }`,
  `providers: { x: { api: openai, headers: { Authorization: Bearer ${VALUE} } } }`,
  `providers: { x: { api: openai, headers: { X-Custom: Token ${VALUE} } } }`,
  `providers: { x: { api: openai, api_key: ${VALUE} } }`,
  `providers: { x: { api: openai, flags: { session_token: ${VALUE} } } }`,
  `http: { token: ${VALUE} }`,
  `channels: { telegram: { token: ${VALUE} } }`,
  `channels: { telegram: { proxy: "http://u:${VALUE}@127.0.0.1:1" } }`,
  `providers: { x: { api: openai, base_url: "https://u:${VALUE}@host/v1" } }`,
])('learnConfig() learns the value in %s, and showConfig() masks it', (text) => {
  expect(isMasked(learnYaml, text)).toBe(true)
  const read = readConfig('neo.yaml', text, {})
  expect(read.kind === 'ok' && JSON.stringify(showConfig(read.value)).includes(VALUE)).toBe(false)
})

test.each([
  `providers: { x: { api: openai, base_url: "http://${VALUE}" } }`,
  `workers: { x: { command: [a], env: [${VALUE}] } }`,
  `agent: { id: a }\nx: { public_key: ${VALUE} }`,
  `daemon: { branch: ${VALUE} }`,
])('learnConfig() learns nothing of %s', (text) => {
  expect(isMasked(learnYaml, text)).toBe(false)
})

test('redact.plain keeps a value readable', () => {
  learnYaml('redact: { plain: [PROJECT] }')
  learnEnvText(`PROJECT=${VALUE}\n`)
  expect(maskKnown(VALUE)).toBe(VALUE)
})

test.each([
  `API_KEY=${VALUE}`,
  `export API_KEY="${VALUE}" # why`,
  `  API_KEY = '${VALUE}'`,
  `A=1\r\nAPI_KEY=${VALUE}\r\n`,
  `A='1\nAPI_KEY=${VALUE}`,
])('learnEnvText() learns the value in %j', (text) => {
  expect(isMasked(learnEnvText, text)).toBe(true)
})

test('learnEnvText() learns a quoted value on several lines, and a block of a key', () => {
  learnEnvText(
    'PEM="-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END PRIVATE KEY-----"\n',
  )
  expect(maskKnown('MIIEvQIBADANBg\nkqhkiG9w0BAQEF')).not.toContain('kqhkiG9w0BAQEF')
})

test.each([
  `api_key: ${VALUE}`,
  `  "apiKey": "${VALUE}",`,
  `{ "password": "${VALUE}" }`,
  `,'token': '${VALUE}'`,
  `\n\n\n  token: ${VALUE}\n}`,
])('learnSettingsText() learns the value in %j', (text) => {
  expect(isMasked(learnSettingsText, text)).toBe(true)
})

test.each([
  ['blank lines', '\n'.repeat(200_000)],
  ['a quote that is not closed', `A="${'x\n'.repeat(100_000)}`],
  ['many quotes that are not closed', 'A="x\n'.repeat(50_001)],
  ['a value that is blank', `A=${' '.repeat(200_000)}x`],
  ['open brackets', '{,'.repeat(100_000)],
])('learnSettingsText() stays linear over %s', (_, text) => {
  expect(cpuMs(() => learnSettingsText(text))).toBeLessThan(8_000)
})
