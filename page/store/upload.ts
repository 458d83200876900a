/** Files for messages: the bytes go up by a route of their own, since calls are small. */
import { signOutHere } from './session.ts'

export interface Uploaded {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly bytes: number
}

export const MOST_BYTES = 20 * 1024 * 1024
export const MOST_FILES = 10

/** @throws Error with what is wrong, for people */
export async function upload(room: string, file: File): Promise<Uploaded> {
  if (file.size > MOST_BYTES) throw new Error(`${file.name} is larger than 20 MB.`)
  if (file.size === 0) throw new Error(`${file.name} is empty.`)
  const name = encodeURIComponent(file.name.slice(0, 300) || 'file')
  const headers = { 'Content-Type': 'application/octet-stream' }
  const address = `/chat-files/${encodeURIComponent(room)}?name=${name}`
  const answer = await fetch(address, { method: 'POST', headers, body: file }).catch((cause: unknown) => {
    throw new Error("Can't reach Neo. It may have been stopped; try again in a moment.", { cause })
  })
  if (answer.status === 401) {
    signOutHere()
    throw new Error("You're signed out. Sign in again.")
  }
  const result = (await answer.json()) as Uploaded & { readonly error?: { readonly message: string } }
  if (result.error !== undefined) throw new Error(result.error.message)
  return result
}

export function fileAddress(room: string, id: string): string {
  return `/chat-files/${encodeURIComponent(room)}/${encodeURIComponent(id)}`
}
