/** Markdown of files and agents as sanitised HTML. The libraries load when the first text is shown. */
import { useEffect, useState } from 'preact/hooks'
import { visible } from './text.ts'

type Render = (text: string) => string
let loaded: Render | null = null

async function load(): Promise<Render> {
  const [{ Marked }, { default: purify }] = await Promise.all([import('marked'), import('dompurify')])
  const marked = new Marked({ gfm: true, breaks: false })
  /** The depth of the text's highest heading, which comes below the heading of the view. */
  let top = 1
  marked.use({
    renderer: {
      checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
      // The view has the first headings.
      heading({ tokens, depth }) {
        const level = Math.min(6, depth - top + 2)
        return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`
      },
      // HTML in the text is shown, not obeyed.
      html: ({ text }) => escaped(text),
    },
  })
  purify.addHook('afterSanitizeAttributes', (node) => {
    if (node.tagName !== 'A') return
    node.setAttribute('rel', 'noreferrer noopener')
    node.setAttribute('target', '_blank')
  })
  loaded = (text) => {
    const tokens = marked.lexer(visible(text))
    top = Math.min(6, ...tokens.map((token) => (token.type === 'heading' ? Number(token['depth']) : 6)))
    return purify.sanitize(marked.parser(tokens), {
      // Images and styles would be requests to elsewhere, forms and ids could imitate the page.
      ALLOWED_TAGS: ALLOWED,
      ALLOWED_ATTR: ['href', 'title', 'start', 'align'],
      ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|#)/i,
    })
  }
  return loaded
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

const ALLOWED = [
  'a',
  'p',
  'br',
  'hr',
  'em',
  'strong',
  'del',
  'code',
  'pre',
  'blockquote',
  'ul',
  'ol',
  'li',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
]

export function Markdown({ text }: { readonly text: string }) {
  const [render, setRender] = useState<Render | null>(() => loaded)
  useEffect(() => {
    if (render === null)
      load().then(
        (made) => setRender(() => made),
        () => {},
      )
  }, [])
  if (render === null) return <pre class="plain-text">{visible(text)}</pre>
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: render(text) }} />
}
