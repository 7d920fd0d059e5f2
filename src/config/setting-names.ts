import { findNearestName } from '#lib/nearest-name.ts'

/**
 * Variables of clients, which the documents ask people to export and which the server ignores. An
 * environment that has them is not misconfigured.
 */
const CLIENT_VARIABLES: ReadonlySet<string> = new Set([
  'DOCKET_URL',
  'DOCKET_KEY',
  'DOCKET_API_KEY',
  'DOCKET_PASSWORD',
  'DOCKET_WEBHOOK_SECRET',
  'DOCKET_CLIENT_ID',
  'DOCKET_CLIENT_SECRET',
])

/** Settings that there were once, whose default holds now. */
const FIXED_SETTINGS = [
  'AUDIT_RETENTION_DAYS',
  'DATABASE_WAIT',
  'DEFAULT_PLAN',
  'EVENT_RETENTION_DAYS',
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

/** Once for backups in a bucket, each beside the setting for files that holds for both now. */
const BACKUP_BUCKET_SETTINGS = ['ENDPOINT', 'REGION', 'ACCESS_KEY_ID', 'SECRET_ACCESS_KEY']

/** Settings that there were once, and what to do instead. */
const REMOVED_SETTINGS: ReadonlyMap<string, string> = new Map([
  [
    'DOCKET_REDIS_URL',
    'all processes count their rate limits in PostgreSQL, and one on SQLite in its memory: remove it',
  ],
  ['DOCKET_DATABASE_REPLICA_URL', 'all reads go to DOCKET_DATABASE_URL: remove it'],
  [
    'DOCKET_MIGRATE_TO',
    'name the target in docket migrate-to, and its password in PGPASSWORD or ~/.pgpass',
  ],
  ['DOCKET_OIDC_NAME', 'the sign-in page shows the host of DOCKET_OIDC_ISSUER: remove it'],
  ['DOCKET_PLAN_LOCKED', 'owners change the plan, except with DOCKET_SIGNUP=open: remove it'],
  [
    'DOCKET_WEBHOOK_ALLOW_HTTP',
    'webhooks may use http to the networks of DOCKET_WEBHOOK_ALLOWED_CIDRS: remove it',
  ],
  ...BACKUP_BUCKET_SETTINGS.map((name): [string, string] => [
    `DOCKET_BACKUP_S3_${name}`,
    `backups use DOCKET_S3_${name}; leave DOCKET_S3_BUCKET out if files stay in the data directory`,
  ]),
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
 * setting that was most likely meant.
 */
export function findUnknownVariables(
  env: EnvVariables,
  settings: readonly { name: string; isSecret: boolean }[],
): string[] {
  const names = settings.map(({ name }) => name)
  const files = settings.filter(({ isSecret }) => isSecret).map(({ name }) => name + FILE_SUFFIX)
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
