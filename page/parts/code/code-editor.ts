/**
 * The editor for YAML and markdown with a header, by CodeMirror. Loaded when a file is opened. It lives in a shadow
 * root: there its styles are constructed sheets, which the content security policy allows; a style element isn't.
 * Tab leaves the field, as in every other one.
 */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { yaml, yamlFrontmatter } from '@codemirror/lang-yaml'
import { defineLanguageFacet, HighlightStyle, Language, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Annotation, EditorState } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { GFM, parser } from '@lezer/markdown'
import { visible } from '../text.ts'

export interface CodeProblem {
  /** From 1; null: of the file. */
  readonly line: number | null
  readonly column: number | null
  readonly severity: 'error' | 'warning'
  readonly message: string
}

export interface CodeEditor {
  /** Replaces the text, if it differs. */
  write(text: string): void
  show(problems: readonly CodeProblem[]): void
  /** Selects the line. */
  goTo(line: number): void
  close(): void
}

interface CodeEditorOptions {
  readonly text: string
  readonly kind: 'yaml' | 'markdown'
  /** Its name for assistive software. */
  readonly label: string
  readonly onInput: (text: string) => void
  readonly onSave: () => void
}

export function openCodeEditor(host: HTMLElement, options: CodeEditorOptions): CodeEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open', delegatesFocus: true })
  const view = new EditorView({ root, parent: root as unknown as Element, state: stateOf(options) })
  return {
    write(text) {
      const { length } = view.state.doc
      if (view.state.doc.toString() !== text)
        view.dispatch({ changes: { from: 0, to: length, insert: text } })
    },
    show(problems) {
      view.dispatch(
        setDiagnostics(
          view.state,
          problems.flatMap((one) => diagnosticOf(view.state, one)),
        ),
      )
    },
    goTo(line) {
      const { from, to } = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines))
      view.dispatch({
        selection: { anchor: from, head: to },
        effects: EditorView.scrollIntoView(from, { y: 'center' }),
      })
      view.focus()
    },
    close: () => view.destroy(),
  }
}

/** A change by `write`, which isn't told as input: the two would answer each other for ever. */
const written = Annotation.define<boolean>()

function stateOf({ text, kind, label, onInput, onSave }: CodeEditorOptions): EditorState {
  const save = () => {
    onSave()
    return true
  }
  return EditorState.create({
    doc: text,
    extensions: [
      lineNumbers(),
      lintGutter(),
      history(),
      drawSelection(),
      highlightSelectionMatches(),
      search({ top: true }),
      EditorView.lineWrapping,
      keymap.of([{ key: 'Mod-s', run: save }, ...defaultKeymap, ...historyKeymap, ...searchKeymap]),
      kind === 'yaml' ? yaml() : yamlFrontmatter({ content: markdown() }),
      syntaxHighlighting(colours),
      theme,
      EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
      EditorView.updateListener.of(({ docChanged, state, transactions }) => {
        if (docChanged && !transactions.some((one) => one.annotation(written))) onInput(state.doc.toString())
      }),
    ],
  })
}

/** Without languages inside of it, which would be most of the bytes. */
function markdown(): Language {
  return new Language(defineLanguageFacet(), parser.configure(GFM), [], 'markdown')
}

function diagnosticOf(state: EditorState, { line, column, severity, message }: CodeProblem): Diagnostic[] {
  if (line === null || line > state.doc.lines) return []
  const { from, to } = state.doc.line(line)
  return [{ from: Math.min(from + (column ?? 1) - 1, to), to, severity, message: visible(message) }]
}

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.heading, tags.keyword], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.link, tags.url], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.monospace], color: 'var(--code-name)' },
  { tag: [tags.comment, tags.meta, tags.quote], color: 'var(--code-comment)' },
  { tag: [tags.heading, tags.strong], fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
])

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', backgroundColor: 'var(--surface)', color: 'var(--text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-content': { fontFamily: 'var(--mono)', caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--text-2)', border: 'none' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--wait-soft)' },
  // The library's own marks are pictures in addresses, which the policy forbids.
  '.cm-lint-marker': { width: '8px', height: '8px', margin: '5px 3px' },
  '.cm-lint-marker-error': { content: 'normal', backgroundColor: 'var(--bad)', borderRadius: '50%' },
  '.cm-lint-marker-warning': { content: 'normal', backgroundColor: 'var(--wait)', rotate: '45deg' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--wait)' },
  '.cm-panels, .cm-tooltip': {
    backgroundColor: 'var(--surface-3)',
    color: 'var(--text)',
    borderColor: 'var(--border)',
  },
  '.cm-textfield, .cm-button': {
    backgroundColor: 'var(--surface)',
    backgroundImage: 'none',
    border: '1px solid var(--border-strong)',
    borderRadius: '4px',
    color: 'var(--text)',
  },
})
