/**
 * Checks of `neo doctor` on models. Invariant 1: without a configured model, nothing is sent.
 * Invariant 2: no key is printed, whatever a server answers.
 */
import type { HomeConfig } from '../../domain/home/home-config.ts'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import { redact } from '../../domain/secrets/redact.ts'
import { NO_MODEL } from '../../engine/agents/agents.ts'
import { lockOwner } from '../../engine/lock.ts'
import { environmentOf } from '../config/read-config-file.ts'
import type { Env } from '../spec.ts'
import type { Opened } from '../with-world.ts'
import { type Finding, note, ok, wrong } from './finding.ts'

/** A model that does not start to answer in this time can't be used by a session either. */
const LIMIT_MS = 10_000

export interface Asking {
  readonly snapshot: Snapshot
  readonly env: Env
  /** Also check models that only tasks name. */
  readonly all: boolean
}

export async function checkModels(opened: Opened, asking: Asking): Promise<readonly Finding[]> {
  const { config } = asking.snapshot
  const refs = modelsOf(asking)
  if (refs.size === 0) return [withoutModel(opened, asking)]
  const asked = [...refs].map(([ref, where]) => answerOf(opened, config, { ref, where }))
  return Promise.all(asked)
}

/** Model references, each with the first place that names it. */
function modelsOf({ snapshot, all }: Asking): ReadonlyMap<string, string> {
  const named: [string | undefined, string][] = [
    [snapshot.config.model, 'neo.yaml'],
    ...[...snapshot.rooms.values()]
      .filter(({ room }) => room.status === 'active')
      .map(({ name, room }): [string | undefined, string] => [room.model, `room ${name}`]),
    ...(!all
      ? []
      : [...snapshot.tasks.values()].map(({ path, task }): [string | undefined, string] => [
          task.model,
          path,
        ])),
  ]
  const refs = new Map<string, string>()
  for (const [ref, where] of named)
    if (ref !== undefined && ref !== 'rules' && !refs.has(ref)) refs.set(ref, where)
  return refs
}

function withoutModel({ home, world }: Opened, { env, all }: Asking): Finding {
  const hasKey = (environmentOf(home, world.files, env)['ANTHROPIC_API_KEY'] ?? '') !== ''
  if (hasKey)
    return note(
      'model',
      'no model, although ANTHROPIC_API_KEY is set',
      'remove the line model: from neo.yaml',
    )
  if (lockOwner(world.git.gitDir, world) !== null)
    return ok(
      'model',
      'no model: no key is set in this terminal; the daemon may have one',
      'to use a model, add ANTHROPIC_API_KEY=… to .env in the home; see docs/agents.md',
    )
  return all ? note('model', NO_MODEL) : ok('model', 'no model; shell and human tasks need none')
}

async function answerOf(
  { world }: Opened,
  config: HomeConfig,
  { ref, where }: { readonly ref: string; readonly where: string },
): Promise<Finding> {
  const models = world.agent?.models
  if (models === undefined) return wrong('model', `${ref}: this program was built without models`)
  const began = performance.now()
  const signal = AbortSignal.timeout(LIMIT_MS)
  const why = await models.probe(ref, config.providers, signal)
  if (why === null) return ok('model', `${ref} answers (${secondsSince(began)}, ${where})`)
  const said = signal.aborted ? `no answer within ${LIMIT_MS / 1000} s` : withoutKeys(why, config)
  const text = said.startsWith(`${ref}: `) ? said : `${ref}: ${said}`
  return wrong('model', `${text} (${where})`, 'see docs/agents.md')
}

function secondsSince(began: number): string {
  return `${((performance.now() - began) / 1000).toFixed(1)} s`
}

/** Shorter values are ordinary words such as `true`. */
const LEAST_SECRET = 6

function withoutKeys(text: string, { providers }: HomeConfig): string {
  const secrets = providers
    .flatMap(({ apiKey = '', headers }) => [apiKey, ...Object.values(headers)])
    .filter((secret) => secret.length >= LEAST_SECRET)
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), redact(text))
}
