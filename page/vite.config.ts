/** Builds the page into `dist/page`: one script and one style sheet for the first view, the rest on demand. */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: at('.'),
  base: '/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: at('../dist/page'),
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy of the page allows no data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: { index: at('index.html'), 'sign-in': at('sign-in.html') } },
  },
})
