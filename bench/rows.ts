/** All rows of the table of figures, in its order; docs/bench.md says what each measures. */
import { memoryRow } from './recall/figures.ts'
import { recallRow } from './recall/row.ts'
import { agentsRow } from './rows/agents.ts'
import { commitRow } from './rows/commit.ts'
import { daemonRow } from './rows/daemon.ts'
import { editRow } from './rows/edit.ts'
import { firstRow } from './rows/first.ts'
import { httpRow } from './rows/http.ts'
import { listRow } from './rows/list.ts'
import { modelRow } from './rows/model.ts'
import { sessionRow } from './rows/session.ts'
import { pageRow } from './rows/page.ts'
import { peersRow } from './rows/peers.ts'
import { planRow } from './rows/plan.ts'
import { queueRow } from './rows/queue.ts'
import { readsRow } from './rows/reads.ts'
import { runbooksRow } from './rows/runbooks.ts'
import { savedRow } from './rows/saved.ts'
import { versionRow } from './rows/version.ts'
import type { Row } from './row.ts'

export const ROWS: readonly Row[] = [
  versionRow,
  listRow,
  editRow,
  readsRow,
  savedRow,
  commitRow,
  runbooksRow,
  daemonRow,
  firstRow,
  planRow,
  modelRow,
  sessionRow,
  memoryRow,
  recallRow,
  httpRow,
  agentsRow,
  pageRow,
  peersRow,
  queueRow,
]
