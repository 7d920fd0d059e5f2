import { findNearestName } from '#lib/nearest-name.ts'

/**
 * Variables of clients, which the documents ask people to export and which the server ignores. An
 * environment that has them is not misconfigured.
 */
export const CLIENT_VARIABLES: ReadonlySet<string> = new Set([
  'DOCKET_URL',
  'DOCKET_KEY',
  'DOCKET_API_KEY',
  'DOCKET_PASSWORD',
  'DOCKET_WEBHOOK_SECRET',
  'DOCKET_CLIENT_ID',
  'DOCKET_CLIENT_SECRET',
])

/** Settings that hold a secret: each may also be in a file, and its value is never printed. */
export const SECRET_SETTINGS: ReadonlySet<string> = new Set([
  'DOCKET_SECRET',
  'DOCKET_METRICS_TOKEN',
  'DOCKET_SMTP_URL',
  'DOCKET_DATABASE_URL',
  'DOCKET_DATABASE_LISTEN_URL',
  'DOCKET_MIGRATE_TO',
  'DOCKET_OIDC_CLIENT_SECRET',
  'DOCKET_S3_ACCESS_KEY_ID',
  'DOCKET_S3_SECRET_ACCESS_KEY',
  'DOCKET_BACKUP_PASSPHRASE',
  'DOCKET_BACKUP_S3_ACCESS_KEY_ID',
  'DOCKET_BACKUP_S3_SECRET_ACCESS_KEY',
])

/** Settings that there were once, whose default holds now. */
const FIXED_SETTINGS = [
  'DATABASE_WAIT',
  'LANDING',
  'NAME',
  'OIDC_ROLE',
  'OIDC_SCOPES',
  'TRASH_DAYS',
  'UNAUTHENTICATED_LIMIT',
  'WEBHOOK_DISABLE_AFTER_ATTEMPTS',
  'WEBHOOK_DISABLE_AFTER_SECONDS',
  'WEBHOOK_RETRY_SECONDS',
  'WEBHOOK_TIMEOUT_SECONDS',
  'WORKSPACE_ATTACHMENT_BYTES',
  'WORKSPACE_EXPORT_BYTES',
]

/** Settings that there were once, and what to do instead. */
const REMOVED_SETTINGS: ReadonlyMap<string, string> = new Map([
  [
    'DOCKET_REDIS_URL',
    'all processes count their rate limits in PostgreSQL, and one on SQLite in its memory: remove it',
  ],
  ['DOCKET_DATABASE_REPLICA_URL', 'all reads go to DOCKET_DATABASE_URL: remove it'],
  ...FIXED_SETTINGS.map((name): [string, string] => [
    `DOCKET_${name}`,
    'every installation has the same value: remove it',
  ]),
])

/** What follows the name of a secret setting to name a file that contains its value. */
export const FILE_SUFFIX = '_FILE'

/** The environment of a process. */
export type EnvVariables = Record<string, string | undefined>

/**
 * The variables that Kubernetes sets in each pod for a Service whose name begins with `docket`, such as
 * DOCKET_SERVICE_HOST and DOCKET_POSTGRES_PORT_5432_TCP_ADDR.
 */
const SERVICE_LINK =
  /^DOCKET_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/
const SERVICE_ADDRESS = /^(tcp|udp|sctp):\/\//

/**
 * One line for each DOCKET_ variable that is neither a setting nor a variable of clients, with the
 * setting that was most likely meant. `settings` are the names of all settings.
 */
export function findUnknownVariables(env: EnvVariables, settings: Iterable<string>): string[] {
  const names = [...settings].filter((name) => name.startsWith('DOCKET_'))
  const files = [...SECRET_SETTINGS].map((name) => `${name}${FILE_SUFFIX}`)
  const known = new Set([...names, ...files, ...CLIENT_VARIABLES])
  const isServiceLink = (name: string) =>
    env.KUBERNETES_SERVICE_HOST !== undefined && SERVICE_LINK.test(name)
  const unknown = Object.keys(env).filter(
    (name) => name.startsWith('DOCKET_') && !known.has(name) && !isServiceLink(name),
  )
  return unknown.toSorted().map((name) => {
    const isFile = name.endsWith(FILE_SUFFIX)
    const setting = isFile ? name.slice(0, -FILE_SUFFIX.length) : name
    const what = `${name} is not a setting`
    const instead = REMOVED_SETTINGS.get(setting)
    if (instead !== undefined) return `${name} is no longer a setting: ${instead}`
    if (names.includes(setting)) return `${what}: only a secret can be in a file; set ${setting}`
    const nearest = findNearestName(name, isFile ? [...names, ...files] : names)
    if (nearest !== undefined) return `${what}; did you mean ${nearest}?`
    return `${what}; docs/operations-reference.md lists all settings`
  })
}

/** Whether Kubernetes has set DOCKET_PORT to the address of a Service called `docket`. */
export const isServiceLinkPort = ({ DOCKET_PORT = '' }: EnvVariables): boolean =>
  SERVICE_ADDRESS.test(DOCKET_PORT)

export const SERVICE_LINK_PORT_MISTAKE =
  'DOCKET_PORT is the address of a Service called docket, which Kubernetes sets in each pod: set enableServiceLinks: false in the spec of the pod'
