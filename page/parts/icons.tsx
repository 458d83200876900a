/** The icons: 16 × 16, drawn with the colour of the text. Decoration only: the word is always beside or in the label. */
const PATHS = {
  inbox: 'M2.5 9.5h3l1 2h3l1-2h3M2.5 9.5v3h11v-3l-2-6h-7z',
  activity: 'M1.5 8h3l2-5 3 10 2-5h3',
  rooms: 'M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z',
  schedules: 'M8 4.5V8l2.5 1.5M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12z',
  memory: 'M4 2.5h7.5a1 1 0 0 1 1 1v10H4.5a1 1 0 0 1-1-1v-9.5zM3.5 11.5h9',
  agents:
    'M4.5 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM11.5 13a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM6.5 5h3a2 2 0 0 1 2 2v2M4.5 7v2a2 2 0 0 0 2 2h3',
  settings: 'M2.5 4.5h6M11.5 4.5h2M2.5 11.5h2M7.5 11.5h6M10 3v3M6 10v3',
  chat: 'M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2z',
  more: 'M3 8h.01M8 8h.01M13 8h.01',
  plus: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.5 10.5L14 14',
  play: 'M5 3l8 5-8 5z',
  stop: 'M4 4h8v8H4z',
  retry: 'M13 8a5 5 0 1 1-1.5-3.5L13 6M13 2.5V6H9.5',
  branch:
    'M4.5 11V5M4.5 11a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3zM4.5 5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 7a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 7c0 3-7 1.5-7 4',
  file: 'M4 1.5h5l3 3v10H4zM9 1.5v3h3',
  warning: 'M8 2l6.5 11.5h-13zM8 6.5v3M8 11.5h.01',
  chevron: 'M6 3.5L10.5 8 6 12.5',
  external: 'M9.5 2.5h4v4M13.5 2.5L7 9M11 9.5v4H2.5V5H7',
  send: 'M2 8l12-5.5L9.5 14 7.5 9z',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
