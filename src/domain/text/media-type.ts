/** What a file is, by its first bytes: what a sender says of it is no proof. Pure. A new kind is a row. */

interface Mark {
  readonly type: string
  readonly ending: string
  /** What it begins with; `?` is any byte. */
  readonly begins: string
}

const MARKS: readonly Mark[] = [
  { type: 'image/png', ending: 'png', begins: '\x89PNG\r\n\x1a\n' },
  { type: 'image/jpeg', ending: 'jpg', begins: '\xff\xd8\xff' },
  { type: 'image/gif', ending: 'gif', begins: 'GIF8' },
  { type: 'image/webp', ending: 'webp', begins: 'RIFF????WEBP' },
  { type: 'application/pdf', ending: 'pdf', begins: '%PDF-' },
  { type: 'audio/ogg', ending: 'ogg', begins: 'OggS' },
  { type: 'audio/mpeg', ending: 'mp3', begins: 'ID3' },
  { type: 'audio/mpeg', ending: 'mp3', begins: '\xff\xfb' },
  { type: 'audio/wav', ending: 'wav', begins: 'RIFF????WAVE' },
  { type: 'video/mp4', ending: 'mp4', begins: '????ftyp' },
  { type: 'video/webm', ending: 'webm', begins: '\x1a\x45\xdf\xa3' },
  { type: 'application/zip', ending: 'zip', begins: 'PK\x03\x04' },
  { type: 'application/gzip', ending: 'gz', begins: '\x1f\x8b' },
]

/** Enough to tell text from what only begins like it. */
const LOOKED_AT = 8_192

export function mediaTypeOf(bytes: Uint8Array): { readonly type: string; readonly ending: string } {
  const mark = MARKS.find(({ begins }) => isBegun(bytes, begins))
  if (mark !== undefined) return { type: mark.type, ending: mark.ending }
  return isText(bytes.subarray(0, LOOKED_AT))
    ? { type: 'text/plain', ending: 'txt' }
    : { type: 'application/octet-stream', ending: 'bin' }
}

function isBegun(bytes: Uint8Array, begins: string): boolean {
  return [...begins].every(
    (sign, at) => at < bytes.length && (sign === '?' || bytes[at] === sign.charCodeAt(0)),
  )
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
