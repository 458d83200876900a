import { ratioLine, type Row } from '../row.ts'
import { inTurn, processTime } from '../time.ts'

export const versionRow: Row = {
  name: 'version',
  measures: 'neo --version beside node -e 0',
  async run({ quick }) {
    const times = await inTurn(
      {
        node: () => processTime(['node', '-e', '0']),
        neo: () => processTime(['node', 'dist/main.js', '--version']),
      },
      quick ? 5 : 31,
    )
    const floor = { name: 'node -e 0', ms: times.node.p50 }
    return [ratioLine({ work: 'neo --version', most: 2, floor, ms: times.neo.p50 })]
  },
}
