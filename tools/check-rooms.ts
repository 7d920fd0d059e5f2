import { globSync, readFileSync } from 'node:fs'
import { findWebImportErrors } from './web-rooms.ts'

/** Fails on an import that breaks the dependency rules of ARCHITECTURE.md. */
const ROOMS: Record<string, string[]> = {
  lib: [
    'node:crypto',
    'node:zlib',
    'fractional-indexing',
    'parse5',
    'hast',
    'hast-util-from-parse5',
    'hast-util-to-mdast',
    'mdast',
    'mdast-util-gfm',
    'mdast-util-to-markdown',
  ],
  wire: ['lib', 'typebox'],
  core: ['lib', 'wire', 'node:crypto'],
  db: ['lib', 'wire', 'core', 'kysely', 'pg', 'node:'],
  auth: [
    'lib',
    'wire',
    'core',
    'db',
    'kysely',
    'oidc-provider',
    'otpauth',
    'node:crypto',
    'node:util',
    'node:async_hooks',
    'node:http',
    'node:net',
  ],
  'rate-limits': ['lib', 'core'],
  files: ['lib', 'core', 'aws4fetch', 'node:'],
  sso: ['lib', 'core', 'openid-client'],
  mail: ['core', 'nodemailer', 'node:timers'],
  accounts: [
    'lib',
    'wire',
    'core',
    'db',
    'auth',
    'resources',
    'typebox',
    'kysely',
    'uqr',
    '@simplewebauthn',
    'node:crypto',
  ],
  resources: ['lib', 'wire', 'core', 'db', 'auth', 'typebox', 'kysely'],
  http: [
    'lib',
    'wire',
    'core',
    'db',
    'auth',
    'rate-limits',
    'files',
    'fastify',
    '@fastify',
    'typebox',
    'pino',
    'prom-client',
    'node:',
    'mdast',
    'mdast-util-from-markdown',
    'mdast-util-gfm',
    'micromark-extension-gfm',
  ],
  mcp: [
    'lib',
    'wire',
    'core',
    'db',
    'auth',
    'http',
    'resources',
    'typebox',
    'fastify',
    '@modelcontextprotocol',
  ],
  webhooks: ['lib', 'wire', 'core', 'db', 'kysely', 'undici', 'prom-client', 'node:'],
  push: ['lib', 'core', 'auth', 'db', 'resources', 'webhooks', 'node:crypto'],
  demo: ['lib', 'wire', 'core', 'db', 'auth', 'resources', 'webhooks', 'node:util'],
  jobs: ['lib', 'core', 'db', 'files', 'prom-client', 'node:timers'],
  backup: ['lib', 'core', 'db', 'files', 'jobs', 'prom-client', 'node:'],
  archive: [
    'lib',
    'wire',
    'core',
    'db',
    'auth',
    'files',
    'resources',
    'backup',
    'jobs',
    'typebox',
    'kysely',
    'node:',
  ],
  importers: [
    'lib',
    'wire',
    'core',
    'db',
    'files',
    'resources',
    'jobs',
    'archive',
    'csv-parse',
    'yauzl',
    'node:',
  ],
  config: [
    'lib',
    'core',
    'db',
    'rate-limits',
    'accounts',
    'sso',
    'files',
    'http',
    'mail',
    'webhooks',
    'backup',
    'node:',
  ],
  doctor: ['db', 'files', 'mail', 'node:'],
  cli: [
    'lib',
    'wire',
    'core',
    'db',
    'auth',
    'resources',
    'webhooks',
    'backup',
    'archive',
    'files',
    'doctor',
    'csv-parse',
    'node:',
  ],
}

/** Imports that only some files of a room may use. */
const NARROW: [pattern: RegExp, wanted: RegExp, why: string][] = [
  [
    /\/(contract|internal)\.ts$/,
    /^(?!#wire\/|#resources\/(?:web-app\/|applications\/)?[\w-]+\/(contract|internal|fields)\.ts$|typebox$)/,
    'a contract runs in a browser: only wire, typebox, other contracts and tables of fields',
  ],
  [
    /^src\/resources\/.*\/(contract|fields|load|index|rules|operations)[/.]/,
    /^kysely$/,
    'statements belong in a store',
  ],
  [
    /^src\/resources\//,
    /^#auth\/(authenticator|last-use)\.ts$/,
    'accounts, keys and workspaces are kept by auth, but who asks is known before an operation',
  ],
  [/^src\/(?!db)/, /^(pg|node:sqlite)$/, 'drivers belong in db'],
]

/** What each resource declares itself with. `nouns.ts` collects these, for the feed of changes and the archive. */
const NOUN_TYPES = '#resources/noun.ts'

/** A resource may import those above it in the URL tree, never those below or beside it. */
const ABOVE: Record<string, string[]> = {
  members: [],
  webhooks: ['projects'],
  deliveries: ['webhooks'],
  events: [],
  me: ['members'],
  workspace: ['me'],
  audit: [],
  'api-keys': [],
  applications: [],
  invitations: ['members', 'projects', 'sessions'],
  sessions: ['members', 'me'],
  'project-tasks': ['changes', 'projects', 'tags', 'tasks'],
  views: ['projects', 'members'],
  search: ['projects', 'tasks'],
  reports: ['time-entries'],
  boot: ['changes', 'sessions', 'projects', 'members', 'notifications', 'views'],
  approvals: ['operations'],
  offboarding: ['tasks', 'projects', 'members'],
  projects: ['members'],
  tags: ['projects'],
  tasks: ['projects', 'tags', 'members'],
  templates: ['tasks', 'projects', 'members'],
  exports: [],
  activity: ['tasks'],
  suggestions: ['tasks', 'projects'],
  notifications: ['tasks', 'projects'],
  'push-devices': ['webhooks'],
  changes: ['projects'],
  // An undo is the operation that takes a record back, of whichever noun.
  operations: [
    'events',
    'activity',
    'attachments',
    'comments',
    'projects',
    'tags',
    'tasks',
    'templates',
    'time-entries',
    'views',
  ],
}

/** What those may import that need no line above. */
const BELOW_TASKS = ['tasks', 'projects', 'members']

/** What only the screens of the web app ask for. */
const WEB_APP = 'src/resources/web-app/'
const nounOf = ([first = '', second = '']: readonly string[]) =>
  first === 'web-app' ? second : first

const ofServer = globSync('src/*/**/*.ts').flatMap((file) => {
  if (file.endsWith('.test.ts')) return []
  const [, room = '', ...path] = file.split('/')
  const noun = nounOf(path)
  // It starts everything, so it may import everything; no other room may import it.
  if (room === 'server') return []
  return importsOf(file).flatMap((wanted) => {
    const complaint = complaintAbout(wanted, room, noun, file)
    return complaint ? [`${file}: ${wanted}: ${complaint}`] : []
  })
})

/** A package of its own, which must not need the repository nor any other package. */
const ofConformance = globSync('conformance/src/**/*.ts').flatMap((file) =>
  importsOf(file)
    .filter((wanted) => !/^(?:node:|\.\.?\/)/.test(wanted))
    .map((wanted) => `${file}: ${wanted}: the package docket-conformance has no dependencies`),
)

const mistakes = [...ofServer, ...ofConformance, ...findWebImportErrors()]
console.log(mistakes.join('\n') || 'Rooms are in order.')
process.exitCode = mistakes.length > 0 ? 1 : 0

function importsOf(file: string): string[] {
  const found = readFileSync(file, 'utf8').matchAll(/(?:from|import\(?) '([^']+)'/g)
  return [...found].map(([, wanted = '']) => wanted)
}

function complaintAbout(wanted: string, room: string, noun: string, file: string) {
  if (wanted.startsWith('./')) return
  const narrow = NARROW.find(([files, packages]) => files.test(file) && packages.test(wanted))
  if (narrow) return narrow[2]
  if (wanted.startsWith('../')) {
    const top = file.startsWith(WEB_APP) ? 5 : room === 'resources' ? 4 : 3
    const depth = file.split('/').length - top
    const leaves = wanted.split('../').length - 1 > depth
    return leaves && room !== 'cli' ? 'a relative import stays in its room; use #room/…' : undefined
  }
  const [target = '', ...path] = wanted.replace(/^#/, '').split('/')
  const above = nounOf(path)
  if (wanted.startsWith('#resources/') && room === 'resources') {
    if (wanted === NOUN_TYPES || (noun === 'changes' && wanted === '#resources/nouns.ts')) return
    return (ABOVE[noun] ?? BELOW_TASKS).includes(above)
      ? undefined
      : `${noun} may not lean on ${above}`
  }
  const allowed = ROOMS[room]?.some(
    (one) => target === one || (one.endsWith(':') && target.startsWith(one)),
  )
  if (!allowed) return `the room ${room} may not use ${target}`
  return
}
