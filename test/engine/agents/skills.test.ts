/**
 * Skills and instructions: name and description stand in the context, body and files come on demand, from the folders that
 * other tools use too; what cannot be used is named, and what a session writes counts for nobody before it is merged.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { composeWorld } from '../../../src/compose.ts'
import { skillsOf } from '../../../src/engine/agents/skills.ts'
import { UNCONFINED } from '../../path/confined.ts'
import { type Home, makeHome } from '../../path/home.ts'
import { type Asked, type Call, startModel } from '../../path/model.ts'

const skill = (name: string, description: string, body: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`
const SCRIPT = '#!/bin/sh\necho "ran $(cat "$(dirname "$0")/data.txt")"\n'

function repository(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-skills-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  put('.claude/skills/deploy/SKILL.md', skill('deploy', 'How the shop is deployed', 'Turn the big key.'))
  put('.claude/skills/deploy/reference/keys.md', 'The key is under the mat.\n')
  put('.claude/skills/review/SKILL.md', skill('review', 'Not this one', 'Of the repository.'))
  put('.claude/skills/broken/SKILL.md', 'no header at all\n')
  put('outside/SKILL.md', skill('linked', 'Led out', 'Secret.'))
  mkdirSync(join(dir, '.agents/skills'), { recursive: true })
  symlinkSync('../../outside', join(dir, '.agents/skills/linked'))
  symlinkSync('../../../outside/SKILL.md', join(dir, '.claude/skills/deploy/more.md'))
  put('AGENTS.md', 'Use tabs.\n')
  symlinkSync('outside/SKILL.md', join(dir, 'CLAUDE.md'))
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=P', '-c', 'user.email=p@localhost', ...args], {
      cwd: dir,
      stdio: 'pipe',
    })
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-q', '-m', 'begin')
  put('.claude/skills/later/SKILL.md', skill('later', 'Not committed', 'Nobody has seen it.'))
  return dir
}

/** A home whose agent makes these calls, one a turn; gives it with what each call gave. */
async function working(
  calls: readonly Call[],
  workspace: string,
): Promise<{ readonly home: Home; readonly results: readonly string[]; readonly first: string }> {
  const results: string[] = []
  const model = await startModel(({ turn, last }: Asked) => {
    if (turn > 0) results.push(last)
    return { calls: [calls[turn] ?? { name: 'finish_task', input: { result: 'done' } }] }
  })
  const home = makeHome({
    'neo.yaml': model.config,
    'rooms/shop/ROOM.md': `---\nname: Shop\nworker: agent\nreview: none\nworkspace: ${workspace}\n---\n`,
    'workspace/skills/review/SKILL.md': skill('review', 'How we review', 'Of the home.'),
    'workspace/skills/review/run.sh': SCRIPT,
    'workspace/skills/review/data.txt': 'data of the skill',
    '.agents/skills/shared/SKILL.md': skill('shared', 'Shared with other tools', 'Of the home, too.'),
  })
  home.task('t', '# Deploy it\n')
  await home.run()
  return { home, results, first: model.asked[0]?.text ?? '' }
}

const use = (name: string, file?: string): Call => ({
  name: 'use_skill',
  input: file === undefined ? { name } : { name, file },
})

test('skills of home and repository are listed; the home goes first; texts and files come when asked for', async () => {
  const calls = ['deploy', 'review', 'shared', 'linked', 'later'].map((name) => use(name))
  const more = [
    use('deploy', 'reference/keys.md'),
    use('deploy', 'more.md'),
    use('review', '../shared/SKILL.md'),
  ]
  const { home, results, first } = await working([...calls, ...more], repository())
  expect(first).toContain("- deploy (of the workspace's repository): How the shop is deployed")
  expect(first).toContain('- review: How we review')
  expect(first).toContain('- shared: Shared with other tools')
  expect(first).toContain('Use tabs.')
  expect(first).not.toMatch(/big key|Of the home|broken|linked|Secret|later/)
  expect(results[0]).toMatch(/Turn the big key\.[\s\S]*- reference\/keys\.md$/)
  expect(results[1]).toContain('Of the home.')
  expect(results[2]).toContain('Of the home, too.')
  expect(results[3]).toContain('unknown skill linked')
  expect(results[4]).toContain('unknown skill later')
  expect(results[5]).toContain('under the mat')
  expect(results[6]).toContain('has no file more.md')
  expect(results[7]).toContain('has no file ../shared')
  expect(home.neo('t', 'result')).toMatch(/^done; skill \.claude\/skills\/broken\/SKILL\.md: /)
})

test.skipIf(UNCONFINED !== null)(
  'a command runs the script of a skill of the home, and changes nothing of it',
  async () => {
    const line =
      'D=$(dirname "$(find / -path "*skills/review/run.sh" 2>/dev/null | head -1)"); sh $D/run.sh; echo x > $D/run.sh; ls $D/../../..'
    const { home, results } = await working([{ name: 'shell', input: { command: line } }], 'workspace/files')
    expect(results[0]).toContain('ran data of the skill')
    expect(results[0]).not.toContain('rooms')
    expect(home.read('workspace/skills/review/run.sh')).toBe(SCRIPT)
  },
)

test('what a session writes as a skill or instruction counts only when a person has merged it', async () => {
  const at = repository()
  const put = (path: string, content: string): Call => ({ name: 'write_file', input: { path, content } })
  const calls = [
    put('.claude/skills/own/SKILL.md', skill('own', 'Mine', 'Obey.')),
    put('AGENTS.md', 'Obey me.\n'),
    use('own'),
  ]
  const { home, results } = await working(calls, at)
  expect(results[2]).toContain('unknown skill own')
  expect(home.status('t')).toBe('review')
  const main = execFileSync('git', ['show', 'main:AGENTS.md'], { cwd: at, encoding: 'utf8' })
  expect(main).toBe('Use tabs.\n')
})

test.each(['.claude', '.claude/skills', '.claude/skills/x', '.claude/skills/x/SKILL.md'])(
  'a link at %s is not followed, and is named',
  async (path) => {
    const home = makeHome()
    const outside = mkdtempSync(join(tmpdir(), 'neo-outside-'))
    onTestFinished(() => rmSync(outside, { recursive: true, force: true }))
    const below = '.claude/skills/x/SKILL.md'.slice(path.length)
    const target = join(outside, 'target')
    mkdirSync(dirname(`${target}${below}`), { recursive: true })
    writeFileSync(`${target}${below}`, skill('x', 'Led out', 'Secret.'))
    mkdirSync(dirname(join(home.dir, path)), { recursive: true })
    symlinkSync(target, join(home.dir, path))
    const found = await skillsOf({ home: home.dir, world: await composeWorld(home.dir) }, null)
    expect(found.skills.map(({ name }) => name)).not.toContain('x')
    expect(found.problems).toEqual([`skill ${path}: symbolic links are not followed`])
  },
)
