/** What neo.yaml says of Telegram. */
import { expect, test } from 'vitest'
import { readMember } from '../../../src/files/kinds/read-member.ts'
import { readSettings } from '../../../src/channels/telegram/telegram-settings.ts'

test.each([[123], ['123'], [' 123 '], ['123\n'], ['telegram:123'], [' telegram: 123']])(
  'allow_from takes %j for the account 123',
  (entry) => {
    const rest = { channels: { telegram: { enabled: true, token: '1:abcdefgh', allow_from: [entry] } } }
    expect(readSettings({ rest }, {})).toMatchObject({ kind: 'on', settings: { allowFrom: ['123'] } })
  },
)

test.each(['123', ' 123 ', 'telegram:123'])(
  'a member whose file names the account "%s" has the account 123',
  (account) => {
    const read = readMember('kim.md', `---\nchannels: { telegram: "${account}" }\n---\n`)
    expect(read).toMatchObject({ kind: 'ok', value: { channels: { telegram: '123' } } })
  },
)
