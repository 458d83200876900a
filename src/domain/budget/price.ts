/**
 * What a model call costs, and an estimate of its usage before it is made. Invariant 1: an unknown price is null,
 * never zero. Invariant 2: if two prices could apply, the higher one does: a budget errs on the safe side. Invariant
 * 3: a cost is a whole number of billionths of a dollar, so that sums do not depend on their order. Invariant 4: no
 * call counts as nothing: the estimate stays if a kill or a broken connection keeps the server from reporting.
 */
import { tokensOfMessages, tokensOfText } from '../agent/compact.ts'
import type { Message, ToolSpec, Usage } from '../agent/model-message.ts'
import type { ModelErrorKind } from '../agent/model-retry.ts'
import type { HomeConfig, Price } from '../home/home-config.ts'

/** A price for calls up to this many tokens of whole input; null: any number. */
export interface PriceTier {
  readonly upTo: number | null
  readonly price: Price
}

/** Known prices, and the day on which they were looked up. */
export interface PriceTable {
  /** `2026-11-28` */
  readonly date: string
  /** By model reference; tiers from the smallest input to the largest, the last one without a limit. */
  readonly models: Readonly<Record<string, readonly PriceTier[]>>
}

type OwnPrices = HomeConfig['prices']

/**
 * The price of a model: from neo.yaml, else from the table, else null for unknown. `inputTokens` is the whole input
 * of the call; without it, a model with tiers has its highest price.
 */
export function priceOf(
  ref: string,
  { prices, table }: { readonly prices: OwnPrices; readonly table: PriceTable },
  inputTokens?: number,
): Price | null {
  if (Object.hasOwn(prices, ref)) return prices[ref] ?? null
  const tiers = Object.hasOwn(table.models, ref) ? (table.models[ref] ?? []) : []
  const fits = tiers.find(({ upTo }) => upTo === null || (inputTokens !== undefined && inputTokens <= upTo))
  return fits?.price ?? null
}

/**
 * The highest output price of all models that have one, in USD per million: what an unknown token may cost at most.
 */
export function dearestOutput(prices: OwnPrices, table: PriceTable): number {
  const known = Object.values(table.models).flatMap((tiers) => tiers.map(({ price }) => price.output))
  return Math.max(0, ...known, ...Object.values(prices).map(({ output }) => output))
}

/** USD of one call; null if the price is unknown. Cache writes are those that last five minutes. */
export function costOf(usage: Usage, price: Price | null): number | null {
  if (price === null) return null
  const { input, output, cacheRead = input, cacheWrite = input } = price
  const perMillion =
    usage.input * input + usage.cacheRead * cacheRead + usage.cacheWrite * cacheWrite + usage.output * output
  return wholeBillionths(perMillion / 1e6)
}

/** USD, rounded to a whole number of billionths of a dollar. */
export function wholeBillionths(usd: number): number {
  return Math.round(usd * 1e9) / 1e9
}

/** The whole input of a call: what was cached and what was not. */
export function wholeInput(usage: Pick<Usage, 'input' | 'cacheRead' | 'cacheWrite'>): number {
  return usage.input + usage.cacheRead + usage.cacheWrite
}

/** Tokens of an answer that was never received: most answers of workers are shorter. */
const UNSEEN_OUTPUT = 1_000

interface Asking {
  readonly system: readonly string[]
  readonly tools: readonly ToolSpec[]
  readonly messages: readonly Message[]
}

export function estimateOf({ system, tools, messages }: Asking): Usage {
  const standing = [JSON.stringify(tools), ...system].map(tokensOfText)
  const input = standing.reduce((sum, tokens) => sum + tokens, tokensOfMessages(messages))
  return { input, cacheRead: 0, cacheWrite: 0, output: UNSEEN_OUTPUT, source: 'estimated' }
}

const MAY_HAVE_USED: readonly ModelErrorKind[] = ['cut', 'silent', 'aborted']

/** False if the server rejected the call, which then used nothing. */
export function mayHaveUsed(kind: ModelErrorKind): boolean {
  return MAY_HAVE_USED.includes(kind)
}
