/** `neo mcp --print-config`: what editors take, on stdout alone, and no file changed. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataOf, MAIN, makeHome, neo, temporary } from './program.ts'

const EDITORS = [
  ['claude', 'mcpServers', '.mcp.json'],
  ['cursor', 'mcpServers', '.cursor/mcp.json'],
  ['vscode', 'servers', '.vscode/mcp.json'],
] as const

test.each(EDITORS)(
  'for %s the server stands under %s, and where it goes is said beside it',
  async (client, key, file) => {
    const home = makeHome()
    const { out, err, code } = await home.neo('mcp', '--print-config', client)
    const own = { type: 'stdio', command: process.execPath, args: [MAIN, 'mcp', '--home', home.dir] }
    expect([code, JSON.parse(out)]).toEqual([0, { [key]: { neo: own } }])
    expect(err).toContain(file)
    expect(home.git('status', '--porcelain')).toBe('')
  },
)

test('a program that the user calls neo is called so', async () => {
  const home = makeHome()
  const bin = temporary()
  symlinkSync(MAIN, join(bin, 'neo'))
  const ended = await neo(['mcp', '--home', home.dir, '--print-config', 'claude', '--json'], {
    env: { PATH: `${bin}:${process.env['PATH']}` },
  })
  expect(dataOf(ended)).toMatchObject({ config: { mcpServers: { neo: { command: 'neo' } } } })
})

test('neo mcp without a home, and for an unknown editor, says what is wrong on stderr alone', async () => {
  const none = await neo(['mcp', '--home', temporary()])
  expect([none.code, none.out, none.err]).toEqual([4, '', expect.stringContaining('neo: ')])
  const unknown = await neo(['mcp', '--print-config', 'notepad'])
  expect([unknown.code, unknown.out]).toEqual([2, ''])
  expect(unknown.err).toContain('claude, cursor, vscode')
})
