/** Whether commands can be confined here: tests in which an agent runs some are skipped where not. */
import { openSandbox } from '../../src/adapters/sandbox/bubblewrap.ts'

const found = await openSandbox().available()

/** Why not; null where they can. */
export const UNCONFINED: string | null = 'wrong' in found ? found.wrong : null
if (UNCONFINED !== null)
  process.stderr.write(`test: agents that run commands are not tested: ${UNCONFINED}\n`)
