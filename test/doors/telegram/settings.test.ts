/** What neo.yaml says of Telegram. */
import { expect, test } from 'vitest'
import { readSettings } from '../../../src/doors/telegram/settings.ts'

test.each([[123], ['123'], [' 123 '], ['123\n']])('allow_from takes %j for the account 123', (entry) => {
  const rest = { channels: { telegram: { enabled: true, token: '1:abcdefgh', allow_from: [entry] } } }
  expect(readSettings({ rest }, {})).toMatchObject({ kind: 'on', settings: { allowFrom: ['123'] } })
})
