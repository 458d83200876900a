/** The field for a message, with files: by button, paste and drop. Text and files survive a reload. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, IconButton, say } from '../../parts/controls.tsx'
import { Icon } from '../../parts/icons.tsx'
import { visible } from '../../parts/text.ts'
import { draft } from '../../store/drafts.ts'
import { call } from '../../store/rpc.ts'
import { may } from '../../store/session.ts'
import { MOST_FILES, upload } from '../../store/upload.ts'
import { size } from './chat-items.tsx'
import type { ChatFile, Conversation } from './use-conversation.ts'

interface ComposerProps {
  readonly room: string
  readonly conversation: Conversation
}

export function ChatComposer({ room, conversation }: ComposerProps) {
  const text = draft(`chat ${room}`)
  const attached = useAttached(room)
  const element = useRef<HTMLDivElement>(null)
  const isOver = useDrop(element, attached.add)
  const send = async () => {
    const content = text.value.trim()
    const files = attached.files
    if ((content === '' && files.length === 0) || attached.loading > 0) return
    text.value = ''
    attached.set([])
    try {
      await conversation.send(content === '' ? 'See the attached files.' : content, files)
    } catch (error) {
      text.value = content
      attached.set(files)
      throw error
    }
  }
  return (
    <div ref={element} class="composer" data-drop={isOver}>
      <Attached files={attached.files} loading={attached.loading} onRemove={attached.remove} />
      <textarea
        aria-label="Message to Neo"
        placeholder="Message to Neo"
        rows={3}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
        }}
        onPaste={(event) => {
          const files = [...(event.clipboardData?.files ?? [])]
          if (files.length === 0) return
          event.preventDefault()
          attached.add(files).catch(say)
        }}
        onKeyDown={(event) => {
          if (!isSendKey(event)) return
          event.preventDefault()
          send().catch(say)
        }}
      />
      <div class="row">
        <AttachButton onFiles={attached.add} />
        <span class="soft small grow composer-help">
          {isTouch() ? '' : 'Enter sends, Shift-Enter makes a new line. '}Drop or paste files.
        </span>
        {conversation.status === 'thinking' ? <Stop room={room} /> : null}
        <Button
          tone="primary"
          icon="send"
          disabled={(text.value.trim() === '' && attached.files.length === 0) || attached.loading > 0}
          onClick={send}
        >
          Send
        </Button>
      </div>
    </div>
  )
}

function Stop({ room }: { readonly room: string }) {
  if (!may('clear-context', room)) return null
  return (
    <Button icon="stop" onClick={async () => void (await call('context.stop', { roomId: room }))}>
      Stop
    </Button>
  )
}

/** On a touch screen Enter makes a new line: there is no Shift beside it. */
function isSendKey(event: KeyboardEvent): boolean {
  if (event.key !== 'Enter' || event.isComposing) return false
  return event.ctrlKey || event.metaKey || (!event.shiftKey && !isTouch())
}

function isTouch(): boolean {
  return matchMedia('(pointer: coarse)').matches
}

function useAttached(room: string) {
  const kept = draft(`chat files ${room}`)
  const [loading, setLoading] = useState(0)
  const files = filesIn(kept.value)
  const set = (next: readonly ChatFile[]) => {
    kept.value = next.length === 0 ? '' : JSON.stringify(next)
  }
  const add = async (chosen: readonly File[]) => {
    if (filesIn(kept.value).length + chosen.length > MOST_FILES)
      throw new Error(`A message can have ${MOST_FILES} files.`)
    setLoading((count) => count + chosen.length)
    for (const file of chosen) {
      try {
        const { id, name, type, bytes } = await upload(room, file)
        set([...filesIn(kept.value), { id, name, type, bytes }])
      } catch (error) {
        say(error)
      }
      setLoading((count) => count - 1)
    }
  }
  return { files, loading, set, add, remove: (id: string) => set(files.filter((file) => file.id !== id)) }
}

function filesIn(text: string): readonly ChatFile[] {
  if (text === '') return []
  try {
    return JSON.parse(text) as readonly ChatFile[]
  } catch {
    return []
  }
}

interface AttachedProps {
  readonly files: readonly ChatFile[]
  readonly loading: number
  readonly onRemove: (id: string) => void
}

function Attached({ files, loading, onRemove }: AttachedProps) {
  if (files.length === 0 && loading === 0) return null
  return (
    <ul class="row chat-attached" aria-label="Files of the message">
      {files.map(({ id, name, bytes }) => (
        <li key={id} class="row">
          <Icon name="file" />
          <span class="clip">{visible(name)}</span>
          <span class="soft small">{size(bytes)}</span>
          <IconButton icon="close" label={`Remove ${visible(name)}`} onClick={() => onRemove(id)} />
        </li>
      ))}
      {loading === 0 ? null : (
        <li class="soft small" role="status">
          Uploading…
        </li>
      )}
    </ul>
  )
}

function AttachButton({ onFiles }: { readonly onFiles: (files: readonly File[]) => Promise<void> }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]).catch(say)
          currentTarget.value = ''
        }}
      />
      <Button icon="file" onClick={() => input.current?.click()}>
        Attach
      </Button>
    </>
  )
}

/** Files that are dropped anywhere on the conversation. */
function useDrop(
  element: { readonly current: HTMLElement | null },
  add: (files: readonly File[]) => Promise<void>,
): boolean {
  const [isOver, setOver] = useState(false)
  const adding = useRef(add)
  adding.current = add
  useEffect(() => {
    const area = element.current?.closest<HTMLElement>('.chat')
    if (area === null || area === undefined) return
    const over = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent) => {
      if (!area.contains(event.relatedTarget as Node | null)) setOver(false)
    }
    const drop = (event: DragEvent) => {
      if (event.dataTransfer === null || event.dataTransfer.files.length === 0) return
      event.preventDefault()
      setOver(false)
      adding.current([...event.dataTransfer.files]).catch(say)
    }
    area.addEventListener('dragover', over)
    area.addEventListener('dragleave', leave)
    area.addEventListener('drop', drop)
    return () => {
      area.removeEventListener('dragover', over)
      area.removeEventListener('dragleave', leave)
      area.removeEventListener('drop', drop)
    }
  }, [])
  return isOver
}
