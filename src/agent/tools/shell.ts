/** shell: a command line, confined, in the workspace's folder. */
import { z } from 'zod'
import { ok, wrong } from './result.ts'
import { type ToolContext, type ToolResult, tool } from './tool.ts'
import { checkPermission } from './tool-permission.ts'

const DEFAULT_S = 120
const MOST_S = 3600

export const shell = tool({
  name: 'shell',
  summary: 'Run a shell command in the folder of the workspace.',
  docs: `It runs in a sandbox: it can write only in the worktree, .git is read-only, and the network is available only if the room allows it. Nobody answers prompts. It is stopped after timeout_s seconds (${DEFAULT_S} if not given), with its background processes.`,
  input: {
    timeout_s: z.int().min(1).max(MOST_S).optional().describe('Seconds until it is stopped'),
    command: z.string().describe('The command line, as for sh -c'),
  },
  typed: { rest: 'command', short: { t: 'timeout_s' } },
  examples: ['shell npm test', 'shell --timeout-s=600 make -j2 2>&1 | tail -40'],
  effect: 'runs',
  run: async ({ command: line, timeout_s: timeoutS = DEFAULT_S }, context) => {
    if (line.trim() === '') return wrong('Cannot run the command: it is empty')
    if (line.includes('\0')) return wrong('Cannot run the command: it contains a NUL character')
    const asked = { command: line, timeout_s: timeoutS }
    const what = { tool: 'shell', arguments: asked, reason: 'run a command' }
    const refused = await checkPermission(context.permissions.shell, what, context)
    return refused ?? (await run(line, timeoutS, context))
  },
})

async function run(line: string, timeoutS: number, context: ToolContext): Promise<ToolResult> {
  const ran = await context.run({ line, timeoutMs: timeoutS * 1000 })
  if (ran === null) {
    return wrong(
      'It is unknown how the command ended: Neo was stopped while it ran. Check what it did before you run it again',
    )
  }
  const { exitCode, ended } = ran.result
  const output = ran.output.replace(/\n+$/, '')
  const said = output === '' ? '(no output)' : output
  if (ended === 'exit')
    return exitCode === 0 ? ok(said) : wrong(`${said}\n[exit code ${exitCode ?? 'unknown'}]`)
  const why = {
    timeout: `stopped after ${timeoutS} s`,
    'output-limit': 'stopped: too much output',
    stopped: 'stopped',
  }
  return wrong(`${said}\n[${why[ended]}]`)
}
