/**
 * The command line: builds the parser for the command that was typed, runs the command and returns its exit code.
 * Invariant 1: only the specs and the module of that command load. Invariant 2: every exception ends here:
 * cli-failure.ts prints it and picks the exit code.
 */
import { CommanderError, Command as Parser, Option as ParserOption } from 'commander'
import { explain } from './cli-failure.ts'
import { TOPS } from './command-catalog.ts'
import { type Output, openOutput } from './output.ts'
import { shown } from './shown-text.ts'
import { type Call, isCommand, type Spec, type Surroundings, type Top } from './spec.ts'

type OptionValues = Readonly<Record<string, unknown>>

/** Runs one command line. Never throws. */
export async function runProgram(argv: readonly string[], around: Surroundings): Promise<number> {
  allowClosedOutput(argv, around)
  let code = 0
  const run = async (spec: Spec, parser: Parser): Promise<void> => {
    code = await runSpec(spec, parser, around)
  }
  const root = await buildParser(argv, around, run)
  if (argv.length === 0) {
    root.outputHelp()
    return 0
  }
  try {
    await root.parseAsync([...argv], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    const out = await openOutput(around, { json: false, quiet: false, color: colorWanted({}, around) })
    return error instanceof CommanderError ? explainParser(error, out, root) : explain(error, out)
  }
}

/** Prints an uncaught exception in the same three lines; returns the exit code. */
export function explainFault(error: unknown, stderr: NodeJS.WritableStream): number {
  const say = (label: string, text: string) => void stderr.write(`${label}: ${shown(text)}\n`)
  return explain(error, { error: say, progress: () => {} })
}

/** A daemon whose output nobody reads any more, as its log reader or terminal ended, goes on. */
const DAEMONS: ReadonlySet<string> = new Set(['watch', 'start'])

/** `neo task list | head -1` closes stdout early; that is not an error. */
function allowClosedOutput(argv: readonly string[], { stdout, stderr, exit }: Surroundings): void {
  const goesOn = DAEMONS.has(typedCommand(argv))
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
      if (!goesOn) exit(0)
    })
  }
}

type Run = (spec: Spec, parser: Parser) => Promise<void>

async function buildParser(argv: readonly string[], around: Surroundings, run: Run): Promise<Parser> {
  const root = prepared(new Parser('neo'), around)
    .description(
      'Neo Rooms is a git-backed task runner. You write tasks as markdown files; a daemon runs them (shell scripts or AI agents) and commits the results.',
    )
    .version(around.version, '-V, --version', 'Print the version')
    .usage('[options] <command>')
    .enablePositionalOptions()
    .helpCommand(...HELP_COMMAND)
    .addHelpText(
      'after',
      '\nExample:\n  neo init work && cd work && neo watch\n\nneo COMMAND --help shows options and an example.',
    )
  addGlobals(root)
  const wanted = typedCommand(argv)
  for (const top of TOPS) await addTop(root, { top, wanted, around, run })
  return root
}

/** The first word that is not an option, the value of `--home`, or `help`. */
function typedCommand(argv: readonly string[]): string {
  let skip = false
  for (const word of argv) {
    if (skip) skip = false
    else if (word === '--home') skip = true
    else if (!word.startsWith('-') && word !== 'help') return word
  }
  return ''
}

interface Adding {
  readonly top: Top
  readonly wanted: string
  readonly around: Surroundings
  readonly run: Run
}

async function addTop(root: Parser, { top, wanted, around, run }: Adding): Promise<void> {
  const hidden = top.hidden !== undefined
  const parser = prepared(new Parser(top.name), around).description(top.about).helpGroup(`${top.section}:`)
  root.addCommand(parser, { hidden })
  if (top.name !== wanted) return
  const specs = await top.load()
  if (isCommand(specs)) return addSpec(parser, specs, run)
  parser
    .enablePositionalOptions()
    .usage('[options] <command>')
    .helpCommand(...HELP_COMMAND)
  addGlobals(parser)
  for (const [name, spec] of Object.entries(specs)) {
    const own = prepared(new Parser(name), around)
    parser.addCommand(own)
    addSpec(own, spec, run)
  }
  const examples = Object.values(specs).slice(0, MOST_EXAMPLES)
  parser.addHelpText('after', `\nExamples:\n${examples.map(({ example }) => `  ${example}`).join('\n')}`)
}

/** In the help of a group; the help of each command shows its own. */
const MOST_EXAMPLES = 4

/** Makes the parser throw its errors instead of printing them. */
function prepared(parser: Parser, { stdout, stderr }: Surroundings): Parser {
  return parser
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: () => (stdout.isTTY === true ? stdout.columns : 100),
      getErrHelpWidth: () => (stderr.isTTY === true ? stderr.columns : 100),
    })
    .configureHelp({ sortSubcommands: false, subcommandTerm })
    .addHelpOption(new ParserOption('-h, --help', 'Show this help').helpGroup(GLOBAL_OPTIONS))
}

/** `show <task>`: without the `[options]` that every command has. */
function subcommandTerm(command: Parser): string {
  const args = command.registeredArguments.map((one) => {
    const name = one.variadic ? `${one.name()}...` : one.name()
    return one.required ? `<${name}>` : `[${name}]`
  })
  return [command.name(), ...args].join(' ')
}

function addSpec(parser: Parser, spec: Spec, run: Run): void {
  parser.description(spec.about).summary(spec.about)
  for (const argument of (spec.args ?? '').split(' ')) if (argument !== '') parser.argument(argument)
  for (const { flags, about, choices, many } of spec.options ?? []) {
    const option = new ParserOption(flags, many === true ? `${about} (can be repeated)` : about)
    if (choices !== undefined) option.choices(choices)
    const one = option.parseArg ?? ((value: string) => value)
    if (many === true)
      option.argParser((value: string, all: string[] | undefined) => [
        ...(all ?? []),
        String(one(value, undefined)),
      ])
    parser.addOption(option)
  }
  addGlobals(parser)
  parser.addHelpText('after', `\nExample:\n  ${spec.example}`)
  parser.action(async () => run(spec, parser))
}

const HELP_COMMAND = ['help [command]', 'Show help for a command'] as const

const GLOBAL_OPTIONS = 'Global options:'

const GLOBALS = [
  [
    '--home <dir>',
    'Use this home (default: $NEO_HOME, else the nearest folder above with neo.yaml, else ./home)',
  ],
  ['--json', 'Print one JSON document instead of text'],
  ['--quiet', 'Print only the answer, no notes'],
  ['--no-color', 'Print without colours'],
] as const

function addGlobals(parser: Parser): void {
  for (const [flags, about] of GLOBALS) {
    parser.addOption(new ParserOption(flags, about).helpGroup(GLOBAL_OPTIONS))
  }
}

async function runSpec(spec: Spec, parser: Parser, around: Surroundings): Promise<number> {
  const globals = globalsOf(parser)
  const out = await openOutput(around, {
    json: globals['json'] === true,
    quiet: globals['quiet'] === true,
    color: colorWanted(globals, around),
  })
  try {
    const command = await spec.load()
    return await command(callOf(parser, { spec, globals, around, out }))
  } catch (error) {
    return explain(error, out)
  }
}

/** Global options may stand at any level; the innermost one counts. */
function globalsOf(parser: Parser): OptionValues {
  const levels: OptionValues[] = []
  for (let at: Parser | null = parser; at !== null; at = at.parent) levels.unshift(at.opts())
  const all: Record<string, unknown> = {}
  for (const level of levels) {
    for (const name of ['home', 'json', 'quiet']) if (level[name] !== undefined) all[name] = level[name]
    if (level['color'] === false) all['color'] = false
  }
  return all
}

function colorWanted(globals: OptionValues, { env }: Surroundings): boolean {
  const plain = globals['color'] === false || (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb'
  return !plain
}

interface CallParts {
  readonly spec: Spec
  readonly globals: OptionValues
  readonly around: Surroundings
  readonly out: Output
}

function callOf(parser: Parser, { spec, globals, around, out }: CallParts): Call {
  const values: OptionValues = parser.opts()
  const given = (option: string) => values[option]
  return {
    around,
    out,
    args: parser.processedArgs.flat().filter((value): value is string => typeof value === 'string'),
    options: spec.options ?? [],
    homeOption: typeof globals['home'] === 'string' ? globals['home'] : null,
    text(option) {
      const value = given(option)
      return typeof value === 'string' ? value : null
    },
    all(option) {
      const value = given(option)
      return Array.isArray(value) ? value.map(String) : []
    },
    isSet: (option) => given(option) !== undefined && given(option) !== false,
  }
}

/** Prints an error of the parser; returns exit code 2. */
function explainParser(error: CommanderError, out: Output, root: Parser): number {
  const [said = '', hint = ''] = error.message.replace(/^error: /, '').split('\n')
  const [message = '', ...more] = said.split(/\. (?=[A-Z])/)
  const command = commandOf(root)
  const what = error.code === 'commander.help' ? `missing command after '${command}'` : message
  const why = [...more, hint.replace(/^\((.*)\)$/, '$1')].filter((text) => text !== '').join('; ')
  out.error('neo', withoutPeriod(what.charAt(0).toUpperCase() + what.slice(1)))
  if (why !== '') out.error('why', withoutPeriod(why))
  out.error('next', `${command} --help`)
  return 2
}

function withoutPeriod(text: string): string {
  return text.replace(/\.$/, '')
}

/** The innermost command that was recognised: its help shows what it takes. */
function commandOf(root: Parser): string {
  const words = ['neo']
  for (let at = root; ; ) {
    const next = at.commands.find((command) => command.name() === at.args[0])
    if (next === undefined) return words.join(' ')
    words.push(next.name())
    at = next
  }
}
