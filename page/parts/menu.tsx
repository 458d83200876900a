/** A button that opens a menu of choices. Arrow keys move, Enter chooses, Esc and a click elsewhere close it. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { say } from './controls.tsx'
import { Icon, type IconName } from './icons.tsx'
import { bindKey, onEscape } from './keys/keys.ts'
import '../style/menu.css'

export interface Choice {
  readonly value: string
  readonly label: string
  /** What it means, in a few words. */
  readonly note: string
}

interface MenuProps {
  /** What the menu is for, such as `Assign`. */
  readonly label: string
  readonly icon: IconName
  /** Opens it. */
  readonly shortcut?: string
  readonly choices: readonly Choice[]
  /** The choice that holds now; none if it isn't among them. */
  readonly chosen: string
  readonly onChoose: (value: string) => Promise<void>
}

export function Menu({ label, icon, shortcut, choices, chosen, onChoose }: MenuProps) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (shortcut === undefined) return
    return bindKey(shortcut, label, () => setOpen(true))
  }, [shortcut])
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  const choose = (value: string) => {
    close()
    onChoose(value).catch(say)
  }
  return (
    <div class="menu-place">
      <button
        type="button"
        class="button"
        ref={button}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        title={shortcut === undefined ? undefined : `${label} (${shortcut})`}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={icon} />
        {label}
      </button>
      {isOpen ? <Choices label={label} choices={choices} of={{ chosen, choose, close }} /> : null}
    </div>
  )
}

interface ChoicesProps extends Pick<MenuProps, 'label' | 'choices'> {
  readonly of: {
    readonly chosen: string
    readonly choose: (value: string) => void
    readonly close: () => void
  }
}

function Choices({ label, choices, of: { chosen, choose, close } }: ChoicesProps) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const items = itemsIn(element.current)
    const own = items.find((item) => item.getAttribute('aria-checked') === 'true')
    const first = own ?? items[0]
    first?.focus()
    const outside = ({ target }: Event) => {
      if (element.current?.parentElement?.contains(target as Node) === false) close()
    }
    document.addEventListener('pointerdown', outside)
    const stop = onEscape(close)
    return () => {
      stop()
      document.removeEventListener('pointerdown', outside)
    }
  }, [])
  return (
    <div class="menu" role="menu" aria-label={label} ref={element} onKeyDown={(event) => move(event, close)}>
      {choices.map(({ value, label: word, note }) => (
        <button
          key={value}
          type="button"
          role="menuitemradio"
          aria-checked={value === chosen}
          tabIndex={-1}
          onClick={() => choose(value)}
        >
          <Icon name="check" />
          <span class="grow min0">
            {word} <span class="soft small">{note}</span>
          </span>
        </button>
      ))}
    </div>
  )
}

function itemsIn(menu: HTMLElement | null): readonly HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>('[role="menuitemradio"]') ?? [])]
}

function move(event: KeyboardEvent, close: () => void): void {
  const items = itemsIn(event.currentTarget as HTMLElement)
  const at = items.indexOf(document.activeElement as HTMLElement)
  const last = items.length - 1
  if (event.key === 'Tab') close()
  const to: Readonly<Record<string, number>> = {
    ArrowDown: at === last ? 0 : at + 1,
    ArrowUp: at <= 0 ? last : at - 1,
    Home: 0,
    End: last,
  }
  const next = to[event.key]
  if (next === undefined) return
  event.preventDefault()
  items[next]?.focus()
}
