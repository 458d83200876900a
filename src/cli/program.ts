/**
 * The command line: builds the parser for the command that was typed, runs it, and ends with its exit code. Invariant 1:
 * only the specs of the group that was typed are loaded, and of these only one command's module. Invariant 2: nothing
 * that is thrown leaves here: failure.ts says it and makes it an exit code.
 */
import { Command as Parser, CommanderError, Option as ParserOption } from 'commander'
import { TOPS } from './command-catalog.ts'
import { explain } from './cli-failure.ts'
import { openOutput, type Output } from './output.ts'
import { shown } from './shown-text.ts'
import type { Call, Spec, Surroundings, Top } from './spec.ts'

type Given = Readonly<Record<string, unknown>>

/** Runs one command line. Never throws. */
export async function runProgram(argv: readonly string[], around: Surroundings): Promise<number> {
  endQuietlyOnClosedPipe(around)
  let code = 0
  const run = async (spec: Spec, parser: Parser): Promise<void> => {
    code = await runSpec(spec, parser, around)
  }
  const root = await buildParser(argv, around, run)
  if (argv.length === 0) {
    around.stdout.write(root.helpInformation())
    return 0
  }
  try {
    await root.parseAsync([...argv], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    const out = await openOutput(around, { json: 'no', quiet: 'no', color: colorWanted({}, around) })
    return error instanceof CommanderError ? explainParser(error, out, root) : explain(error, out)
  }
}

/** What nobody caught, in the same three lines; gives the exit code. */
export function explainFault(error: unknown, stderr: NodeJS.WritableStream): number {
  const say = (label: string, text: string) => void stderr.write(`${label}: ${shown(text)}\n`)
  return explain(error, { error: say, progress: () => {} })
}

/** `neo task list | head -1` closes our stdout: that is no failure. */
function endQuietlyOnClosedPipe({ stdout, stderr, exit }: Surroundings): void {
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') exit(0)
      else throw error
    })
  }
}

type Run = (spec: Spec, parser: Parser) => Promise<void>

async function buildParser(argv: readonly string[], around: Surroundings, run: Run): Promise<Parser> {
  const root = prepared(new Parser('neo'), around)
    .description('A file-based, git-backed workflow runner for people who work with AI agents.')
    .version(around.version, '-V, --version', 'print the version')
    .usage('[options] <command>')
    .enablePositionalOptions()
    .addHelpText(
      'after',
      '\nExample:\n  neo init work && cd work && neo watch\n\nneo COMMAND --help says more.',
    )
  addGlobals(root)
  const wanted = typed(argv)
  for (const top of TOPS) await addTop(root, { top, wanted, around, run })
  return root
}

/** The first word that is no option, and no value of `--home`; what follows `help` counts. */
function typed(argv: readonly string[]): string {
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
  const hidden = top.hidden === 'yes'
  const parser = prepared(new Parser(top.name), around).description(top.about).helpGroup(`${top.section}:`)
  root.addCommand(parser, { hidden })
  if (top.name !== wanted) return
  const specs = await top.load()
  if (top.kind === 'group') {
    parser.enablePositionalOptions().usage('[options] <command>')
    addGlobals(parser)
    for (const spec of specs) {
      const own = prepared(new Parser(spec.name), around)
      parser.addCommand(own, { hidden: spec.hidden === 'yes' })
      addSpec(own, spec, run)
    }
    const shown = specs.filter(({ hidden: isHidden }) => isHidden !== 'yes').slice(0, MOST_EXAMPLES)
    parser.addHelpText('after', `\nExamples:\n${shown.map(({ example }) => `  ${example}`).join('\n')}`)
  } else if (specs[0] !== undefined) addSpec(parser, specs[0], run)
}

/** Of a group of commands; each has its own in its own help. */
const MOST_EXAMPLES = 4

/** Errors come back as exceptions, and their text is ours to print. */
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
    .configureHelp({ sortSubcommands: false })
    .helpOption('-h, --help', 'show this help')
}

function addSpec(parser: Parser, spec: Spec, run: Run): void {
  parser.description(spec.about).summary(spec.about)
  for (const argument of (spec.args ?? '').split(' ')) if (argument !== '') parser.argument(argument)
  for (const { flags, about, choices, many } of spec.options ?? []) {
    const option = new ParserOption(flags, about)
    if (choices !== undefined) option.choices(choices)
    const one = option.parseArg ?? ((value: string) => value)
    if (many === 'yes')
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

const GLOBALS = [
  ['--home <dir>', 'the home (else $NEO_HOME, else the nearest folder above with neo.yaml, else ./home)'],
  ['--json', 'one JSON document on stdout instead of text'],
  ['--quiet', 'no remarks'],
  ['--no-color', 'no colours'],
] as const

function addGlobals(parser: Parser): void {
  for (const [flags, about] of GLOBALS) {
    parser.addOption(new ParserOption(flags, about).helpGroup('Everywhere:'))
  }
}

async function runSpec(spec: Spec, parser: Parser, around: Surroundings): Promise<number> {
  const globals = globalsOf(parser)
  const out = await openOutput(around, {
    json: globals['json'] === true ? 'yes' : 'no',
    quiet: globals['quiet'] === true ? 'yes' : 'no',
    color: colorWanted(globals, around),
  })
  try {
    const command = await spec.load()
    return await command(callOf(parser, { globals, around, out }))
  } catch (error) {
    return explain(error, out)
  }
}

/** What was said at any level counts; the innermost wins. */
function globalsOf(parser: Parser): Given {
  const levels: Given[] = []
  for (let at: Parser | null = parser; at !== null; at = at.parent) levels.unshift(at.opts())
  const all: Record<string, unknown> = {}
  for (const level of levels) {
    for (const name of ['home', 'json', 'quiet']) if (level[name] !== undefined) all[name] = level[name]
    if (level['color'] === false) all['color'] = false
  }
  return all
}

function colorWanted(globals: Given, { env }: Surroundings): 'yes' | 'no' {
  const plain = globals['color'] === false || (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb'
  return plain ? 'no' : 'yes'
}

interface CallParts {
  readonly globals: Given
  readonly around: Surroundings
  readonly out: Output
}

function callOf(parser: Parser, { globals, around, out }: CallParts): Call {
  const options: Given = parser.opts()
  const given = (option: string) => options[option]
  return {
    around,
    out,
    args: parser.processedArgs.flat().filter((value): value is string => typeof value === 'string'),
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

/** The parser's own words, in our grammar; exit code 2. */
function explainParser(error: CommanderError, out: Output, root: Parser): number {
  const [said = '', hint = ''] = error.message.replace(/^error: /, '').split('\n')
  const [message = '', ...more] = said.split(/\. (?=[A-Z])/)
  const what = error.code === 'commander.help' ? 'a command is missing after it' : message
  const why = [...more, hint.replace(/^\((.*)\)$/, '$1')].filter((text) => text !== '').join('; ')
  out.error('neo', `Cannot understand the command: ${withoutPeriod(what)}`)
  if (why !== '') out.error('why', withoutPeriod(why))
  out.error('next', `${helpFor(root)} --help`)
  return 2
}

function withoutPeriod(text: string): string {
  return text.replace(/\.$/, '')
}

/** The command that was understood last: its help says what it takes. */
function helpFor(root: Parser): string {
  const words = ['neo']
  for (let at = root; ; ) {
    const next = at.commands.find((command) => command.name() === at.args[0])
    if (next === undefined) return words.join(' ')
    words.push(next.name())
    at = next
  }
}
