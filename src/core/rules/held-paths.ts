/**
 * Files that decide what runs on a person's machine or in CI without a command of theirs, or that tell agents and git what
 * to do: a session's change of them is never merged without a person, in the repository of any workspace.
 * The rule: a file is held if a tool that the file was not named to reads it by itself, on open, `cd`, commit, checkout,
 * install or push. What a person starts by name (`make`, `npm test`) is not.
 * Takes paths relative to the repository, with `/`. Leaves to paths.ts: what is held in a home besides.
 * Invariant 1: names count in any case of letters and in any folder, and as disks take letters that look alike.
 */

export type HeldKind = 'agents' | 'git' | 'hooks' | 'editor' | 'ci' | 'environment' | 'packages'

export interface Held {
  readonly kind: HeldKind
  /** Completes "a file that …". */
  readonly why: string
  /** Names of files and folders, wherever they are; `*` is any letters. A folder counts with all that is below it. */
  readonly names: readonly string[]
  /** Names that count for a file alone. */
  readonly files?: readonly string[]
}

export const HELD: readonly Held[] = [
  {
    kind: 'agents',
    why: 'tells agents what to do',
    names: words(`
      AGENT.md AGENTS.md AGENTS.local.md AGENTS.override.md CLAUDE.md CLAUDE.local.md CLAUDE.override.md GEMINI.md
      GEMINI.local.md QWEN.md QWEN.local.md WARP.md copilot-instructions.md .mcp.json opencode.json opencode.jsonc
      .agent .agents .aider* .amazonq .augment .claude .clinerules .codex .continue .cursor .cursorrules .factory .gemini
      .goosehints .junie .kiro .opencode .qwen .roo .roomodes .rules .trae .windsurf .windsurfrules`),
  },
  {
    kind: 'git',
    why: 'tells git or another version control which programs to run',
    // A folder with HEAD and config is a repository: a prompt that runs `git status` in it reads its configuration.
    files: words('HEAD config config.worktree commondir gitdir'),
    names: words('.gitattributes .gitmodules .gitconfig .lfsconfig .hg .svn .bzr .jj .sl'),
  },
  {
    kind: 'hooks',
    why: 'runs when somebody commits, checks out or pushes',
    names: words(`
      .husky .huskyrc* .githooks .git-hooks githooks git-hooks .git-hooks.* lefthook.* .lefthook.* lefthook-local.*
      .lefthook-local.* .lefthook .lefthook-local .pre-commit-config.yaml .pre-commit-config.yml .pre-commit-hooks.yaml
      prek.toml .overcommit.yml captainhook.json .simple-git-hooks.* simple-git-hooks.* .lintstagedrc* lint-staged.config.*`),
  },
  {
    kind: 'editor',
    why: 'can run when somebody opens the folder in an editor',
    names: words(`
      .vscode *.code-workspace .idea *.iml *.ipr *.iws .fleet .zed .vs .theia .nova *.sublime-project .project .settings
      .externalToolBuilders .dir-locals.el .dir-locals-2.el .exrc .vimrc _vimrc .gvimrc .nvimrc .lvimrc .nvim.lua .lazy.lua
      .neoconf.json .devcontainer .devcontainer.json devcontainer.json .gitpod* .codesandbox .replit`),
  },
  {
    kind: 'ci',
    why: 'runs in CI or at a host when somebody pushes',
    names: words(`
      .github .gitlab .gitlab-ci* *.gitlab-ci.yml gitlab-ci.yml .circleci .travis.yml .travis.yaml azure-pipelines*
      .azure-pipelines .azuredevops .vsts bitbucket-pipelines.yml Jenkinsfile* *.Jenkinsfile .drone.* .woodpecker
      .woodpecker.* .buildkite .teamcity .appveyor.yml appveyor.yml .cirrus.* .semaphore .gitea .forgejo .builds .build.yml
      .zuul* zuul.yaml .tekton .harness codeship-* cloudbuild*.yaml cloudbuild*.yml buildspec*.yml buildspec*.yaml
      bitrise.yml codemagic.yaml ci_scripts wercker.yml screwdriver.yaml amplify.yml render.yaml appspec.yml appspec.yaml
      .readthedocs.yaml .readthedocs.yml netlify.toml vercel.json now.json railway.json railway.toml nixpacks.toml`),
  },
  {
    kind: 'environment',
    why: 'sets the environment of other programs',
    names: words(`
      .env .env.* .env-* *.env *.env.d .flaskenv .autoenv* .envrc* .direnv mise.toml mise.*.toml .mise.toml .mise.*.toml
      .mise .rtx.toml .tool-versions .netrc .pgpass`),
  },
  {
    kind: 'packages',
    why: 'tells a package manager where packages come from, and what runs at install',
    names: words(`
      .npmrc .yarnrc .yarnrc.yml .yarn .pnpmfile.cjs .pnpmfile.mjs pnpmfile.js bunfig.toml .pypirc .pip pip.conf .condarc
      .gemrc .bundle .cargo .mvn nuget.config`),
  },
]

/** Examples that no tool reads by itself. */
const EXAMPLES = words(
  '.env.example .env.sample .env.template *.example.env *.sample.env example.env sample.env',
)

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}

const PATTERNS = HELD.map((held) => ({
  held,
  any: patternOf(held.names),
  file: patternOf([...held.names, ...(held.files ?? [])]),
}))
const EXAMPLE = patternOf(EXAMPLES)

function patternOf(names: readonly string[]): RegExp {
  const each = names.map((name) => name.replace(/[.+^$()[\]{}|\\]/g, '\\$&').replaceAll('*', '[^/]*'))
  return new RegExp(`^(?:${each.join('|')})$`, 'i')
}

/** Which kind of held file a path is; null for none. */
export function heldAs(path: string): Held | null {
  const parts = folded(path).split('/')
  const name = parts.pop() ?? ''
  const found = PATTERNS.find(
    ({ any, file }) => (file.test(name) && !EXAMPLE.test(name)) || parts.some((part) => any.test(part)),
  )
  return found?.held ?? null
}

/** Some disks take letters that look alike for one: the sign for kelvin for `k`, the long `s` for `s`. */
export function folded(path: string): string {
  return path.normalize('NFKC')
}

export interface Link {
  readonly path: string
  readonly target: string
}

/** Links that lead on to links. */
const MOST_STEPS = 8

/**
 * Files and folders that a link by a held name leads to: `.husky` → `tools/hooks`. Paths relative to the repository; a
 * link that leads out of it is left out.
 */
export function heldBehind(links: readonly Link[], isHeld: (path: string) => boolean): readonly string[] {
  const targets = new Map(links.map(({ path, target }) => [path, resolved(path, target)]))
  const found = new Set<string>()
  for (const { path } of links) {
    if (!isHeld(path)) continue
    let at = targets.get(path) ?? null
    for (let step = 0; at !== null && step < MOST_STEPS; step++) {
      found.add(at)
      at = onward(at, targets)
    }
  }
  return [...found]
}

/** Where a path leads if it, or a folder above it, is a link; null if none is. */
function onward(path: string, targets: ReadonlyMap<string, string | null>): string | null {
  const parts = path.split('/')
  for (let count = parts.length; count > 0; count--) {
    const target = targets.get(parts.slice(0, count).join('/'))
    if (target === undefined || target === null) continue
    return [target, ...parts.slice(count)].filter((part) => part !== '').join('/')
  }
  return null
}

/** The place in the repository that a link names; null for one outside. `''` is its top. */
function resolved(path: string, target: string): string | null {
  if (target.startsWith('/')) return null
  const parts = path.split('/').slice(0, -1)
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return null
  }
  return parts.join('/')
}
