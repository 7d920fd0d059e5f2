import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/**
 * What the first page needs of packages, and the modules that translations use. The first chunk of our own
 * code waits for the translations, so they must not wait for it.
 */
const VENDOR =
  /node_modules|web[\\/]src[\\/](messages[\\/]plural|lib[\\/](locale[\\/](viewer|language)|state[\\/](atom|browser-storage)))\.ts/

/** Our own code that the first page needs, without its entry: an entry without code would leave the manifest. */
const BASE = /^(?!.*web[\\/](index\.html|src[\\/]main\.tsx))/

const STYLES = /web[\\/]src[\\/].*\.css$/

/** A pattern for paths of our own code. */
const ours = (...paths: string[]) =>
  new RegExp(`web/src/(${paths.join('|')})`.replaceAll('/', '[\\\\/]'))

const orTanStack = ({ source }: RegExp) => new RegExp(`${source}|[\\\\/]@tanstack[\\\\/]`)

/** Modules that three or more screens use. */
const SHARED =
  /web[\\/]src[\\/](lib[\\/](?!markdown[\\/])|data[\\/]|ui[\\/]|.*[\\/](task-side-panel|lazy-screen|default-status|property-definitions)\.)|src[\\/]lib[\\/](one-line|fit-title|fold-case|typed-duration)|[\\/]@tanstack[\\/]/

/** Modules of many screens, among which the list is not. */
const BESIDE_LIST = new RegExp(
  `useBlocker\\.|src[\\\\/]lib[\\\\/](csv|markdown-code|days|typed-dates)\\.|${
    ours(
      'lib/http/(upload|problem-words)',
      'lib/text/(csv|pasted-(lines|rows)|format-bytes)',
      'lib/browser/pasted-files',
      'lib/markdown/mentions',
      'lib/dates/(time-zone|date-context|recurrence-rule)',
      'data/app/undo',
      'data/resources/(attachments|time-entries)',
      'data/tasks/(create-task|task-conflicts|field-conflicts)',
      'data/tasks/(task-queries|pending-bulk-change|recent-tasks)',
      'data/live/apply-live-event',
      'data/session/(sign-out|boot-records|save-account)',
      'data/mutations/(record-|batch-outcomes|undo-mutations)',
      'messages/app/(unsaved|record-changes|refusals|markdown)',
      'ui/feedback/toasts',
      'ui/overlays/(dialog|confirm-form-loss|picker-options|option-list)',
      'ui/layout/(empty-state|long-list|row-starts|use-(measured|visible)|follow-scroll)',
      'ui/form/(unsaved-forms|use-request-keys)',
      '.*/placeholder-task',
    ).source
  }`,
)

/** Parts of the list that other features do not use. */
const LIST = ours(
  'replica/list-view',
  'messages/tasks/my-work',
  ...[
    '(list|rows(?!/(use-task-entry|title-field|match-snippet))|layout|grouping)/',
    'selection/(cursor|use)',
    'header/(project|view-tabs|view-menus|more)',
    'export/api-request',
    'filter/(filter-bar|filter-query|view-filter)',
    'lazy/(lazy|deferred-comp)',
    'quick-add/(quick-add-row|quick-add-context|new)',
    'project-view\\.',
  ].map((path) => `features/project-view/${path}`),
)

/** What the list and the other views of tasks have in common. */
const TASK_COMMANDS = ours(
  'features/project-view/(commands/(?!field-pickers)|rows/title-field|lazy/with-deferred|selection/list-selection|project-page-context|blocked-badge)',
  'data/tasks/bulk-command',
  'messages/tasks/project-view',
)

/** Parts of forms and tables, which many screens use, but not the list that is opened first. */
const FORMS = ours('ui/(form/form|layout/data-table)')

/** What a page loads as soon as it has started, before its first rows. */
const STARTED = ours('(ui/overlays/overlay-host|features/timer/|messages/app/banners)')

/** What lists of tasks load besides, those of several projects too. */
const BULK_CHANGES = ours(
  'ui/pointer/pointer-drag',
  'features/project-view/(bulk/|commands/field-pickers)',
  'messages/tasks/bulk-changes',
  'data/mutations/(bulk-change|batch-outcomes)',
  'data/tasks/(bulk-change-kind|pending-bulk-change)',
)

/** What applies changes to the screens, which do without it until they show their data. */
const APPLIED_CHANGES = ours('data/live/(apply-live-event|follow-)')

/** What the views of a project load after their first rows. */
const PROJECT_DEFERRED = new RegExp(
  `src[\\\\/]lib[\\\\/](cell-values|days|typed-dates|typed-sentence)\\.|${
    ours(
      'features/project-view/',
      'messages/tasks/(views|quick-add|empty-list|filter|treegrid-keys)',
    ).source
  }`,
)

/** Forms that both the account pages and the settings have. */
const ACCOUNT_FORMS = ours(
  '(features|messages)/accounts/',
  'features/settings/(profile/|agents/|one-time|managers-only)',
  'messages/settings/',
  'ui/(form/(field-group|password)|layout/secret)',
  'lib/browser/passkey',
)

/** What describes changes of a task, in its history and before a person allows them. */
const TASK_HISTORY = ours('features/task-detail/(thread|formatting)/', 'messages/tasks/activity')

/** What reads Markdown, for texts that are read as well as for those that are written. */
const MARKDOWN =
  /web[\\/]src[\\/]ui[\\/]lazy[\\/](rendered-markdown|render-markdown|parse-markdown|markdown-work)|web[\\/]src[\\/]lib[\\/]markdown[\\/](entities|markdown)\.|node_modules[\\/](micromark|mdast-util|unist-util)/

/** The editor for Markdown: of tasks, of comments and of the dialog for a new task. */
const EDITOR = ours(
  'ui/markdown/(?!markdown\\.)',
  'lib/markdown/(markdown-edit|toggle-mark|typed-mentions)',
)

/** Everything else that two screens use. */
const COMMON = orTanStack(ours(''))

const WITHOUT_DEPENDENCIES = { includeDependenciesRecursively: false }
const IF_SHARED = { minShareCount: 2, ...WITHOUT_DEPENDENCIES }

/** Importing one name from the index of a feature must not load the rest of the feature. */
const FEATURE_INDEX = /web[\\/]src[\\/]features[\\/][\w-]+[\\/]index\.ts$/

/**
 * Adds the script that runs before the first paint, as it is: Vite bundles modules only, and leaves the
 * name of any other script without a hash, so that each page would wait until it is revalidated.
 */
function addThemeScript(): Plugin {
  const isTheme = (file: string) => file.startsWith('assets/theme-')
  return {
    name: 'docket-theme-script',
    buildStart() {
      const source = readFileSync(join(import.meta.dirname, 'src/theme.js'))
      this.emitFile({ type: 'asset', name: 'theme.js', source })
    },
    transformIndexHtml: {
      order: 'post',
      handler: (_, { bundle = {} }) =>
        Object.keys(bundle)
          .filter(isTheme)
          .map((file) => ({ tag: 'script', attrs: { src: `/app/${file}` }, injectTo: 'head' })),
    },
  }
}

/**
 * Removes words in other languages than English and German from React Aria, which brings 34. Each has
 * lines of its own in the modules that list them, and a missing one is replaced by English.
 */
const removeOtherLanguages = (): Plugin => ({
  name: 'docket-other-languages',
  transform: {
    filter: { id: /intlStrings\.mjs$/ },
    handler: (code) => code.replace(/^.*"(?!\S*(de-DE|en-US))\S*[a-z]{2}-[A-Z]{2}\b.*$/gm, ''),
  },
})

/**
 * Builds the web app into web/dist. Every file but index.html carries a hash of its content in its name,
 * so it never changes and is cached for good; nothing is inlined, because the policy allows no inline code.
 * `tools/build-web.ts` gives it the folder to build into, `tools/check-bundle.ts` holds the budget.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  plugins: [react(), addThemeScript(), removeOtherLanguages()],
  resolve: {
    alias: [
      // In browsers it sets innerHTML, which the policy forbids.
      {
        find: 'decode-named-character-reference',
        replacement: join(import.meta.dirname, 'src/lib/markdown/entities.ts'),
      },
      // For React before version 18, which had no such hook.
      {
        find: /^use-sync-external-store\/shim\/with-selector(\.js)?$/,
        replacement: 'use-sync-external-store/with-selector.js',
      },
    ],
  },
  build: {
    outDir: 'dist/by-hand',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    // Served, too: the service worker keeps all files that it lists.
    manifest: 'files.json',
    rolldownOptions: {
      treeshake: {
        moduleSideEffects: [{ test: FEATURE_INDEX, sideEffects: false }],
      },
      output: {
        // Every route is a chunk. Browsers fetch six files at a time over HTTP/1.1, so what several routes
        // share is in few files: without the groups, the page of a list would fetch twenty files more.
        codeSplitting: {
          groups: [
            { name: 'vendor', tags: ['$initial'], test: VENDOR, priority: 11 },
            { name: 'base', tags: ['$initial'], test: BASE, priority: 10 },
            { name: 'styles', test: STYLES, priority: 9 },
            { name: 'forms', test: FORMS, priority: 8, ...IF_SHARED },
            {
              name: 'shared-pages',
              test: BESIDE_LIST,
              minShareCount: 3,
              priority: 8,
              ...WITHOUT_DEPENDENCIES,
            },
            { name: 'editor', test: EDITOR, priority: 8, ...IF_SHARED },
            { name: 'shared-changes', test: APPLIED_CHANGES, priority: 8, ...IF_SHARED },
            { name: 'shared', test: SHARED, minShareCount: 3, priority: 7 },
            { name: 'list', test: LIST, priority: 6, ...WITHOUT_DEPENDENCIES },
            { name: 'task-commands', test: TASK_COMMANDS, priority: 5, ...WITHOUT_DEPENDENCIES },
            { name: 'started', test: STARTED, priority: 4, ...IF_SHARED },
            { name: 'bulk', test: BULK_CHANGES, priority: 3, ...IF_SHARED },
            { name: 'project-deferred', test: PROJECT_DEFERRED, priority: 2, ...IF_SHARED },
            { name: 'account-forms', test: ACCOUNT_FORMS, priority: 2, ...IF_SHARED },
            { name: 'task-history', test: TASK_HISTORY, priority: 2, ...IF_SHARED },
            { name: 'markdown', test: MARKDOWN, priority: 2, ...IF_SHARED },
            { name: 'common', test: COMMON, priority: 1, ...IF_SHARED },
          ],
        },
      },
    },
  },
})
