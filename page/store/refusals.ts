/** Refusals of policy, in words for the person who meets them. The hub's own words name rules. */
const REFUSALS: Readonly<Record<string, string>> = {
  'member-rooms': "You can't see this, or it no longer exists.",
  'member-acts': "You can't do this. Ask the owner of this home.",
  'member-shell': "Your role can't change or start tasks that run commands.",
  'member-unknown': 'You have no access to this home any more.',
}

/** What an error of a call or a channel says to people. */
export function plainly({ message, data }: { readonly message: string; readonly data?: unknown }): string {
  const { rule } = (data ?? {}) as { readonly rule?: string }
  return REFUSALS[rule ?? ''] ?? message
}
