/** `neo mcp --print-config`: what editors take, on stdout alone, and no file changed. */
import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import { MCP_CLIENTS } from '../../src/cli/commands/mcp-clients.ts'
import { dataOf, MAIN, makeHome, neo, temporary } from './program.ts'

const EDITORS = [
  ['claude', 'mcpServers', '.mcp.json', { type: 'stdio' }],
  ['cursor', 'mcpServers', '.cursor/mcp.json', { type: 'stdio' }],
  ['vscode', 'servers', '.vscode/mcp.json', { type: 'stdio' }],
  ['codex', 'mcp_servers', '~/.codex/config.toml', {}],
  ['gemini', 'mcpServers', '~/.gemini/settings.json', {}],
  ['zed', 'context_servers', '~/.config/zed/settings.json', {}],
  ['windsurf', 'mcpServers', '~/.codeium/windsurf/mcp_config.json', {}],
] as const

/** As the client reads its file. */
function read(client: string, text: string): unknown {
  return client === 'codex' ? parse(text) : JSON.parse(text)
}

test.each(EDITORS)(
  'for %s the server is under %s, and where it goes is said beside it',
  async (client, key, file, more) => {
    const home = makeHome()
    const { out, err, code } = await home.neo('mcp', '--print-config', client)
    const own = { ...more, command: process.execPath, args: [MAIN, 'mcp', '--home', home.dir] }
    expect([code, read(client, out)]).toEqual([0, { [key]: { neo: own } }])
    expect(err).toContain(file)
    expect(home.git('status', '--porcelain')).toBe('')
    expect((await neo(['mcp', '--help'])).out.replaceAll(/\s+/g, '')).toContain(file)
  },
)

test('any path is read back as it is, by each client', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...EDITORS),
      fc.string({ unit: 'grapheme' }),
      fc.array(fc.oneof(fc.string(), fc.constantFrom('a "b" \\c', "it's", '\u007f', 'ä b', '\n'))),
      ([client, key, , more], command, args) => {
        const { config, text } = MCP_CLIENTS[client] ?? expect.unreachable()
        const back = read(client, text(config({ command, args })))
        expect(back).toEqual({ [key]: { neo: { ...more, command, args } } })
      },
    ),
  )
})

test.each(['claude', 'codex'])('the command for %s is quoted for a shell', async (client) => {
  const { more } = MCP_CLIENTS[client] ?? expect.unreachable()
  const args = ['mcp', '--home', "/it's my/$HOME"]
  const [, words = ''] = / -- (.*)$/.exec(more({ command: 'neo', args })) ?? []
  const script = `for word in ${words}; do printf '%s\\n' "$word"; done`
  expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(`neo\n${args.join('\n')}\n`)
})

test('a path with $ is printed with a warning for clients that replace variables', async () => {
  const dir = join(temporary(), 'a$b')
  expect((await neo(['init', dir])).code).toBe(0)
  const warned = await neo(['mcp', '--home', dir, '--print-config', 'gemini'])
  expect(warned.err).toContain('use a path without "$"')
  const plain = await neo(['mcp', '--home', dir, '--print-config', 'codex'])
  expect(plain.err).not.toContain('use a path')
})

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
  expect(unknown.err).toContain('claude, cursor, vscode, codex, gemini, zed, windsurf')
})
