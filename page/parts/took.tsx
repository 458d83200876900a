/** How long something took, or takes by now. Files know whole seconds. */
import { Elapsed } from './time.tsx'

interface TookProps {
  readonly from: string
  /** Null while it goes on. */
  readonly to: string | null
}

export function Took({ from, to }: TookProps) {
  if (to !== null && Date.parse(to) - Date.parse(from) < 1_000) return <span class="num">{'< 1 s'}</span>
  return <Elapsed from={from} to={to} />
}
