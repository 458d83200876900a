/** Which files wait for a person in any repository, and what links lead to them. */
import { expect, test } from 'vitest'
import { HELD, heldAs, heldBehind } from '../../../src/domain/home/held-paths.ts'

const PATHS: Readonly<Record<string, string>> = {
  agents:
    'AGENTS.md a/claude.md .claude/settings.json .cursor/rules/a.mdc .github/copilot-instructions.md .mcp.json QWEN.md .crush.json .openhands/setup.sh .kilocode/rules/a.md .idx/airules.md',
  git: '.gitattributes sub/.gitmodules .lfsconfig fixtures/bare/HEAD fixtures/bare/config .hg/hgrc .jj/repo/config.toml',
  hooks:
    '.husky/pre-commit .husky .githooks/pre-push lefthook.yml .pre-commit-config.yaml .lintstagedrc.json hk.pkl .config/lefthook.yml commitlint.config.js .gitlint',
  editor:
    '.vscode/tasks.json pkg/.vscode/settings.json x.code-workspace .idea/runConfigurations/a.xml .devcontainer/a .exrc .helix/languages.toml .vim/coc-settings.json .Rprofile .gdbinit',
  ci: '.github/workflows/a.yml .gitlab-ci.yml ci/a.gitlab-ci.yml .circleci/config.yml Jenkinsfile .travis.yml azure-pipelines.yml CODEOWNERS docs/CODEOWNERS renovate.json .mergify.yml Procfile .deployment',
  environment:
    '.env .env.local sub/.env.d/x.env prod.env .ENV .envrc mise.toml .tool-versions .env/a .config/mise/config.toml .python-version .rvmrc flake.nix sitecustomize.py',
  packages:
    '.npmrc .yarnrc.yml .cargo/config.toml .mvn/jvm.config pip.conf .pnp.cjs pnpm-workspace.yaml binding.gyp rust-toolchain.toml gradle/wrapper/gradle-wrapper.properties uv.toml',
  short: 'GITHUB~1/workflows/a.yml VSCODE~1/tasks.json AGENTS~1.MD',
}

test.each(Object.entries(PATHS))('heldAs() finds files of %s', (kind, paths) => {
  expect(paths.split(' ').map((path) => [path, heldAs(path) !== null])).toEqual(
    paths.split(' ').map((path) => [path, true]),
  )
  expect(paths.split(' ').some((path) => heldAs(path)?.kind === kind)).toBe(true)
})

test.each([
  '.vscode./tasks.json',
  '.vscode /tasks.json',
  '.vscode. . /tasks.json',
  '.vscode::$INDEX_ALLOCATION/tasks.json',
  'AGENTS.md:x',
  '.vs\u200dcode/tasks.json',
  '.git\ufeffhub/workflows/a.yml',
  '.en\u00advrc',
  'AGENT\u017f.md',
  '\uff0eenvrc',
  'CL\u2060AUDE.md',
  'a/b/.ENVRC.',
])('heldAs() knows %j, which a disk can take for a held name', (path) => {
  expect(heldAs(path)).not.toBeNull()
})

test('heldAs() lets everyday files be', () => {
  const plain =
    'package.json Makefile README.md src/config/a.ts head/a.ts env.ts docs/env.md .env.example src/environment.ts agents/a.md build.yml .gitignore .editorconfig Dockerfile settings.json hooks/useA.ts locales/cz.json i18n/global.json app.json pyproject.toml .dockerignore a...b x./y'
  expect(plain.split(' ').filter((path) => heldAs(path) !== null)).toEqual([])
})

test('names of one kind are in no other', () => {
  const names = HELD.flatMap((held) => held.names.map((name) => name.toLowerCase()))
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

test('heldBehind() follows links by held names, over links, and not out of the repository', () => {
  const links = [
    { path: '.husky', target: 'tools/hooks' },
    { path: 'tools', target: 'lib/./tools/' },
    { path: 'pkg/CLAUDE.md', target: '../docs/agents.md' },
    { path: '.vscode', target: '/etc' },
    { path: '.idea', target: '../../x' },
    { path: 'plain', target: 'src' },
    { path: 'a/.envrc', target: 'b' },
    { path: 'a/b', target: '.envrc' },
  ]
  expect(heldBehind(links, (path) => heldAs(path) !== null).toSorted()).toEqual([
    'a/.envrc',
    'a/b',
    'docs/agents.md',
    'lib/tools/hooks',
    'tools/hooks',
  ])
})
