import { globSync, readFileSync } from 'node:fs'
import { webMistakes } from './web-rooms.ts'

/** Fails on an import that the house does not allow; ARCHITECTURE.md tells the rules and why. */
const ROOMS: Record<string, string[]> = {
  lib: ['node:crypto', 'node:zlib', 'fractional-indexing'],
  wire: ['lib', 'typebox'],
  core: ['lib', 'wire', 'node:crypto'],
  storage: ['lib', 'wire', 'core', 'kysely', 'pg', 'node:'],
  identity: [
    ...['lib', 'wire', 'core', 'storage', 'kysely', 'oidc-provider', 'otpauth'],
    ...['node:crypto', 'node:util', 'node:async_hooks', 'node:http', 'node:net'],
  ],
  limits: ['lib', 'core', '@redis'],
  files: ['lib', 'core', 'aws4fetch', 'node:'],
  company: ['core', 'openid-client'],
  mail: ['core', 'nodemailer', 'node:timers'],
  accounts: [
    ...['lib', 'wire', 'core', 'storage', 'identity', 'resources'],
    ...['typebox', 'kysely', 'uqr', '@simplewebauthn', 'node:crypto'],
  ],
  consent: ['lib', 'wire', 'core', 'storage', 'identity', 'typebox'],
  resources: ['lib', 'wire', 'core', 'storage', 'identity', 'typebox', 'kysely'],
  http: [
    ...['lib', 'wire', 'core', 'storage', 'identity', 'limits', 'files'],
    ...['fastify', '@fastify', 'typebox', 'pino', 'prom-client', 'node:'],
  ],
  delivery: ['lib', 'wire', 'core', 'storage', 'kysely', 'undici', 'prom-client', 'node:'],
  traces: ['lib', 'wire', 'core', '@opentelemetry', 'prom-client', 'node:'],
  demo: ['lib', 'wire', 'core', 'storage', 'identity', 'resources', 'node:util'],
  upkeep: ['lib', 'core', 'storage', 'files', 'node:timers'],
  backup: ['lib', 'core', 'storage', 'files', 'node:'],
  moving: ['lib', 'core', 'storage', 'node:'],
  archive: [
    ...['lib', 'wire', 'core', 'storage', 'identity', 'files', 'resources', 'backup', 'upkeep'],
    ...['typebox', 'kysely', 'node:'],
  ],
  importing: [
    ...['lib', 'wire', 'core', 'storage', 'files', 'resources', 'upkeep', 'archive'],
    ...['csv-parse', 'yauzl', 'node:'],
  ],
  doctor: ['lib', 'core', 'storage', 'files', 'limits', 'mail', 'delivery', 'node:'],
  cli: [
    ...['lib', 'wire', 'core', 'storage', 'identity', 'resources', 'delivery'],
    ...['backup', 'moving', 'archive', 'files', 'doctor'],
    ...['oauth4webapi', 'node:'],
  ],
}

/** Packages that only some files of a room may use. */
const NARROW: [pattern: RegExp, wanted: RegExp, why: string][] = [
  [
    /\/(contract|internal)\.ts$/,
    /^(?!#wire\/|#resources\/[\w-]+\/(contract|internal)\.ts$|typebox$)/,
    'a contract runs in a browser: only wire, typebox and other contracts',
  ],
  [
    /^src\/resources\/.*\/(contract|fields|load|index|rules|operations)[/.]/,
    /^kysely$/,
    'statements belong in a store',
  ],
  [
    /^src\/resources\//,
    /^#identity\/(authenticate|last-use)\.ts$/,
    'accounts, keys and workspaces are kept by identity, but who asks is known before an operation',
  ],
  [/^src\/(?!storage)/, /^(pg|node:sqlite)$/, 'drivers belong in storage'],
]

/** A resource may lean on those above it in the URL tree, never on those below or beside it. */
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
  grants: [],
  invitations: ['members', 'projects', 'sessions'],
  sessions: ['members', 'me'],
  outline: ['projects', 'tasks'],
  views: ['projects', 'outline'],
  search: ['projects', 'tasks'],
  reports: ['projects'],
  boot: ['sessions', 'projects', 'members', 'notifications', 'views'],
  leaving: ['tasks', 'projects', 'members'],
  live: ['projects'],
  projects: ['members'],
  tags: ['projects'],
  tasks: ['projects', 'tags', 'members'],
  templates: ['tasks', 'projects', 'members'],
  comments: ['tasks', 'projects', 'members'],
  attachments: ['tasks', 'projects', 'members'],
  imports: ['tasks', 'projects'],
  exports: [],
  activity: ['tasks'],
  lost: ['tasks', 'projects'],
  notifications: ['tasks', 'projects'],
  'time-entries': ['tasks', 'projects', 'members'],
}

const ofServer = globSync('src/*/**/*.ts').flatMap((file) => {
  if (file.endsWith('.test.ts')) return []
  const [, room = '', noun = ''] = file.split('/')
  return importsOf(file).flatMap((wanted) => {
    const complaint = complaintAbout(wanted, room, noun, file)
    return complaint ? [`${file}: ${wanted}: ${complaint}`] : []
  })
})

const mistakes = [...ofServer, ...webMistakes()]
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
    const depth = file.split('/').length - (room === 'resources' ? 4 : 3)
    const leaves = wanted.split('../').length - 1 > depth
    return leaves && room !== 'cli' ? 'a relative import stays in its room; use #room/…' : undefined
  }
  const [target = '', above = ''] = wanted.replace(/^#/, '').split('/')
  if (wanted.startsWith('#resources/') && room === 'resources') {
    return ABOVE[noun]?.includes(above) ? undefined : `${noun} may not lean on ${above}`
  }
  const allowed = ROOMS[room]?.some(
    (one) => target === one || (one.endsWith(':') && target.startsWith(one)),
  )
  if (!allowed) return `the room ${room} may not use ${target}`
  return
}
