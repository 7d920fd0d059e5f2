import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The allowed imports between the web app's folders: lib ◂ messages ◂ data ◂ ui ◂ features. Data
 * imports no screens, and ui imports no data of a resource, only the queue of toasts. The replica
 * knows neither screens nor the network: what it needs is injected, so that a simulation can run it.
 * Features reach it through data, except for the lists, whose rules they make.
 */
const ALLOWED_IMPORTS: Record<string, (string | RegExp)[]> = {
  lib: ['messages', 'mdast', 'react'],
  messages: ['lib'],
  replica: ['lib'],
  data: ['lib', 'messages', 'replica', 'react', '@tanstack/react-query'],
  ui: [
    'lib',
    'messages',
    'mdast',
    '@codemirror',
    'styles',
    'react',
    'react-dom',
    /^data\/app\/(toasts|undo)\.ts$/,
  ],
  features: [
    'lib',
    'messages',
    'data',
    'ui',
    'features',
    'styles',
    'react',
    'react-dom',
    '@tanstack/react-query',
    '@tanstack/react-router',
    /^replica\/list-view\.ts$/,
  ],
  // The entry modules at the top, which wire everything together.
  '': [/^(?!\w+:|@internationalized)/],
}

/** Packages that must not delay the first screen, and the only files that may import them. */
const LAZY_PACKAGES: [packages: RegExp, only: RegExp][] = [
  [/^(react-aria-components|react-aria|@internationalized\/date)/, /^ui\/lazy\//],
  [/^@codemirror\//, /^ui\/lazy\//],
  [/^(mdast-util-|micromark-)/, /^ui\/(lazy|markdown)/],
  [/^#lib\/html-to-markdown\//, /^ui\/lazy\//],
]

/**
 * What other features may import of a feature besides its index: modules that are loaded on demand,
 * each as a chunk of its own. The palette is one of them because an index with it would be a cycle.
 */
const LAZY_ENTRIES = [
  'features/accounts/accounts.ts',
  'features/screens-bundle.ts',
  'features/palette/palette.tsx',
  'features/project-view/composer/composer.tsx',
  'features/project-view/project-page.tsx',
  'features/reports/reports.tsx',
  'features/settings/lazy-sections.ts',
  'features/settings/settings-page.tsx',
  'features/task-detail/task-detail.ts',
]

/** Imports from the server: contracts as types, and as values only very small modules. */
const TYPE_IMPORTS = /^#(wire|resources|accounts)\/.*|^typebox$/
const CONTRACT_MODULES = /^#wire\/|\/(contract|internal|fields)\.ts$|^typebox$/
const VALUE_IMPORTS = /^#(wire\/(?:scopes|event-kinds|page-session-header)\.ts|lib\/[\w-]+\.ts)$/

/** The forbidden imports in web/src, one per line. */
export function findWebImportErrors(): string[] {
  return globSync('web/src/**/*.{ts,tsx}').flatMap((file) => {
    if (/\.test\.tsx?$/.test(file)) return []
    const path = file.slice('web/src/'.length)
    return importsOf(file).flatMap((one) => {
      const { specifier } = one
      const complaint = complaintAbout(path, one)
      return complaint ? [`${file}: ${specifier}: ${complaint}`] : []
    })
  })
}

/** One import: whether it is type-only (`type`), and whether it is dynamic (`late`). */
interface WebImport {
  specifier: string
  type: boolean
  isDynamic: boolean
}

function complaintAbout(
  path: string,
  { specifier, type, isDynamic }: WebImport,
): string | undefined {
  const later = LAZY_PACKAGES.find(([packages]) => packages.test(specifier))
  if (later) {
    if (type || later[1].test(path)) return
    return 'the first screen would wait for it: import() a file that uses it, in ui/lazy'
  }
  if (specifier.startsWith('#') || specifier === 'typebox') {
    if (VALUE_IMPORTS.test(specifier)) return
    if (!TYPE_IMPORTS.test(specifier) || !CONTRACT_MODULES.test(specifier))
      return 'a browser knows contracts alone'
    return type ? undefined : 'a schema would cost kilobytes: import type'
  }
  if (specifier.startsWith('node:')) return 'this runs in a browser'
  const target = specifier.startsWith('.') ? join(dirname(path), specifier) : specifier
  if (target.startsWith('ui/lazy/') && !path.startsWith('ui/lazy/') && !type && !isDynamic) {
    return 'the first screen would wait for it: import() it'
  }
  if (target.startsWith('..')) return 'a relative import stays in web/src; use #room/…'
  const feature = featureOf(target)
  if (feature && feature !== featureOf(path)) {
    const index = `features/${feature}/index.ts`
    if (target !== index && !LAZY_ENTRIES.includes(target))
      return `this is private to ${feature}: export it from ${index} and import that`
  }
  const room = roomOf(path)
  const allowed = ALLOWED_IMPORTS[room] ?? []
  if (room !== '' && roomOf(target) === room) return
  const may = allowed.some((one) =>
    typeof one === 'string' ? target === one || target.startsWith(`${one}/`) : one.test(target),
  )
  return may ? undefined : `${room} may not use ${target}`
}

/** The feature that a path belongs to; undefined outside of features. */
const featureOf = (path: string) => /^features\/([^/]+)\//.exec(path)?.[1]

/** The top folder of a path; empty for the files at the top. */
const roomOf = (path: string) => (path.includes('/') ? (path.split('/')[0] ?? '') : '')

function importsOf(file: string): WebImport[] {
  const found = readFileSync(file, 'utf8').matchAll(IMPORT_PATTERN)
  return [...found].map(([, type, specifier, later = '']) => {
    return {
      specifier: specifier ?? later,
      type: type !== undefined,
      isDynamic: specifier === undefined,
    }
  })
}

const IMPORT_PATTERN =
  /^(?:import|export)( type)?(?: [^'"=;]*? from)? '([^']+)'|\bimport\('([^']+)'\)/gm
