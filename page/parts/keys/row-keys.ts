/** Moving through the rows of a list: `j` and `k`, and the arrows while a row has the focus. */
import { useEffect } from 'preact/hooks'
import { bindKey } from './keys.ts'

interface RowKeys {
  /** Of the rows, within the view. */
  readonly rows: string
  /** Of what Enter opens, within a row; the row itself if it is a link. */
  readonly opens?: string
  /** Of the button that `e` presses, within a row. */
  readonly acts?: string
  /** What `e` does, in words. */
  readonly act?: string
}

/** @param view the element that holds the rows */
export function useRowKeys(view: { readonly current: HTMLElement | null }, of: RowKeys): void {
  const { rows, opens, acts, act = 'Press the button of the row' } = of
  useEffect(() => {
    const all = () => [...(view.current?.querySelectorAll<HTMLElement>(rows) ?? [])]
    const present = () => document.activeElement?.closest<HTMLElement>(rows) ?? null
    const move = (by: 1 | -1) => {
      const list = all()
      const row = present()
      const at = row === null ? -1 : list.indexOf(row)
      const next = list[at < 0 ? (by > 0 ? 0 : list.length - 1) : at + by]
      if (next === undefined) return
      if (next.tabIndex < 0 && !next.hasAttribute('tabindex')) next.tabIndex = -1
      next.focus()
      next.scrollIntoView({ block: 'nearest' })
    }
    const press = (selector: string) => present()?.querySelector<HTMLElement>(selector)?.click()
    const stops = [
      bindKey('j', 'Next row', () => move(1)),
      bindKey('k', 'Previous row', () => move(-1)),
      ...(acts === undefined ? [] : [bindKey('e', act, () => press(acts))]),
    ]
    const arrows = (event: KeyboardEvent) => {
      const row = present()
      if (row === null || event.target !== row || event.altKey || event.ctrlKey || event.metaKey) return
      if (event.key === 'ArrowDown') move(1)
      else if (event.key === 'ArrowUp') move(-1)
      else if (event.key === 'Enter' && opens !== undefined) press(opens)
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', arrows)
    return () => {
      for (const stop of stops) stop()
      document.removeEventListener('keydown', arrows)
    }
  }, [rows, opens, acts])
}
