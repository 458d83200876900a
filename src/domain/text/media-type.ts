/** What a file is, by its first bytes: what a sender says of it is no proof. Pure. A new kind is a row. */

interface Mark {
  readonly type: string
  readonly ending: string
  /** Where the bytes stand, and which. */
  readonly at: readonly (readonly [number, string])[]
}

const MARKS: readonly Mark[] = [
  { type: 'image/png', ending: 'png', at: [[0, '\x89PNG\r\n\x1a\n']] },
  { type: 'image/jpeg', ending: 'jpg', at: [[0, '\xff\xd8\xff']] },
  { type: 'image/gif', ending: 'gif', at: [[0, 'GIF8']] },
  {
    type: 'image/webp',
    ending: 'webp',
    at: [
      [0, 'RIFF'],
      [8, 'WEBP'],
    ],
  },
  { type: 'application/pdf', ending: 'pdf', at: [[0, '%PDF-']] },
  { type: 'audio/ogg', ending: 'ogg', at: [[0, 'OggS']] },
  { type: 'audio/mpeg', ending: 'mp3', at: [[0, 'ID3']] },
  { type: 'audio/mpeg', ending: 'mp3', at: [[0, '\xff\xfb']] },
  {
    type: 'audio/wav',
    ending: 'wav',
    at: [
      [0, 'RIFF'],
      [8, 'WAVE'],
    ],
  },
  { type: 'video/mp4', ending: 'mp4', at: [[4, 'ftyp']] },
  { type: 'video/webm', ending: 'webm', at: [[0, '\x1a\x45\xdf\xa3']] },
  { type: 'application/zip', ending: 'zip', at: [[0, 'PK\x03\x04']] },
  { type: 'application/gzip', ending: 'gz', at: [[0, '\x1f\x8b']] },
]

/** Enough to tell text from what only begins like it. */
const LOOKED_AT = 8_192

export function mediaTypeOf(bytes: Uint8Array): { readonly type: string; readonly ending: string } {
  const mark = MARKS.find(({ at }) => at.every(([from, text]) => matches(bytes, from, text)))
  if (mark !== undefined) return { type: mark.type, ending: mark.ending }
  return isText(bytes.subarray(0, LOOKED_AT))
    ? { type: 'text/plain', ending: 'txt' }
    : { type: 'application/octet-stream', ending: 'bin' }
}

function matches(bytes: Uint8Array, from: number, text: string): boolean {
  for (let at = 0; at < text.length; at++) if (bytes[from + at] !== text.charCodeAt(at)) return false
  return true
}

/** UTF-8, which may be cut at the end, without control characters but line ends and tabs. */
function isText(bytes: Uint8Array): boolean {
  if (bytes.some((byte) => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d && byte !== 0x0c))
    return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}
