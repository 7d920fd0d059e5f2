import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Files of the app whose path below web/src begins so. */
const own = (...beginnings: string[]): RegExp =>
  new RegExp(`web/src/(${beginnings.join('|')})`.replaceAll('/', '[\\\\/]'))

/** What most screens are made of; only what opens later is apart from it. */
const SHARED = new RegExp(
  `${own('(lib/(?!passkey|upload|csv|day-words|mentions)|data/(?!templates|comments|bulk)|ui/(?!lazy|markdown|secret|table|field|form))').source}|[\\\\/]@tanstack[\\\\/]`,
)
/** What a project's list has in common with its other parts: one file instead of a dozen. */
const TASKS = own(
  'features/tasks/(?!quick-add\\.|add-field|as-csv|none-left|ask-lines|bulk-bar|filter-field|view-sheet)[a-z-]+\\.',
  'features/tasks/plan/(read-only|spans|moved-span|reschedule|carry)',
  'messages/views',
  'data/(project-index|views|bulk-create)',
)

/**
 * What is used far from where it lies: apart from the files below, for with one of those come all others of it. In
 * few files, because what lies together packs a third better.
 */
const FAR = {
  fields: own('ui/(secret|table|field|form)', 'lib/upload'),
  acts: own(
    'features/tasks/(act|acts|bulk-acts|new-task|pickers|screen|marks)\\.',
    'styles/(list|board|plan|calendar|reports|floats)',
    'features/task/beside',
    'messages/tasks\\.',
  ),
  watch: own(
    'features/(inbox/watch|task/task-link\\.)',
    'messages/inbox',
    'data/comments',
    'lib/mentions',
  ),
  forms: own(
    'features/accounts/(first-project|zones|alone|throttled|code-form|use-act|company-button|setup-query)',
    'features/settings/(head|tell)',
    'ui/group-line',
    'messages/(settings|sign-in|accounts|first-project)\\.',
    'styles/settings',
    'lib/(csv|day-words|passkey)',
    'data/in-steps',
  ),
  /** Set up in the profile, and at the door of a workspace that demands one. */
  factors: own(
    'features/settings/(once-shown|profile/(ask|device\\.|means-query|passkeys|second-factor))',
  ),
  common: /src[\\/]wire|infiniteQuery|queriesObserver|useQueries/,
}
const groups = (all: Record<string, RegExp>, priority: number) =>
  Object.entries(all).map(([name, test]) => ({ name, test, priority }))

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
      // What React Aria brings along and nothing here asks for.
      {
        find: /^(\.\.\/(form\/useFormValidation|utils\/useFormReset|ssr\/SSRProvider)\.mjs|\.{1,2}\/(interactions\/)?useLongPress\.mjs|react-stately\/private\/form\/useFormValidationState|react-aria\/SSRProvider)$/,
        replacement: join(import.meta.dirname, 'src/lib/unused-aria.ts'),
      },
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
            { name: 'vendor', tags: ['$initial'], test: VENDOR, priority: 6 },
            { name: 'base', tags: ['$initial'], test: BASE, priority: 5 },
            { name: 'shared', test: SHARED, minShareCount: 3, priority: 4 },
            ...groups(FAR, 3),
            { name: 'tasks', test: TASKS, minShareCount: 2, priority: 2 },
          ],
        },
      },
    },
  },
})
