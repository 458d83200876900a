/**
 * The bus of changes for streams over HTTP: it looks at the home while somebody listens, and not a moment longer.
 */
import type { McpHome } from './mcp-home.ts'
import type { Library } from './mcp-library.ts'
import { type Listener, tooMany } from './server.ts'
import { type Watch, watchHome } from './watch-tool.ts'

type Bus = InstanceType<Library['InMemoryServerEventBus']>

export interface CountedBus {
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>
  readonly listener: Listener
  /** Looks already, for a stream that is about to listen; gives what says that it listens, or will not. */
  before(): Promise<() => void>
}

export function countedBus(library: Library, home: McpHome): CountedBus {
  const bus = new library.InMemoryServerEventBus()
  let watch: Promise<Watch | null> | null = null
  /** Streams that are about to listen. */
  let coming = 0
  const told = {
    updated: (uri: string) => bus.publish({ kind: 'resource_updated', uri }),
    listChanged: () => bus.publish({ kind: 'resources_list_changed' }),
  }
  const begin = async (): Promise<void> => {
    watch ??= watchHome(home, told).catch(() => null)
    await watch
  }
  const end = (): void => {
    if (bus.listenerCount > 0 || coming > 0) return
    void watch?.then((open) => open?.end())
    watch = null
  }
  return {
    bus: {
      publish: (event) => bus.publish(event),
      subscribe(on) {
        const stop = bus.subscribe(on)
        void begin()
        return () => {
          stop()
          end()
        }
      },
    },
    // A request ends with its answer: only streams follow anything.
    listener: {
      wanted: async () => {},
      follow: async () => {
        throw tooMany()
      },
      unfollow: () => {},
    },
    async before() {
      coming++
      await begin()
      return () => {
        coming--
        end()
      }
    },
  }
}
