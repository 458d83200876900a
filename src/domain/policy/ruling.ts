/** What policy answers: allow, ask or deny, with the rule and the reason in one line. Pure. */

export interface Ruling {
  readonly effect: 'allow' | 'ask' | 'deny'
  readonly rule: string
  readonly reason: string
}

export function allow(rule: string, reason: string): Ruling {
  return { effect: 'allow', rule, reason }
}

export function ask(rule: string, reason: string): Ruling {
  return { effect: 'ask', rule, reason }
}

export function deny(rule: string, reason: string): Ruling {
  return { effect: 'deny', rule, reason }
}

const STRICT = { allow: 0, ask: 1, deny: 2 } as const

/** Of two rulings the one that lets less happen; of equals the first. */
export function stricter(one: Ruling, other: Ruling): Ruling {
  return STRICT[other.effect] > STRICT[one.effect] ? other : one
}
