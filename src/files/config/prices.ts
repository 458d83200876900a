/**
 * Known prices of models with their date, in USD per million tokens. `prices:` in neo.yaml wins over these. Invariant
 * 1: a model without a certain price is not listed; its cost is `unknown`.
 */

import type { PriceTable, PriceTier } from '../../domain/budget/price.ts'
import type { Price } from '../../domain/home/home-config.ts'

/** Input, output, cache read, cache write (five minutes). */
type Row = readonly [input: number, output: number, cacheRead: number, cacheWrite: number]

const OPUS: Row = [5, 25, 0.5, 6.25]

export const PRICES: PriceTable = {
  date: '2026-11-28',
  models: {
    'anthropic/claude-fable-5-2': always([8, 40, 0.2, 10]),
    'anthropic/claude-fable-5-1': always([10, 50, 0.25, 12.5]),
    'anthropic/claude-opus-5-5': always([4, 20, 0.2, 5]),
    'anthropic/claude-opus-5': always(OPUS),
    'anthropic/claude-opus-4-8': always(OPUS),
    'anthropic/claude-opus-4-7': always(OPUS),
    'anthropic/claude-opus-4-6': always(OPUS),
    'anthropic/claude-opus-4-5': always(OPUS),
    'anthropic/claude-opus-4-5-20251101': always(OPUS),
    // Sources give 0.10 and 0.20 for its cache reads; this is the higher one.
    'anthropic/claude-sonnet-5-5': always([2, 10, 0.2, 2.5]),
    'anthropic/claude-sonnet-5': always([2, 10, 0.2, 2.5]),
    'anthropic/claude-sonnet-4-6': always([3, 15, 0.3, 3.75]),
    'anthropic/claude-haiku-5-5': [
      { upTo: 100_000, price: priceOfRow([0.1, 0.5, 0.01, 0.125]) },
      { upTo: null, price: priceOfRow([0.5, 2.5, 0.05, 0.625]) },
    ],
    'anthropic/claude-haiku-4-5': always([1, 5, 0.1, 1.25]),
    'anthropic/claude-haiku-4-5-20251001': always([1, 5, 0.1, 1.25]),
  },
}

function always(row: Row): readonly PriceTier[] {
  return [{ upTo: null, price: priceOfRow(row) }]
}

function priceOfRow([input, output, cacheRead, cacheWrite]: Row): Price {
  return { input, output, cacheRead, cacheWrite }
}
