/**
 * `neo trust`: words and options, and the option of commands that act on a home.
 */
import type { Option, Spec } from '../spec.ts'

export const TRUST: readonly Spec[] = [
  {
    name: 'trust',
    about:
      'let a home that you did not make (a clone, or one whose connections have changed) run commands and use your keys',
    options: [
      { flags: '--show', about: 'only show what trusting it allows, and what has changed' },
      { flags: '--remove', about: 'no longer trust it' },
    ],
    example: 'neo trust --show',
    load: async () => (await import('../trust/trust-command.ts')).trust,
  },
]

/** Of commands that act on a home. */
export const TRUST_ONCE: Option = {
  flags: '--trust',
  about: 'act on a home that you have not trusted, this once (also NEO_TRUST=1)',
}
