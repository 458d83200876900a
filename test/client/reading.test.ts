/** isReading() knows by a method's name what is safe to ask twice. */
import { expect, test } from 'vitest'
import { isReading } from '../../src/client/hub-client.ts'
import { METHODS } from '../../src/hub/method-table.ts'

const CHANGES_NOTHING: ReadonlySet<string> = new Set(['see', 'see-home', 'see-scope', 'speak', 'peer-hello'])

/** They send or check a file, which takes more than the right to see, and change nothing. */
const BY_OTHER_RIGHTS: ReadonlySet<string> = new Set([
  'file.get',
  'source.get',
  'source.check',
  'source.preview',
])

test.each(METHODS.map(({ name, act }) => [name, act] as const))(
  'isReading() is right about %s',
  (name, act) => {
    if (act === 'see' || act === 'see-home') expect(isReading(name)).toBe(true)
    if (isReading(name) && !BY_OTHER_RIGHTS.has(name)) expect(CHANGES_NOTHING).toContain(act)
  },
)
