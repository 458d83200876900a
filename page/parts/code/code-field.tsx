/** A field for the text of a file. A plain text field until the editor is loaded, and if it can't be. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { CodeEditor, CodeProblem } from './code-editor.ts'
import '../../style/code.css'

interface CodeFieldProps {
  readonly label: string
  /** Decides the colours: `.yaml`, else markdown with a header. */
  readonly path: string
  readonly text: string
  readonly problems: readonly CodeProblem[]
  /** Selects this line. `at` is new each time. */
  readonly goTo: { readonly line: number; readonly at: number } | null
  readonly onInput: (text: string) => void
  readonly onSave: () => void
}

export function CodeField(props: CodeFieldProps) {
  const { host, state } = useCodeEditor(props)
  const { label, text, onInput } = props
  return (
    <div class="code-field" ref={host}>
      {state === 'open' ? null : (
        <textarea
          class="mono source"
          aria-label={label}
          spellcheck={false}
          // What is typed now would be lost when the editor takes its place.
          readOnly={state === 'loading'}
          value={text}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </div>
  )
}

function useCodeEditor(props: CodeFieldProps) {
  const { label, path, text, problems, goTo } = props
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<CodeEditor | null>(null)
  const now = useRef(props)
  now.current = props
  const [state, setState] = useState<'loading' | 'open' | 'plain'>('loading')
  useEffect(() => {
    let isGone = false
    const open = async () => {
      const { openCodeEditor } = await import('./code-editor.ts')
      if (isGone || host.current === null) return
      editor.current = openCodeEditor(host.current, {
        text: now.current.text,
        kind: /\.ya?ml$/.test(path) ? 'yaml' : 'markdown',
        label,
        onInput: (typed) => now.current.onInput(typed),
        onSave: () => now.current.onSave(),
      })
      setState('open')
      editor.current.show(now.current.problems)
      if (now.current.goTo !== null) editor.current.goTo(now.current.goTo.line)
    }
    open().catch(() => setState('plain'))
    return () => {
      isGone = true
      editor.current?.close()
    }
  }, [])
  // Before the next key: an older text would undo it.
  useLayoutEffect(() => editor.current?.write(text), [text])
  useEffect(() => editor.current?.show(problems), [problems])
  useEffect(() => {
    if (goTo !== null) editor.current?.goTo(goTo.line)
  }, [goTo])
  return { host, state }
}
