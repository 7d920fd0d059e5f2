import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/**
 * What the first page needs of packages, and the modules that translations use. The first chunk of our own
 * code waits for the translations, so they must not wait for it.
 */
const VENDOR =
  /node_modules|web[\\/]src[\\/](messages[\\/]plural|lib[\\/](locale[\\/](viewer|language)|state[\\/]atom))\.ts/

/** Our own code that the first page needs, without its entry: an entry without code would leave the manifest. */
const BASE = /^(?!.*web[\\/](index\.html|src[\\/]main\.tsx))/

const STYLES = /web[\\/]src[\\/].*\.css$/

/** Modules that several screens use; what only one or two use goes with them. */
const SHARED = /web[\\/]src[\\/](lib|data|ui)[\\/]|[\\/]@tanstack[\\/]/

/** Parts of the list that other features do not use: one file compresses better than five. */
const LIST = new RegExp(
  [
    '(list|rows|layout|grouping)/',
    'selection/(cursor|use)',
    'header/(project|view-tabs|view-menus|more)',
    'filter/(filter-bar|filter-query|view-filter|clause)',
    'drag/(use-row|move)',
    'lazy/(lazy|deferred-comp)',
    'quick-add/(quick-add-row|quick-add-context|new)',
    'project-view\\.',
  ]
    .map((path) => `features/project-view/${path}`)
    .join('|')
    .replaceAll('/', '[\\\\/]'),
)

/** Parts of forms and tables, which many screens use, but not the list that is opened first. */
const FORMS = /web[\\/]src[\\/]ui[\\/](form[\\/]form|layout[\\/]data-table)/

/** Importing one name from the index of a feature must not load the rest of the feature. */
const FEATURE_INDEX = /web[\\/]src[\\/]features[\\/][\w-]+[\\/]index\.ts$/

/**
 * Builds the web app into web/dist. Every file but index.html carries a hash of its content in its name,
 * so it never changes and is cached for good; nothing is inlined, because the policy allows no inline code.
 * `tools/build-web.ts` gives it the folder to build into, `tools/check-bundle.ts` holds the budget.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  plugins: [react()],
  resolve: {
    alias: [
      // In browsers it sets innerHTML, which the policy forbids.
      {
        find: 'decode-named-character-reference',
        replacement: join(import.meta.dirname, 'src/lib/markdown/entities.ts'),
      },
      // React Aria brings its words in 34 languages; the app speaks two.
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
      treeshake: {
        moduleSideEffects: [{ test: FEATURE_INDEX, sideEffects: false }],
      },
      output: {
        // Every route is a chunk. Browsers fetch six files at a time, so what many routes share is in few files.
        codeSplitting: {
          groups: [
            { name: 'vendor', tags: ['$initial'], test: VENDOR, priority: 4 },
            { name: 'base', tags: ['$initial'], test: BASE, priority: 3 },
            { name: 'styles', test: STYLES, priority: 2 },
            { name: 'list', test: LIST, priority: 0, includeDependenciesRecursively: false },
            { name: 'forms', test: FORMS, minShareCount: 2, priority: 2 },
            { name: 'shared', test: SHARED, minShareCount: 4, priority: 1 },
          ],
        },
      },
    },
  },
})
