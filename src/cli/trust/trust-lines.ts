/** The lines of a home's files that trust covers, as they are on disk now. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { configTrust, headerTrust, type TrustLine } from '../../domain/policy/trust-lines-of.ts'
import { parseYaml } from '../../files/header/yaml.ts'
import { readMember } from '../../files/kinds/read-member.ts'
import { readRoom } from '../../files/kinds/read-room.ts'
import { readScope } from '../../files/kinds/read-scope.ts'
import type { Files } from '../../ports/files-port.ts'
import { MAX_BYTES } from '../edit-file.ts'

const HEADERS =
  /^(?:rooms\/[^/]+\/ROOM\.md|workspace\/members\/[^/]+\.md|workspace\/scopes\/[^/]+\/SCOPE\.md)$/

/** In the order of the files. */
export function trustLines(home: string, files: Files): readonly TrustLine[] {
  const headers = files
    .scan(home, (path, is) => (is === 'folder' ? isAbove(path) : HEADERS.test(path)))
    .map(({ path }) => path)
    .sort()
  return [...ofConfig(home, files), ...headers.flatMap((path) => ofHeader(home, files, path))]
}

/** A hash of a line: neither its value nor its name is stored. */
export function printOf({ name, value }: TrustLine): string {
  return createHash('sha256').update(`${name}\n${value}`).digest('hex')
}

/** A file that can't be parsed counts by its bytes, so a repaired one has to be trusted again. */
function ofConfig(home: string, files: Files): readonly TrustLine[] {
  const read = files.read(join(home, 'neo.yaml'), MAX_BYTES)
  if (read.kind !== 'file') return []
  const parsed = parseYaml(read.bytes.toString('utf8'))
  if ('flaws' in parsed)
    return [{ name: 'neo.yaml', value: `not readable, ${read.bytes.length} bytes ${hashOf(read.bytes)}` }]
  return configTrust(parsed.data)
}

function ofHeader(home: string, files: Files, path: string): readonly TrustLine[] {
  const read = files.read(join(home, path), MAX_BYTES)
  if (read.kind !== 'file') return []
  if (path.startsWith('rooms/')) {
    const room = readRoom(path, read.bytes, path.split('/')[1] ?? '')
    return room.kind === 'ok' ? headerTrust(path, 'mcp_servers', room.value.mcpServers) : []
  }
  const known = path.includes('/scopes/') ? readScope(path, read.bytes) : readMember(path, read.bytes)
  if (known.kind !== 'ok') return []
  const { in: before, out } = known.value.guards
  return [...headerTrust(path, 'guards.in', before), ...headerTrust(path, 'guards.out', out)]
}

function isAbove(path: string): boolean {
  return /^(?:|rooms(?:\/[^/]+)?|workspace(?:\/members|\/scopes(?:\/[^/]+)?)?)$/.test(path)
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 12)
}
