/** What model calls have cost, in a line; nothing if there were none. */
import type { Cost } from '../store/types.ts'
import { number, usd } from './text.ts'

export function CostText({ cost }: { readonly cost: Cost }) {
  if (cost === null) return null
  return (
    <span class="soft num" title={cost.usd === null ? 'The price of a model is not known.' : undefined}>
      {priceOf(cost)}, {number(cost.tokens)} tokens
    </span>
  )
}

/** `$0.42`; `at least $0.42` if a part has no known price. */
export function priceOf({ usd: whole, knownUsd }: NonNullable<Cost>): string {
  if (whole !== null) return usd(whole)
  return knownUsd === 0 ? 'cost unknown' : `at least ${usd(knownUsd)}`
}

/** `$0.08`; `≥ $0.08` if a price is not known. Nothing if none is. */
export function ShortPrice({ cost }: { readonly cost: NonNullable<Cost> }) {
  if (cost.usd === null && cost.knownUsd === 0) return null
  return (
    <span class="num" title={priceOf(cost)}>
      {cost.usd === null ? `≥ ${usd(cost.knownUsd)}` : usd(cost.usd)}
    </span>
  )
}
