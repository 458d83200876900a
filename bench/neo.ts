/**
 * How the built program is called in measurements.
 */
import { type Resident, startResident } from './resident.ts'

export const NEO = 'dist/main.js'

/** A daemon on a home, once it says that it is ready. Settling is off: a saved file counts at once. */
export function watchHome(home: string): Promise<Resident> {
  return startResident(['node', NEO, 'watch', '--home', home], /\bready\b|\bwatching\b/i, {
    NEO_DAEMON__SETTLE: '0s',
  })
}
