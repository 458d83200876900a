/** A template's parameters reach the steps of a runbook as environment, and never become text of a command. */
import { expect, test } from 'vitest'
import { makeHome } from '../cli/program.ts'

const TEMPLATE = `---
title: "Greet {{who}}"
worker: shell
params:
  who: { description: whom to greet }
  times: { type: number, default: "2" }
---
Greets {{who}}.

\`\`\`sh
printf '%s|%s' "$who" "$times" >"$NEO_HOME/.git/said"
\`\`\`
`

test.each(['Ana', "a'; echo broken >&2; exit 1; '", '$(exit 1) `exit 1` "', '--help'])(
  'a task from a template runs with %j as the value of its parameter',
  async (who) => {
    const home = makeHome({ 'templates/tasks/greet.md': TEMPLATE })
    const made = await home.neo(
      ...['task', 'new', '--room', 'shop', '--template', 'greet'],
      ...['--param', `who=${who}`],
    )
    expect(made).toMatchObject({ code: 0 })
    expect(home.text(made.out.trim())).toContain('printf \'%s|%s\' "$who" "$times"')
    expect(await home.neo('run')).toMatchObject({ code: 0 })
    expect(home.text('.git/said')).toBe(`${who}|2`)
    expect(home.text(made.out.trim())).toContain('status: completed')
  },
)
