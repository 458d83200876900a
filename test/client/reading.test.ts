/** isReading() knows by a method's name what is safe to ask twice. */
import { expect, test } from 'vitest'
import { isReading } from '../../src/client/hub-client.ts'
import { METHODS } from '../../src/hub/method-table.ts'

const CHANGES_NOTHING: ReadonlySet<string> = new Set(['see', 'see-home', 'see-scope', 'speak'])

test.each(METHODS.map(({ name, act }) => [name, act] as const))(
  'isReading() is right about %s',
  (name, act) => {
    if (act === 'see' || act === 'see-home') expect(isReading(name)).toBe(true)
    // file.get sends a file to its reader, and changes nothing.
    if (isReading(name) && name !== 'file.get') expect(CHANGES_NOTHING).toContain(act)
  },
)
