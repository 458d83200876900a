/**
 * Files, and keys of package manifests, that decide what runs on the user's machine or in CI without a command, or
 * that tell agents and git what to do. A session's change to them is merged only by a person, in the repository of
 * any workspace. A file is held if a tool reads it by itself, on open, `cd`, commit, checkout, install or push; what
 * a person starts by name (`make`, `npm test`) is not. Of a manifest that does both, only keys that run by themselves
 * are held.
 * Invariant 1: names match in any case and any folder, and with look-alike letters, as disks take them.
 * Invariant 2: a manifest that can't be read as JSON differs as a whole: other programs may read more than JSON.
 */
import { isMap, mapIn } from '../text/is-map.ts'
import { lazily } from '../text/lazily.ts'

type HeldKind = 'agents' | 'git' | 'hooks' | 'editor' | 'ci' | 'environment' | 'packages' | 'short'

interface Held {
  readonly kind: HeldKind
  /** Completes "a file that …". */
  readonly why: string
  /** Names of files and folders, in any folder; `*` is any letters. A folder counts with everything below it. */
  readonly names: readonly string[]
  /** Names that count only for files. */
  readonly files?: readonly string[]
}

export const HELD: readonly Held[] = [
  {
    kind: 'agents',
    why: 'contains instructions for agents',
    names: words(`
      AGENT.md AGENTS.md AGENTS.*.md CLAUDE.md CLAUDE.*.md GEMINI.md GEMINI.*.md QWEN.md QWEN.*.md CRUSH.md CRUSH.*.md
      WARP.md JULES.md IFLOW.md CODEX.md replit.md airules.md copilot-instructions.md .mcp.json mcp.json opencode.json
      opencode.jsonc .opencode.json crush.json .crush.json firebender.json .agent .agents .aiassistant .aider* .airules
      .amazonq .amp .augment .augment-guidelines .claude .claude.json .claude-plugin .clinerules .codebuddy .codeium .codex
      .codex-plugin .cody .continue .continuerc.json .copilot .crush .cursor .cursorignore .cursorrules .devin .factory
      .firebender .gemini .goose .goosehints .iflow .junie .kilocode .kilocodemodes .kimi .kiro .lingma .mcp .openhands
      .openhands_instructions .opencode .pearai .pi .qoder .qwen .roo .roomodes .rovodev .ruler .rules .sourcegraph
      .tabnine .trae .vibe .void .warp .windsurf .windsurfrules .zencoder`),
  },
  {
    kind: 'git',
    why: 'can make git or another version control system run programs',
    // A folder with HEAD and config is a repository: a prompt that runs `git status` in it reads its configuration.
    files: words('HEAD config config.worktree commondir gitdir'),
    names: words('.gitattributes .gitmodules .gitconfig .lfsconfig .hg .svn .bzr .jj .sl'),
  },
  {
    kind: 'hooks',
    why: 'runs on commit, checkout or push',
    names: words(`
      .husky .huskyrc* .githooks .git-hooks githooks git-hooks .git-hooks.* lefthook.* .lefthook.* lefthook-local.*
      .lefthook-local.* .lefthook .lefthook-local .pre-commit-config.yaml .pre-commit-config.yml .pre-commit-hooks.yaml
      prek.toml .overcommit.yml captainhook*.json .simple-git-hooks.* simple-git-hooks.* .lintstagedrc* lint-staged.config.*
      husky.config.* .vite-hooks .nanostagedrc* .nano-staged* nano-staged.* .commitlintrc* commitlint.config.* .gitlint
      .czrc .cz.* cz.toml .rusty-hook.toml cog.toml hk.pkl hk.*.pkl .hk.pkl .hk .moon grumphp.yml
      grumphp.yml.dist grumphp.yaml .yorkie`),
  },
  {
    kind: 'editor',
    why: 'can run when the folder is opened in an editor',
    names: words(`
      .vscode *.code-workspace .idea *.iml *.ipr *.iws .fleet .zed .vs .theia .nova *.sublime-project .project .settings
      .externalToolBuilders .dir-locals.el .dir-locals-2.el .exrc .vimrc _vimrc .gvimrc .nvimrc .lvimrc .nvim.lua .lazy.lua
      .vim .local.vimrc .vimrc.* .neoconf.json coc-settings.json .helix .kak .kakrc *.sublime-workspace .dir-locals-*.el
      .projectile .Rprofile .Renviron *.Rproj .devcontainer .devcontainer.json devcontainer.json .gitpod* .codesandbox
      .stackblitzrc .idx .replit replit.nix .jupyter .gdbinit .gdbearlyinit *-gdb.py *-gdb.gdb
      .lldbinit .pdbrc .pdbrc.py .irbrc .pryrc .psqlrc`),
  },
  {
    kind: 'ci',
    why: 'runs in CI or on a host after a push',
    names: words(`
      .github .gitlab .gitlab-ci* *.gitlab-ci.yml gitlab-ci.yml .circleci .travis.yml .travis.yaml azure-pipelines*
      .azure-pipelines .azuredevops .vsts bitbucket-pipelines.yml Jenkinsfile* *.Jenkinsfile .drone.* .woodpecker
      .woodpecker.* .buildkite .teamcity .appveyor.yml appveyor.yml .cirrus.* .semaphore .gitea .forgejo .builds .build.yml
      .zuul* zuul.yaml .tekton .harness codeship-* cloudbuild*.yaml cloudbuild*.yml buildspec*.yml buildspec*.yaml
      bitrise.yml codemagic.yaml ci_scripts wercker.yml screwdriver.yaml amplify.yml render.yaml appspec.yml appspec.yaml
      .readthedocs.yaml .readthedocs.yml netlify.toml vercel.json vercel.ts now.json railway.json railway.toml nixpacks.toml
      wrangler.toml wrangler.json wrangler.jsonc fly.toml Procfile heroku.yml captain-definition .deployment .do .platform
      .platform.app.yaml .upsun .ebextensions .elasticbeanstalk .openshift .s2i zeabur.json staticwebapp.config.json
      apphosting.yaml .prow.yaml .ci-operator.yaml .packit.yaml packit.yaml .copr .gocd.* *.gocd.* .jenkins .jenkins-x
      .depot .earthly .dagger .blacksmith CODEOWNERS .mergify.yml .mergify .dependabot dependabot.yml renovate.json
      renovate.json5 .renovaterc* .pullapprove.yml .kodiak.toml bors.toml .probot.yml`),
  },
  {
    kind: 'environment',
    why: 'sets the environment of other programs',
    names: words(`
      .env .env.* .env-* *.env *.env.d .flaskenv .autoenv* .envrc* .direnv direnv.toml mise mise.toml mise.*.toml
      .mise.toml .mise.*.toml .mise .miserc.toml .rtx.toml .rtx.*.toml .rtx .tool-versions .netrc .pgpass .shadowenv.d
      .rvmrc .rbenv-vars .powrc .powenv .ruby-gemset .ruby-version .python-version .node-version .nvmrc .java-version
      .go-version .terraform-version .sdkmanrc .prototools .vfox.toml .vfoxrc* .hermit* hermit.hcl activate-hermit .flox
      devbox.json devenv.nix devenv.yaml devenv.yml devenv.local.* .devenv.flake.nix flake.nix shell.nix .pkgx.* pkgx.yml
      pkgx.yaml aqua.yaml aqua.yml .aqua.* sitecustomize.py usercustomize.py .bashrc .bash_profile .bash_login .profile
      .zshrc .zshenv .zprofile .inputrc .screenrc .tmux.conf .tmuxinator.yml`),
  },
  {
    kind: 'packages',
    why: 'sets where packages come from and what runs during installation',
    names: words(`
      .npmrc .yarnrc .yarnrc.yml .yarn .pnp.* .pnpmfile.cjs .pnpmfile.mjs pnpmfile.js pnpm-workspace.yaml bunfig.toml
      .bunfig.toml binding.gyp .pypirc .pip pip.conf pip.ini uv.toml poetry.toml .pdm.toml .condarc .mambarc .gemrc .bundle
      .cargo rust-toolchain rust-toolchain.toml .mvn gradle-wrapper.* gradle.properties .gradle .jvmopts .sbtopts
      .mill-jvm-opts .bazelrc *.bazelrc .bazelversion .bazeliskrc .buckconfig .buckconfig.* nuget.config
      dotnet-tools.json .terraformrc .composer .swiftpm`),
  },
  {
    kind: 'short',
    why: 'can be the short name of another file on Windows',
    names: words('*~1 *~1.* *~2 *~2.* *~3 *~3.* *~4 *~4.*'),
  },
]

/** Examples that no tool reads by itself. */
const EXAMPLES = words(
  '.env.example .env.sample .env.template *.example.env *.sample.env example.env sample.env',
)

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}

const patterns = lazily(() =>
  HELD.map((held) => ({
    held,
    any: patternOf(held.names),
    file: patternOf([...held.names, ...(held.files ?? [])]),
  })),
)
const EXAMPLE = patternOf(EXAMPLES)

function patternOf(names: readonly string[]): RegExp {
  const each = names.map((name) => name.replace(/[.+^$()[\]{}|\\]/g, '\\$&').replaceAll('*', '[^/]*'))
  return new RegExp(`^(?:${each.join('|')})$`, 'i')
}

/** Which kind of held file a path is; null for none. */
export function heldAs(path: string): Held | null {
  const parts = folded(path).split('/')
  const name = parts.pop() ?? ''
  const found = patterns().find(
    ({ any, file }) => (file.test(name) && !EXAMPLE.test(name)) || parts.some((part) => any.test(part)),
  )
  return found?.held ?? null
}

/**
 * A path as the most lenient disk reads it. Some treat look-alike letters as one (the kelvin sign as `k`, the long
 * `s` as `s`), and some ignore zero-width letters, or dots, spaces and `:…` at the end of a name.
 */
export function folded(path: string): string {
  return path
    .normalize('NFKC')
    .replaceAll(NO_WIDTH, '')
    .split('/')
    .map((name) => name.replace(/(?<=.):.*$/, '').replace(/(?<=[^. ])[. ]+$/, ''))
    .join('/')
}

const NO_WIDTH = /[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|\u034f|[\ufe00-\ufe0f]/g

interface Link {
  readonly path: string
  readonly target: string
}

/** Limit of links that lead to links. */
const MOST_STEPS = 8

/**
 * Targets of links with held names: `.husky` → `tools/hooks`. Paths are relative to the repository; links out of it
 * are left out.
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

/** The target of a path if it, or a folder above it, is a link; else null. */
function onward(path: string, targets: ReadonlyMap<string, string | null>): string | null {
  const parts = path.split('/')
  for (let count = parts.length; count > 0; count--) {
    const target = targets.get(parts.slice(0, count).join('/'))
    if (target === undefined || target === null) continue
    return [target, ...parts.slice(count)].filter((part) => part !== '').join('/')
  }
  return null
}

/** The target of a link in the repository, `''` for its top; null for one outside. */
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

/** Scripts that an install or a host runs by themselves. */
const NPM_SCRIPTS =
  /^(?:(?:pre|post)?(?:install|prepare)|prepublish|dependencies|pnpm:devPreinstall|(?:heroku|eas-build|vercel|now|gcp)-.*)$/
/** Hooks of git, which packages may be built at install, and which package manager is loaded. */
const NPM_KEYS = [
  'husky simple-git-hooks lint-staged nano-staged pre-commit pre-push precommit prepush gitHooks ghooks commitlint',
  'pnpm trustedDependencies allowScripts lavamoat packageManager devEngines volta gypfile config',
].flatMap((line) => line.split(' '))
const COMPOSER_SCRIPTS = /^(?:pre|post)-/
const COMPOSER_KEYS = ['config', 'repositories']

/** Names of held keys that differ, such as `scripts.prepare`; empty for another file. */
export function changedStarts(path: string, before: string, after: string): readonly string[] {
  const name = folded(path.slice(path.lastIndexOf('/') + 1)).toLowerCase()
  if (name !== 'package.json' && name !== 'composer.json') return []
  const [old, now] = [startsIn(name, before), startsIn(name, after)]
  if (now === null) return ['it is not valid JSON']
  return [...new Set([...(old ?? new Map()).keys(), ...now.keys()])].filter(
    (key) => old?.get(key) !== now.get(key),
  )
}

/** Null for a text that is not JSON. */
function startsIn(
  name: 'package.json' | 'composer.json',
  text: string,
): ReadonlyMap<string, string | undefined> | null {
  if (text.trim() === '') return new Map()
  const data = mapIn(text.replace(/^\ufeff/, ''))
  if (data === null) return null
  const [scripts, keys] =
    name === 'package.json' ? [NPM_SCRIPTS, NPM_KEYS] : [COMPOSER_SCRIPTS, COMPOSER_KEYS]
  const all = isMap(data['scripts']) ? Object.entries(data['scripts']) : []
  return new Map([
    ...all
      .filter(([key]) => scripts.test(key))
      .map(([key, value]) => [`scripts.${key}`, textOf(value)] as const),
    ...keys.filter((key) => Object.hasOwn(data, key)).map((key) => [key, textOf(data[key])] as const),
  ])
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? ''
}
