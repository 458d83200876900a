import { expect, test } from 'vitest'
import { visible } from '../../page/parts/text.ts'

test.each([
  ['a line\n\tand a tab', 'a line\n\tand a tab'],
  [
    '\u{1f469}\u200d\u{1f469}\u200d\u{1f467} \u{1f469}\u{1f3fd}\u200d\u{1f4bb} \u2764\ufe0f\u200d\u{1f525}',
    null,
  ],
  ['\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645', null],
  ['\u0915\u094d\u200d\u0937', null],
  ['rm\u200d -rf\u200c x', 'rm\\u200d -rf\\u200c x'],
  ['\u202etxt.exe\u202c \u0000', '\\u202etxt.exe\\u202c \\x00'],
  ['\u{1f469}\u200dx', '\u{1f469}\\u200dx'],
])('visible() of %j keeps what spells and shows what hides', (text, is) => {
  expect(visible(text)).toBe(is ?? text)
})
