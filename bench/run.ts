/**
 * The figures of the house: `npm run bench -- [--only ROW[,ROW]] [--quick] [--list]`.
 * Most goals are ratios against a floor that is measured in the same run, made of bare building blocks beside it, so that
 * the machine falls out. Nothing is asserted: the table says what is within its goal. docs/bench.md says what rows mean.
 */
import { cpus, release, type as systemName } from 'node:os'
import { inMs, type Line, type Row, type Run } from './row.ts'
import { ROWS } from './rows.ts'
import { inTurn, processTime } from './time.ts'

process.once('SIGINT', () => process.exit(130))
// The homes here are made for the bench and were trusted by nobody.
process.env['NEO_TRUST'] = '1'
await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--list')) {
    for (const row of ROWS) console.log(`${row.name.padEnd(10)} ${row.measures}`)
    return
  }
  const rows = chosen(args)
  const run: Run = { quick: args.includes('--quick') }
  const { node } = await inTurn({ node: () => processTime(['node', '-e', '0']) }, 5)
  const machine = `${systemName()} ${release()}, ${cpus().length} processors, node ${process.version}`
  console.log(`${machine}, node -e 0: ${inMs(node.p50)}`)
  const lines: Line[] = []
  for (const row of rows) {
    const done = await measured(row, run)
    for (const line of done) process.stderr.write(`  ${cells(line).filter(Boolean).join('  ')}\n`)
    lines.push(...done)
  }
  console.log(`\n${table(lines)}`)
  if (run.quick) console.log('\n--quick: few rounds and small homes; these figures prove nothing.')
  const over = lines.filter((line) => line.verdict === 'over').length
  console.log(`\n${over === 0 ? 'All within their goals.' : `${over} over their goal.`}`)
}

function chosen(args: readonly string[]): readonly Row[] {
  const at = args.indexOf('--only')
  if (at < 0) return ROWS
  const names = (args[at + 1] ?? '').split(',')
  const unknown = names.filter((name) => !ROWS.some((row) => row.name === name))
  if (unknown.length > 0) {
    console.error(
      `No row is called ${unknown.join(', ')}; there are: ${ROWS.map((row) => row.name).join(', ')}`,
    )
    process.exit(2)
  }
  return ROWS.filter((row) => names.includes(row.name))
}

/** A row that cannot be measured is said in the table; the others go on. */
async function measured(row: Row, run: Run): Promise<readonly Line[]> {
  process.stderr.write(`${row.name}: ${row.measures} …\n`)
  try {
    return await row.run(run)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return [{ work: row.name, goal: '', floor: '', measured: 'could not be measured', verdict: 'over' }]
  }
}

function table(lines: readonly Line[]): string {
  const rows = [['work', 'goal', 'floor', 'measured', ''], ...lines.map(cells)]
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function cells(line: Line): string[] {
  return [line.work, line.goal, line.floor, line.measured, line.verdict]
}
