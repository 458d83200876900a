/** Text from stdin. */
import { NeoError } from '../domain/home/error.ts'
import { MAX_BYTES } from './edit-file.ts'
import { usage } from './cli-failure.ts'

/** The text of stdin, for commands that take `-`. */
export async function readStdin(stdin: NodeJS.ReadStream): Promise<string> {
  if (stdin.isTTY === true)
    throw usage(
      'Cannot read the text from stdin: it is a terminal, not a pipe or a file',
      'printf "text" | neo … -',
    )
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stdin) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
    length += bytes.length
    if (length > MAX_BYTES)
      throw new NeoError('failed', `Cannot read the text from stdin: it is larger than ${MAX_BYTES} bytes`)
    chunks.push(bytes)
  }
  const text = Buffer.concat(chunks).toString('utf8')
  if (text.includes('\uFFFD') || text.includes('\0'))
    throw new NeoError('failed', 'Cannot read the text from stdin: it is not UTF-8')
  return text
}
