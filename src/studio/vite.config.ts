// Builds the Studio to static files in build/studio. The policy of its page allows no inline script
// or style, so nothing may be inlined.

import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  // Quiet, because it runs with each build of Sigil.
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../../build/studio',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    cssMinify: false,
    modulePreload: { polyfill: false },
    target: 'es2022',
  },
})
