/**
 * Skills: `<name>/SKILL.md` with the files beside it. Name and description are always in the context, the rest on demand.
 * They come from `workspace/skills` and the folders of other tools, in the home and in the repository of a session's
 * workspace. Invariants: 1. of two with one name the home's counts; 2. no link is followed in any part of a path; 3. of a
 * repository the base branch counts: what a session writes is a skill only once it is merged.
 */
import type { World } from '../../ports/world.ts'
import { join } from 'node:path'
import type { Place } from '../../domain/session/session.ts'
import { readSkill } from '../../files/kinds/read-skill.ts'

const MOST_BYTES = 256 * 1024
const MOST_SKILLS = 100
/** Files of one skill that are named. */
const MOST_FILES = 50
/** The home's own folder; the others are shared with other tools. */
const OF_HOME = 'workspace/skills'
const SHARED = ['.agents/skills', '.claude/skills'] as const

export interface Skill {
  readonly name: string
  readonly description: string
  readonly body: string
  /** `workspace`: from the repository of the workspace. */
  readonly from: 'home' | 'workspace'
  /** Folder of the skill, relative to the home or to the top of the repository. */
  readonly folder: string
  /** Files beside SKILL.md, relative to the folder. */
  readonly files: readonly string[]
}

export interface Skills {
  readonly skills: readonly Skill[]
  /** One line for each that can't be used. */
  readonly problems: readonly string[]
}

interface Where {
  readonly home: string
  readonly world: World
}

/** A root with folders of skills: files by path, and how to read one. */
interface Source {
  readonly from: Skill['from']
  readonly paths: readonly string[]
  /** Links and other non-files in place of a skill. */
  readonly others: readonly string[]
  read(path: string): Promise<Buffer | null>
}

/** @param place workspace of the session; null without one */
export async function skillsOf(of: Where, place: Place | null): Promise<Skills> {
  const own = [OF_HOME, ...SHARED].map((folder) => ({ folder, source: homeSource(of, folder) }))
  const other = place === null || place.repository === of.home ? null : await repositorySource(of, place)
  const shared = other === null ? [] : SHARED.map((folder) => ({ folder, source: other }))
  const found: Skill[] = []
  const problems: string[] = []
  for (const { folder, source } of [...own, ...shared]) {
    for (const path of source.others.filter((one) => isNamed(folder, one)))
      problems.push(`skill ${path}: symbolic links are not followed`)
    for (const path of source.paths.filter((one) => isSkillFile(folder, one))) {
      const skill = await skillAt(source, path)
      if (typeof skill === 'string') problems.push(`skill ${path}: ${skill}`)
      else if (!found.some(({ name }) => name === skill.name)) found.push(skill)
    }
  }
  return { skills: found.slice(0, MOST_SKILLS), problems }
}

async function skillAt(source: Source, path: string): Promise<Skill | string> {
  const bytes = await source.read(path)
  if (bytes === null) return `can't be read, or over ${MOST_BYTES} bytes`
  const skill = readSkill(path, bytes)
  if (skill.kind === 'bad') return skill.problems[0]?.message ?? 'cannot be read'
  if (skill.kind !== 'ok') return skill.why
  const folder = path.slice(0, -'/SKILL.md'.length)
  const files = source.paths
    .filter((one) => one.startsWith(`${folder}/`) && one !== path)
    .map((one) => one.slice(folder.length + 1))
  return { ...skill.value, from: source.from, folder, files: files.slice(0, MOST_FILES) }
}

function isSkillFile(folder: string, path: string): boolean {
  const [name, file, deeper] = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1).split('/') : []
  return name !== undefined && file === 'SKILL.md' && deeper === undefined
}

/** The folder itself, what leads to it, a skill, or its file. */
function isNamed(folder: string, path: string): boolean {
  if (folder === path || folder.startsWith(`${path}/`)) return true
  return (
    path.startsWith(`${folder}/`) &&
    !path
      .slice(folder.length + 1)
      .replace(/\/SKILL\.md$/, '')
      .includes('/')
  )
}

function homeSource({ home, world: { files } }: Where, folder: string): Source {
  const found = files.scan(
    home,
    (path) => path === folder || folder.startsWith(`${path}/`) || path.startsWith(`${folder}/`),
  )
  return {
    from: 'home',
    paths: found.filter(({ kind }) => kind === 'file').map(({ path }) => path),
    others: found.filter(({ kind }) => kind !== 'file').map(({ path }) => path),
    read: async (path) => {
      const read = files.read(join(home, path), MOST_BYTES)
      return read.kind === 'file' ? read.bytes : null
    },
  }
}

/** Git lists no link as a file. */
async function repositorySource({ world: { git } }: Where, place: Place): Promise<Source> {
  const top = { ...place, folder: '' }
  const folders = SHARED.map((folder) => `${folder}/`)
  const tracked = await git.filesAt(top, '', folders)
  const files = tracked?.files ?? new Map<string, { readonly id: string; readonly size: number }>()
  return {
    from: 'workspace',
    paths: [...files.keys()],
    others: [],
    read: async (path) => {
      const file = files.get(path)
      return file === undefined || file.size > MOST_BYTES ? null : await git.bytesAt(top, file.id)
    },
  }
}

/** The text of a skill, or of one of its files. */
export async function skillNamed(
  of: Where,
  { name, file, place }: { name: string; file: string | null; place: Place | null },
): Promise<{ readonly text: string } | { readonly wrong: string }> {
  const { skills } = await skillsOf(of, place)
  const found = skills.find((skill) => skill.name === name)
  if (found === undefined) {
    const known = skills.map((skill) => skill.name).join(', ')
    return { wrong: `unknown skill ${name}; the skills are ${known === '' ? 'none' : known}` }
  }
  if (file === null) return { text: `${found.body}${filesText(of, found, place)}` }
  if (!found.files.includes(file))
    return { wrong: `skill ${name} has no file ${file}; its files are ${found.files.join(', ') || 'none'}` }
  const source =
    found.from === 'home' || place === null ? homeSource(of, found.folder) : await repositorySource(of, place)
  const bytes = await source.read(`${found.folder}/${file}`)
  return bytes === null
    ? { wrong: `${file} is larger than ${MOST_BYTES} bytes` }
    : { text: bytes.toString('utf8') }
}

function filesText({ home }: Where, { name, files, from, folder }: Skill, place: Place | null): string {
  if (files.length === 0) return ''
  const isThere = from === 'home' || place?.folder === ''
  const at = from === 'home' ? join(home, folder) : folder
  const where = isThere ? `In commands they are in ${at}.` : 'They are not in your worktree.'
  return `\n\nFiles of this skill (read one with use_skill ${name} and file). ${where}\n${files.map((file) => `- ${file}`).join('\n')}`
}

/** Folders of the home's skills with further files, which commands in the sandbox may read and run. */
export function skillFolders({ home }: Pick<Where, 'home'>, skills: readonly Skill[]): readonly string[] {
  return skills
    .filter(({ from, files }) => from === 'home' && files.length > 0)
    .map(({ folder }) => join(home, folder))
}
