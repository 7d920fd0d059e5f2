import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** What most screens are made of; only what opens later is apart from it. */
const SHARED = /web[\\/]src[\\/](lib|data|ui[\\/](?!lazy|markdown))|[\\/]@tanstack[\\/]/

const ours = (name: string) => join(import.meta.dirname, 'src/lib', name)

/**
 * Builds the web app into web/dist. Every file but index.html carries a hash of its content in its name,
 * so it never changes and is kept for ever; nothing is inlined, because the policy allows no inline code.
 * `tools/build-web.ts` gives it the folder to build into.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  plugins: [react()],
  resolve: {
    alias: {
      // In browsers it sets innerHTML, which the policy forbids.
      'decode-named-character-reference': ours('entities.ts'),
      // What Markdown brings along and does not need here: a quarter of its size.
      'mdast-util-to-markdown': ours('unwritten.ts'),
      'markdown-table': ours('unwritten.ts'),
      'property-information': ours('attributes.ts'),
      '@ungap/structured-clone': ours('cloned.ts'),
    },
  },
  build: {
    outDir: 'dist/by-hand',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    manifest: true,
    rolldownOptions: {
      output: {
        // A browser asks for six files at a time: dozens of small ones would cost it round trips.
        codeSplitting: {
          groups: [
            { name: 'vendor', tags: ['$initial'], test: /node_modules/, priority: 3 },
            { name: 'base', tags: ['$initial'], priority: 2 },
            { name: 'shared', test: SHARED, minShareCount: 3, priority: 1 },
          ],
        },
      },
    },
  },
})
