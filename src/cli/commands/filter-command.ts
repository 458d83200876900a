/**
 * `neo filter`: lists the git filters of a repository (git-crypt, LFS, nbstripout), and allows or denies them. Invariant
 * 1: only a person allows a filter, as its commands are now; a changed command has to be allowed again.
 */
import { resolve } from 'node:path'
import { composeGitCommand } from '../../compose.ts'
import { NeoError } from '../../domain/home/error.ts'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import { DEFAULT_WORKSPACE } from '../../domain/task/task-settings.ts'
import { type Finding, note } from '../doctor/finding.ts'
import { type Call, firstOf } from '../spec.ts'
import type { Opened } from '../with-world.ts'

const SAYS = {
  global: 'runs on your files, not on files of models (it is in your global configuration)',
  allowed: 'runs (allowed)',
  withheld: 'does not run',
}

export async function listFilters(call: Call): Promise<number> {
  const { top, filters } = await filtersIn(resolve(call.around.cwd, firstOf(call)))
  call.out.data('filter.list', { repository: top, filters })
  call.out.table(
    filters.map(({ name, state, hash, settings }) => [name, SAYS[state], hash, settings.join('; ')]),
  )
  if (filters.length === 0) call.out.note(`${top} has no git filters`)
  return 0
}

export async function allowFilter(call: Call): Promise<number> {
  const folder = resolve(call.around.cwd, call.args[1] ?? '')
  const name = firstOf(call)
  const { top, filters } = await filtersIn(folder)
  const found = filters.find((filter) => filter.name === name)
  if (found === undefined)
    throw new NeoError('missing', `Cannot allow the filter "${name}": ${top} has no filter with this name`, {
      next: 'neo filter list',
    })
  if (found.inside !== null)
    throw new NeoError(
      'refused',
      `Cannot allow the filter "${name}": its command uses ${found.inside}, which sessions can change`,
      { next: `move it out of ${top}, and change the configuration of the filter` },
    )
  const done = await (await composeGitCommand()).allowFilterAt(folder, name)
  call.out.data('filter.allow', { repository: top, name, hash: found.hash, allowed: true })
  const says = done ? `Allowed the filter "${name}" in ${top}` : `The filter "${name}" already runs in ${top}`
  call.out.line(`${says} (${found.settings.join('; ')})`)
  return 0
}

export async function denyFilter(call: Call): Promise<number> {
  const folder = resolve(call.around.cwd, call.args[1] ?? '')
  const name = firstOf(call)
  const { top } = await filtersIn(folder)
  const done = await (await composeGitCommand()).denyFilterAt(folder, name)
  const state = (await filtersIn(folder)).filters.find((filter) => filter.name === name)?.state ?? 'withheld'
  call.out.data('filter.deny', { repository: top, name, changed: done, state })
  const says = done ? 'is no longer allowed' : 'was not allowed'
  const left = state === 'global' ? '; it still runs on your files (it is in your global configuration)' : ''
  call.out.line(`The filter "${name}" ${says} in ${top}${left}`)
  return 0
}

async function filtersIn(folder: string) {
  const found = await (await composeGitCommand()).filtersAt(folder)
  if (found !== null) return found
  throw new NeoError('missing', `Cannot list filters: "${folder}" is not in a git repository`)
}

/** For `neo doctor`: filters of the home or a workspace that don't run, or don't run on files of models. */
export async function checkFilters(opened: Opened, snapshot: Snapshot): Promise<readonly Finding[]> {
  const rooms = [...snapshot.rooms.values()].map(({ room }) => room.workspace ?? DEFAULT_WORKSPACE)
  const folders = new Set([opened.home])
  for (const workspace of new Set(rooms)) {
    const place = await opened.world.git.place(workspace, null)
    if (!('wrong' in place)) folders.add(place.repository)
  }
  const findings: Finding[] = []
  for (const folder of folders) {
    const found = await (await composeGitCommand()).filtersAt(folder)
    for (const { name, hash, settings, state, isUsed, inside } of found?.filters ?? [])
      if (state === 'withheld' || (state === 'global' && isUsed))
        findings.push(
          note(
            'git filter',
            `"${name}" of ${folder} does not run${state === 'global' ? ' on files of models' : ''}, so its files can't be committed (${settings.join('; ')}; hash ${hash})`,
            inside === null
              ? `neo filter allow ${name} ${folder}`
              : `move ${inside} out of the repository: sessions can change it there`,
          ),
        )
  }
  return findings
}
