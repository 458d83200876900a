/** What is masked of what people say, and what is not: `code` and `token` have harmless meanings too. */
import { expect, test } from 'vitest'
import { maskSecrets } from '../../../src/domain/secrets/distill-secrets.ts'

test.each([
  ['my PIN is 4711', 'my PIN is ***'],
  ['password: hunter2', 'password: ***'],
  ['the access token is abc123def', 'the access token is ***'],
  ['my door code is 1234', 'my door code is ***'],
  ['the code for the door is 8812', 'the code for the door is ***'],
  ['token = "abc"', 'token = ***'],
  ['my card number is 4111 1111 1111 1111', 'my card number is ***'],
  ['my wifi password is blue horse battery', 'my wifi password is ***'],
  ['パスワードは hunter2 です', 'パスワードは *** です'],
])('%s becomes %s', (said, kept) => {
  expect(maskSecrets(said).text).toBe(kept)
  expect(maskSecrets(kept)).toEqual({ text: kept, keys: [] })
})

test.each([
  'the code is broken in src/a.ts',
  'the error code is 404',
  'exit code: 127',
  'my token is invalid',
  'rename card to tile',
  'the secret is to keep it simple',
  'the password is stored in the vault',
])('%s stays as it is', (said) => {
  expect(maskSecrets(said)).toEqual({ text: said, keys: [] })
})
