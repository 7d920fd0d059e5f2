import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** What most screens are made of; only what opens later is apart from it. */
const SHARED = /web[\\/]src[\\/](lib|data|ui[\\/](?!lazy|markdown))|[\\/]@tanstack[\\/]/
/** What a project's list has in common with its other parts: one file instead of a dozen. */
const TASKS =
  /web[\\/]src[\\/](features[\\/]task[\\/]beside|features[\\/]tasks(?![\\/](plan|saved|window|heights|measures|blocks|quick-add|new-line|add-field|title-field|view-tabs|view-menus|head|filter-bar|filter-words|more-menu|api-request|sections|layout|list-keys|use-tasks|placement|ripening|group-head|column-heads|none-left|siblings|parts|early|cells|minis))|messages[\\/]tasks|data[\\/]project-index|ui[\\/]lamp)/

/** What the list, the board, the timeline and the calendar have in common, and a task beside them does without. */
const SCREENS = /web[\\/]src[\\/]features[\\/]tasks[\\/][a-z-]+\.tsx?/

const instead = (find: string, ours: string) => ({
  find,
  replacement: join(import.meta.dirname, 'src/lib', ours),
})

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
    alias: [
      // In browsers it sets innerHTML, which the policy forbids.
      instead('decode-named-character-reference', 'entities.ts'),
      // What Markdown brings along and does not need here: a quarter of its size.
      instead('mdast-util-to-markdown', 'unwritten.ts'),
      instead('markdown-table', 'unwritten.ts'),
      instead('property-information', 'attributes.ts'),
      instead('@ungap/structured-clone', 'cloned.ts'),
      // The words of React Aria in 33 other languages: the page says that it is in English.
      { find: /^(\.\.\/intl\/\w+)\/[a-z]{2}-[A-Z]{2}\.mjs$/, replacement: '$1/en-US.mjs' },
    ],
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
            { name: 'tasks', test: TASKS, minShareCount: 2, priority: 1 },
            { name: 'screens', test: SCREENS, minShareCount: 2, priority: 0 },
          ],
        },
      },
    },
  },
})
