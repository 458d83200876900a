/**
 * How the built program is called in measurements.
 */
import { type Resident, startResident } from './resident.ts'

export const NEO = 'dist/main.js'

/** A daemon on a home, once it says that it is ready. Settling is off: a saved file counts at once. */
export function watchHome(home: string): Promise<Resident> {
  const argv = ['node', NEO, 'watch', '--home', home, '--json'] as const
  return startResident([...argv], /"kind":"ready"/, { NEO_DAEMON__SETTLE: '0s' })
}
