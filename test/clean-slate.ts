/**
 * Before each test file: what files of the same process must not know from each other. Test files share processes, as
 * loading the sources is most of what a small one takes.
 * Takes back: changes of the environment, secrets that were learned (by the sources and by the built program, which
 * test/cli/inside.ts runs in the process). What is about a fresh process stands in OWN of vitest.config.ts.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { vi } from 'vitest'
import { forgetSecrets } from '../src/domain/secrets/known-secrets.ts'

const kept = globalThis as { environmentOfTests?: NodeJS.ProcessEnv }
const RUNNER = /^(VITEST|TEST$|NODE_ENV$|MODE$|PROD$|DEV$|BASE_URL$|SSR$)/

vi.unstubAllEnvs()
kept.environmentOfTests ??= { ...process.env }
for (const name of new Set([...Object.keys(process.env), ...Object.keys(kept.environmentOfTests)]))
  if (!RUNNER.test(name)) restore(name, kept.environmentOfTests[name])

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name]
  else if (process.env[name] !== value) process.env[name] = value
}

forgetSecrets()
const built = resolve('dist/domain/secrets/known-secrets.js')
if (existsSync(built)) {
  const { forgetSecrets: forgetBuilt } = (await import(pathToFileURL(built).href)) as {
    readonly forgetSecrets?: () => void
  }
  forgetBuilt?.()
}
