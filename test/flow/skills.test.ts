/** Skills: name and description stand in the context, the body comes on demand, from the folders other tools use too. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeHome } from '../path/home.ts'
import { type Asked, startModel } from '../path/model.ts'

const skill = (name: string, description: string, body: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`

function repository(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-skills-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const put = (folder: string, text: string) => {
    mkdirSync(join(dir, folder), { recursive: true })
    writeFileSync(join(dir, folder, 'SKILL.md'), text)
  }
  put('.claude/skills/deploy', skill('deploy', 'How the shop is deployed', 'Turn the big key.'))
  put('.claude/skills/review', skill('review', 'Not this one', 'Of the repository.'))
  put('.agents/skills/broken', 'no header at all\n')
  mkdirSync(join(dir, 'outside'))
  writeFileSync(join(dir, 'secret.md'), skill('linked', 'Led out', 'Secret.'))
  mkdirSync(join(dir, '.agents/skills/linked'), { recursive: true })
  symlinkSync('/etc/hostname', join(dir, '.agents/skills/linked/SKILL.md'))
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, stdio: 'pipe' })
  git('init', '-q', '-b', 'main')
  git('-c', 'user.name=P', '-c', 'user.email=p@localhost', 'commit', '-q', '--allow-empty', '-m', 'begin')
  return dir
}

test('skills of the home and of the repository are listed; the home goes first; bodies come when asked for', async () => {
  const results: string[] = []
  const use = (name: string) => ({ calls: [{ name: 'use_skill', input: { name } }] })
  const model = await startModel(({ turn, last }: Asked) => {
    if (turn > 0) results.push(last)
    const next = [use('deploy'), use('review'), use('shared'), use('linked')][turn]
    return next ?? { calls: [{ name: 'finish_task', input: { result: 'done' } }] }
  })
  const home = makeHome({
    'neo.yaml': model.config,
    'rooms/shop/ROOM.md': `---\nname: Shop\nworker: agent\nreview: none\nworkspace: ${repository()}\n---\n`,
    'workspace/skills/review/SKILL.md': skill('review', 'How we review', 'Of the home.'),
    '.agents/skills/shared/SKILL.md': skill('shared', 'Shared with other tools', 'Of the home, too.'),
  })
  home.task('t', '# Deploy it\n')
  await home.run()
  const first = model.asked[0]?.text ?? ''
  expect(first).toContain("- deploy (of the workspace's repository): How the shop is deployed")
  expect(first).toContain('- review: How we review')
  expect(first).toContain('- shared: Shared with other tools')
  expect(first).not.toMatch(/big key|Of the home|broken|linked/)
  expect(results[0]).toContain('Turn the big key.')
  expect(results[1]).toContain('Of the home.')
  expect(results[2]).toContain('Of the home, too.')
  expect(results[3]).toContain('there is no skill linked')
})
