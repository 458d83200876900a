/** A comment under its line: text that is read, or a field while it is written. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../controls.tsx'
import type { Comments, LineComment } from './diff-comments.ts'
import { visible } from '../text.ts'

interface CommentBoxProps {
  readonly comment: LineComment
  readonly comments: Comments
  /** It was just begun, so the field takes the focus. */
  readonly isNew: boolean
  readonly onClose: () => void
}

export function CommentBox({ comment, comments, isNew, onClose }: CommentBoxProps) {
  const [isOpen, setOpen] = useState(isNew || comment.text === '')
  useEffect(() => {
    if (isNew) setOpen(true)
  }, [isNew])
  const close = () => {
    if (comment.text.trim() === '') comments.remove(comment)
    setOpen(false)
    onClose()
  }
  const where = `${comment.side === 'old' ? 'removed ' : ''}line ${comment.line}`
  return (
    <section class="line-comment card" aria-label={`Your comment on ${where}`}>
      {isOpen ? (
        <Editor comment={comment} comments={comments} isNew={isNew} onDone={close} />
      ) : (
        <p class="wrap">{visible(comment.text)}</p>
      )}
      <div class="row">
        {isOpen ? (
          <Button onClick={close}>Done</Button>
        ) : (
          <button type="button" class="link" onClick={() => setOpen(true)}>
            Edit
          </button>
        )}
        <button type="button" class="link" onClick={() => comments.remove(comment)}>
          Delete
        </button>
        <span class="soft small">Sent with your message when you send the work back.</span>
      </div>
    </section>
  )
}

interface EditorProps extends Omit<CommentBoxProps, 'onClose'> {
  readonly onDone: () => void
}

function Editor({ comment, comments, isNew, onDone }: EditorProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (isNew) field.current?.focus()
  }, [isNew])
  return (
    <textarea
      ref={field}
      rows={3}
      aria-label="Comment"
      placeholder="What should change here?"
      value={comment.text}
      onInput={({ currentTarget }) => comments.put({ ...comment, text: currentTarget.value })}
      onKeyDown={(event) => {
        const isDone = event.key === 'Enter' && (event.ctrlKey || event.metaKey)
        if (!isDone && event.key !== 'Escape') return
        event.preventDefault()
        event.stopPropagation()
        onDone()
      }}
    />
  )
}
