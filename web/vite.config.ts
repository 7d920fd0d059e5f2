import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** What most screens are made of; only what opens later is apart from it. */
const SHARED = /web[\\/]src[\\/](lib|data|ui[\\/](?!lazy|markdown))|[\\/]@tanstack[\\/]/
/** What a project's list has in common with its other parts: one file instead of a dozen. */
const TASKS =
  /web[\\/]src[\\/](features[\\/]task[\\/]beside|features[\\/]tasks|messages[\\/]tasks|data[\\/]project-index|ui[\\/]lamp)/

/** Screens that are seldom open, and small: together they are smaller by a third, and wait once. */
const SETTINGS =
  /web[\\/]src[\\/](features[\\/]settings|messages[\\/](members|webhooks|api-keys|applications|workspace))/
const ACCOUNTS = /web[\\/]src[\\/](features|messages)[\\/](accounts|consent)/

/** What they share with other screens, which would otherwise bring all of them along. */
const FORMS =
  /accounts[\\/]zones|messages[\\/]settings|settings[\\/](head|tell)|styles[\\/]settings/

/**
 * Packages, and what a dictionary uses: `base` waits for the dictionary, so the dictionary may not wait for `base`.
 */
const VENDOR =
  /node_modules|web[\\/]src[\\/](messages[\\/]plural|lib[\\/](viewer|signal|language))\.ts/

/** All that the first page runs but its entry: without code of its own that would be missing in the manifest. */
const BASE = /^(?!.*web[\\/](index\.html|src[\\/]main\.tsx))/

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
      // The words of React Aria in 32 languages that the app does not speak.
      { find: /^(\.\.\/intl\/\w+)\/(?!de)[a-z]{2}-[A-Z]{2}\.mjs$/, replacement: '$1/en-US.mjs' },
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
            { name: 'vendor', tags: ['$initial'], test: VENDOR, priority: 3 },
            { name: 'base', tags: ['$initial'], test: BASE, priority: 2 },
            { name: 'shared', test: SHARED, minShareCount: 3, priority: 1 },
            { name: 'tasks', test: TASKS, minShareCount: 2, priority: 1 },
            { name: 'forms', test: FORMS, priority: 2 },
            { name: 'common', test: /src[\\/]wire|infiniteQuery/, priority: 2 },
            { name: 'steps', test: /data[\\/]in-steps|queriesObserver|useQueries/, priority: 2 },
            { name: 'settings', test: SETTINGS, priority: 1 },
            { name: 'accounts', test: ACCOUNTS, priority: 1 },
          ],
        },
      },
    },
  },
})
