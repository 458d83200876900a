/** The only place that builds adapters. Heavy parts load at first use. */
import { resolve } from 'node:path'
import { openFiles } from './adapters/disk/disk-files.ts'
import { isTracked } from './adapters/git/locate.ts'
import { systemClock, systemRandom } from './adapters/machine.ts'
import type { Files } from './ports/files-port.ts'
import type { ProcessId } from './ports/process-port.ts'
import type { Web } from './ports/web-port.ts'
import type { AgentWorld, Watcher, World } from './ports/world.ts'

/**
 * Builds the whole World for a home.
 * Throws NeoError `git` if git is missing or too old, or the folder is not a repository.
 */
export async function composeWorld(home: string): Promise<World> {
  const [
    { openGit },
    { openProcesses },
    { openHomeRemote },
    { openSigning },
    { openIndexStores },
    { openSentences },
    { openPeerWire },
  ] = await Promise.all([
    import('./adapters/git/git.ts'),
    import('./adapters/processes/processes.ts'),
    import('./adapters/git/remote/home-remote.ts'),
    import('./adapters/git/commit/sign.ts'),
    import('./adapters/sqlite/stores.ts'),
    import('./adapters/sentences/sentence-model.ts'),
    import('./adapters/peer-wire/peer-wire.ts'),
  ])
  const signing = openSigning()
  return {
    files: openFiles({ within: resolve(home) }),
    git: await openGit(resolve(home), signing),
    signing,
    clock: systemClock(),
    random: systemRandom(),
    processes: openProcesses(),
    watcher: lateWatcher(),
    agent: await composeAgentWorld(),
    remote: openHomeRemote(signing),
    index: openIndexStores(),
    sentences: openSentences(),
    peers: openPeerWire(),
  }
}

export type Outside = Pick<World, 'files' | 'clock' | 'processes'> & { readonly agent: AgentWorld }

/** What a conversation outside any home needs: no git, no watcher. */
export async function composeOutside(): Promise<Outside> {
  const { openProcesses } = await import('./adapters/processes/processes.ts')
  return {
    files: openFiles(),
    clock: systemClock(),
    processes: openProcesses(),
    agent: await composeAgentWorld(),
  }
}

/** Libraries of models and forges load at first use. */
async function composeAgentWorld(): Promise<AgentWorld> {
  const [models, sandbox, tree, search, forges, mcp] = await Promise.all([
    import('./adapters/models/models.ts'),
    import('./adapters/sandbox/bubblewrap.ts'),
    import('./adapters/worktree-files/worktree-files.ts'),
    import('./adapters/search/ripgrep.ts'),
    import('./adapters/forges/forges.ts'),
    import('./adapters/mcp-client/mcp-client.ts'),
  ])
  const confined = sandbox.openSandbox()
  return {
    models: models.openModels(),
    sandbox: confined,
    tree: tree.openWorktreeFiles(),
    search: search.openSearch({ sandbox: confined }),
    web: { fetch: async (url, limits) => (await openWeb()).fetch(url, limits) },
    forges: forges.openForges(),
    mcp: mcp.openMcpClients(),
  }
}

async function openWeb(): Promise<Web> {
  return (await import('./adapters/web/fetch.ts')).openWeb()
}

/** Few commands watch, and the library is large: it loads at the first watch. */
function lateWatcher(): Watcher {
  return {
    watch(home, on) {
      const watching = import('./adapters/watcher/watcher.ts').then(({ openWatcher }) =>
        openWatcher().watch(home, on),
      )
      watching.catch((error: unknown) => on.trouble(String(error)))
      return async () => (await watching)()
    },
  }
}

/** The file store alone, for commands that need no git. */
export function composeFiles(): Files {
  return openFiles()
}

/** Git without an open home, for commands of the CLI. */
export function composeGitCommand(): Promise<typeof import('./adapters/git/process/git-invocation.ts')> {
  return import('./adapters/git/process/git-invocation.ts')
}

/** True if HEAD of the repository in this folder has the path, or git can't tell. */
export function composeIsTracked(dir: string, path: string): boolean {
  return isTracked(dir, path)
}

/** Whether a process is alive, for commands that need no git. */
export async function composeAlive(): Promise<(id: ProcessId) => boolean> {
  return (await import('./adapters/processes/process-table.ts')).alive
}
