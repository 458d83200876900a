import { expect, test } from 'vitest'
import { installHint } from '../../../src/domain/text/install-hint.ts'

test.each([
  ['a checkout', 'file:///code/neo/dist/doors/a.js', 'npm install --prefix /code/neo --no-save marked'],
  [
    'a checkout with a space',
    'file:///my%20code/dist/a.js',
    "npm install --prefix '/my code' --no-save marked",
  ],
  ['a global package', 'file:///usr/lib/node_modules/neo-rooms/dist/a.js', 'npm install -g marked'],
  ['a project', 'file:///code/app/node_modules/neo-rooms/dist/a.js', 'npm install --prefix /code/app marked'],
  ['npx', 'file:///c/_npx/a1/node_modules/neo-rooms/dist/a.js', 'npx -p neo-rooms -p marked neo'],
])('installHint() installs where %s finds it', (_, from, command) => {
  expect(installHint(from, ['marked'])).toBe(command)
})
