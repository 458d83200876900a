/**
 * `POST /chat-files/ROOM?name=NAME`: a file for a message, as bytes; `GET /chat-files/ROOM/ID`: one of a message. Invariant
 * 1: the hub decides on both. Invariant 2: only pictures are shown in place; anything else is a download, and nothing that
 * is served here can run a script. Invariant 3: what a browser sends needs the page's own origin, as every write (entry.ts),
 * and a content type that no form of another page can send.
 */
import { isPicture, plainName } from '../../domain/text/sent-files.ts'
import type { Hub } from '../../hub/hub.ts'
import { MOST_UPLOAD } from '../shared/entry.ts'
import { jsonReply, type Reply, refusalReply } from '../shared/http-reply.ts'
import { readBytes, type Route, whoIs } from './app.ts'

export function chatFileRoutes(hub: Hub): readonly Route[] {
  return [
    {
      verb: 'POST',
      path: '/chat-files/:room',
      who: 'known',
      async answer({ incoming, credential, param, queries }) {
        if (!/^application\/octet-stream\b/i.test(incoming.headers['content-type'] ?? ''))
          return refusalReply({
            status: 415,
            says: 'send the bytes: set Content-Type: application/octet-stream',
          })
        const body = await readBytes(incoming, MOST_UPLOAD)
        if (body === null) return refusalReply({ status: 413, says: 'the file is larger than 20 MB' })
        const [name = 'file'] = queries('name')
        const params = { roomId: param('room'), name, base64: body.toString('base64') }
        return jsonReply(await hub.call(whoIs(credential), 'chat.attach', params))
      },
    },
    {
      verb: 'GET',
      path: '/chat-files/:room/:id',
      who: 'known',
      async answer({ credential, param }) {
        const params = { roomId: param('room'), fileId: param('id') }
        return fileReply((await hub.call(whoIs(credential), 'chat.file', params)) as Found)
      },
    },
  ]
}

interface Found {
  readonly name: string
  readonly type: string
  readonly base64: string
}

function fileReply({ name, type, base64 }: Found): Reply {
  const isShown = isPicture(type)
  const disposition = isShown
    ? 'inline'
    : `attachment; filename*=UTF-8''${encodeURIComponent(plainName(name))}`
  return {
    status: 200,
    text: '',
    bytes: Buffer.from(base64, 'base64'),
    headers: {
      'Content-Type': isShown ? type : 'application/octet-stream',
      'Content-Disposition': disposition,
      'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      // Its name is never given to another file.
      'Cache-Control': 'private, max-age=3600',
    },
  }
}
