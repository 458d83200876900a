/** A value that Neo knows to be secret, in the texts that leave by every door: notices, commits, errors. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { messageOf } from '../../src/adapters/git/commit/ref.ts'
import { openOutput } from '../../src/cli/output.ts'
import { learnSecret } from '../../src/domain/secrets/known-secrets.ts'
import { openOutbox } from '../../src/engine/people/notice-outbox.ts'
import { HUB_CODES, HubError } from '../../src/hub/hub.ts'

const VALUE = 'kestrel-91-juniper-basalt'
learnSecret(VALUE)

function notice(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-outbox-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'outbox.jsonl')
  const outbox = openOutbox(openFiles(), path)
  outbox.put({
    key: 'a',
    kind: 'problems',
    text: `rotate ${VALUE}`,
    room: 'shop',
    at: '2026-01-01T00:00:00Z',
    to: ['telegram'],
  })
  return `${outbox.pending('telegram')[0]?.text}\n${readFileSync(path, 'utf8')}`
}

async function cliError(): Promise<string> {
  const stderr = new PassThrough()
  const streams = { stdout: process.stdout, stderr: stderr as unknown as NodeJS.WriteStream }
  const out = await openOutput(streams, { json: false, quiet: false, color: false })
  out.error('neo', `Cannot find the task "${VALUE}"`)
  return String(stderr.read())
}

test.each([
  ['a notice, as it is stored and sent', notice],
  ['a subject of a commit', () => messageOf({ subject: `neo(shop): do rotate ${VALUE}`, trailers: [] })],
  ['a body of a commit', () => messageOf({ subject: 'x', body: `says ${VALUE}`, trailers: [] })],
  ['an error of the API', () => new HubError(HUB_CODES.missing, `Cannot find ${VALUE}`).message],
  ['an error of the CLI', cliError],
])('%s masks it', async (_name, say) => {
  const said = await say()
  expect(said).toContain('***')
  expect(said).not.toContain(VALUE)
})
