/**
 * How many tokens conversation and reply may have together, by model of the Anthropic API; as of 2026-11-28.
 * Takes a model's name; gives its window, or null where it is not known. A provider's flag `window` comes before it.
 * Leaves to callers: what to do without a figure.
 */

const MILLION = 1_000_000
const WINDOWS: Readonly<Record<string, number>> = {
  'claude-fable-5-2': MILLION,
  'claude-fable-5-1': MILLION,
  'claude-opus-5-5': MILLION,
  'claude-opus-5': MILLION,
  'claude-opus-4-8': MILLION,
  'claude-opus-4-7': MILLION,
  'claude-opus-4-6': MILLION,
  'claude-opus-4-5': 200_000,
  'claude-sonnet-5-5': MILLION,
  'claude-sonnet-5': MILLION,
  'claude-sonnet-4-6': MILLION,
  'claude-haiku-5-5': MILLION,
  'claude-haiku-4-5': 200_000,
}

/** A date behind the name, as in `claude-haiku-4-5-20251001`, changes nothing. */
export function anthropicWindow(model: string): number | null {
  const name = model.replace(/-\d{8}$/, '')
  return Object.hasOwn(WINDOWS, name) ? (WINDOWS[name] ?? null) : null
}
