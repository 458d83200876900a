/**
 * `neo completion`: a script for the shell, made from the specs of the parser. It asks Neo for names of tasks and rooms
 * when they are completed.
 */
import { usage } from '../cli-failure.ts'
import { type Call, firstOf, isCommand, type Spec, type Top } from '../spec.ts'

interface Entry {
  /** Such as `task list`. */
  readonly path: string
  readonly about: string
  readonly words: readonly string[]
  readonly names: 'task' | 'room' | 'session' | 'ask' | null
}

const EVERYWHERE = ['--home', '--json', '--quiet', '--no-color', '--help']

/** @param tops all commands */
export async function completion(call: Call, tops: readonly Top[]): Promise<number> {
  const shell = firstOf(call)
  const scripts: Readonly<Record<string, (entries: readonly Entry[]) => string>> = { bash, zsh, fish }
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
  if (script === undefined)
    throw usage(`Unknown shell "${shell}": use bash, zsh or fish`, 'neo completion bash')
  const text = script(await allEntries(tops))
  call.out.data('completion', { shell, script: text })
  call.out.block(text)
  return 0
}

async function allEntries(tops: readonly Top[]): Promise<readonly Entry[]> {
  const shown = tops.filter(({ hidden }) => hidden === undefined)
  const root = {
    path: '',
    about: '',
    words: [...shown.map(({ name }) => name), '--help', '--version'],
    names: null,
  }
  const groups = await Promise.all(
    shown.map(async ({ name: top, about, load }) => {
      const specs = await load()
      if (isCommand(specs)) return [entryOf(top, specs)]
      const own = { path: top, about, words: Object.keys(specs), names: null }
      return [own, ...Object.entries(specs).map(([name, spec]) => entryOf(`${top} ${name}`, spec))]
    }),
  )
  return [root, ...groups.flat()]
}

function entryOf(path: string, { about, options, args }: Spec): Entry {
  const flags = (options ?? []).flatMap((option) => option.flags.match(/--[a-z-]+/g) ?? [])
  const names = /\b(task|room|session|ask)\b/.exec(args ?? '')?.[1] as Entry['names'] | undefined
  const shells = path === 'completion' ? ['bash', 'zsh', 'fish'] : []
  return { path, about, words: [...shells, ...flags, ...EVERYWHERE], names: names ?? null }
}

function bash(entries: readonly Entry[]): string {
  // The longest path first: "task list" before "task".
  const cases = entries
    .toSorted((a, b) => b.path.length - a.path.length)
    .map(({ path, words, names }) => {
      const pattern = path === '' ? '""' : `"${path}"|"${path} "*`
      return `    ${pattern}) words="${words.join(' ')}"${names === null ? '' : `; names=${names}`} ;;`
    })
  return `# neo completion for bash: source <(neo completion bash)
_neo() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" path="" words="" names="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  case "$names" in
    task) words="$words $(neo task list --quiet 2>/dev/null | cut -d' ' -f1)" ;;
    room) words="$words $(neo room list --quiet 2>/dev/null | cut -d' ' -f1)" ;;
    session) words="$words $(neo session list --quiet 2>/dev/null | cut -d' ' -f1)" ;;
    ask) words="$words $(neo ask list --quiet 2>/dev/null | cut -d' ' -f1)" ;;
  esac
  COMPREPLY=( $(compgen -W "$words" -- "$cur") )
}
complete -o default -F _neo neo
`
}

function zsh(entries: readonly Entry[]): string {
  return `# neo completion for zsh: source <(neo completion zsh)
autoload -Uz compinit bashcompinit
(( $+functions[compdef] )) || compinit
bashcompinit
${bash(entries)}`
}

function fish(entries: readonly Entry[]): string {
  const lines = entries.flatMap(({ path, words, about, names }) => {
    const [first = '', second] = path.split(' ')
    const when =
      path === ''
        ? '__fish_use_subcommand'
        : second === undefined
          ? `__fish_seen_subcommand_from ${first}`
          : `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${second}`
    const flags = words
      .filter((word) => word.startsWith('--'))
      .map((word) => `complete -c neo -n '${when}' -l ${word.slice(2)}`)
    const plain = words.filter((word) => !word.startsWith('-'))
    const commands = plain.length === 0 ? [] : [`complete -c neo -n '${when}' -f -a '${plain.join(' ')}'`]
    const dynamic =
      names === null
        ? []
        : [`complete -c neo -n '${when}' -f -a '(neo ${names} list --quiet 2>/dev/null | cut -d" " -f1)'`]
    return [...(about === '' ? [] : [`# ${path}: ${about}`]), ...commands, ...dynamic, ...flags]
  })
  return `# neo completion for fish: neo completion fish | source\n${lines.join('\n')}\n`
}
