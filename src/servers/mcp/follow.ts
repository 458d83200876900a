/**
 * Whom a line tells of changes: it looks for them from when somebody may want to hear of them, until the line ends.
 * Invariant 1: a client of the older era hears only of addresses that it follows; in the newer era the library sorts
 * out.
 */
import type { McpHome } from './mcp-home.ts'
import type { Server } from './mcp-library.ts'
import { type Listener, MOST_FOLLOWED, tooMany } from './server.ts'
import { type Watch, watchHome } from './watch-tool.ts'

export interface Following {
  readonly listener: Listener
  /** The server that speaks for this line from now on. */
  tells(server: Server, era: 'legacy' | 'modern'): void
  end(): void
}

export function followChanges(home: McpHome): Following {
  const followed = new Set<string>()
  let speaker: { readonly server: Server; readonly era: 'legacy' | 'modern' } | null = null
  let watch: Promise<Watch | null> | null = null
  /** A server that has not shaken hands, or is gone, tells nobody. */
  const tell = (say: (server: Server) => Promise<void>): void => {
    if (speaker !== null) say(speaker.server).catch(() => {})
  }
  const told = {
    updated(uri: string): void {
      if (speaker?.era === 'modern' || followed.has(uri))
        tell((server) => server.sendResourceUpdated({ uri }))
    },
    listChanged: () => tell((server) => server.sendResourceListChanged()),
  }
  const wanted = async (): Promise<void> => {
    watch ??= watchHome(home, told).catch(() => {
      watch = null
      return null
    })
    await watch
  }
  return {
    listener: {
      wanted,
      async follow(uri) {
        if (followed.size >= MOST_FOLLOWED && !followed.has(uri)) throw tooMany()
        followed.add(uri)
        await wanted()
      },
      unfollow: (uri) => void followed.delete(uri),
    },
    tells(server, era) {
      speaker = { server, era }
    },
    end() {
      speaker = null
      void watch?.then((open) => open?.end())
    },
  }
}
