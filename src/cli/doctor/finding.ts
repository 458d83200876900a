/** What a check of `neo doctor` found, and how to repair it. */

export interface Finding {
  readonly part: string
  /** `note`: worth knowing; `wrong`: exit code 1. */
  readonly state: 'ok' | 'note' | 'wrong'
  readonly says: string
  readonly next?: string
  readonly fix?: Fix
}

export interface Fix {
  /** What it does, e.g. `remove the worktree s-4k2m9x`. */
  readonly says: string
  /** Returns the result, for people. */
  readonly run: () => Promise<string> | string
}

function finding(state: Finding['state']) {
  return (part: string, says: string, next?: string): Finding => ({
    part,
    state,
    says,
    ...(next === undefined ? {} : { next }),
  })
}

export const ok = finding('ok')
export const note = finding('note')
export const wrong = finding('wrong')
