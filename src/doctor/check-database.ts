import { constants } from 'node:fs'
import { access, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DATABASE_FILENAME, findDatabaseDamage } from '#db/installation/data-dir.ts'
import {
  type DatabaseLocation,
  type DatabaseStatus,
  inspectDatabase,
} from '#db/installation/inspect-database.ts'
import { deriveSecretProof, parseSecretFile } from '#db/installation/open-store.ts'
import { MIGRATIONS } from '#db/migrate/migrations.ts'
import { createFindings, describeError, type Finding } from './finding.ts'

const database = createFindings('database')
const schema = createFindings('schema')
const integrity = createFindings('integrity')
const clocks = createFindings('clock')
const secrets = createFindings('secret')

const MAX_CLOCK_SKEW_MS = 2_000

/** Inspects the database and its secret without changing them. */
export async function checkDatabase(
  where: DatabaseLocation & { secret?: string | undefined },
): Promise<Finding[]> {
  const isEmbedded = where.databaseUrl === undefined
  // What this user cannot read would look like a directory without a database.
  if (isEmbedded && (await isForbidden(join(where.dataDir, DATABASE_FILENAME)))) return [unreadable]
  const findings: Finding[] = []
  let state: DatabaseStatus | undefined
  try {
    state = await inspectDatabase(where)
    if (!state) findings.push(database.ok('none yet: it will be created on first start'))
    else {
      findings.push(checkEngine(state), checkSchema(state), checkClock(state, isEmbedded))
      if (state.lacksStatementTimeout) findings.push(missingTimeouts)
      if (isEmbedded) findings.push(checkIntegrity(where.dataDir))
    }
  } catch (error) {
    const how = isEmbedded
      ? `If it is damaged, move docket.db, docket.db-wal and docket.db-shm out of ${where.dataDir}, and run docket restore.`
      : 'Check DOCKET_DATABASE_URL, that PostgreSQL is running, and that it accepts this user.'
    findings.push(database.failed(describeError(error), how))
  }
  return [...findings, await checkSecret(where, state?.secret_proof)]
}

const isForbidden = (path: string): Promise<boolean> =>
  access(path, constants.R_OK).then(
    () => false,
    (error) => error.code === 'EACCES',
  )

const unreadable = database.failed(
  'not checked: this user cannot read it',
  'Run docket doctor as the user of the server.',
)

const missingTimeouts = database.warning(
  'statements have no timeout, because a pooler drops the setting',
  "Run alter role <user> set statement_timeout = '5s', and set lock_timeout = '4s' and idle_in_transaction_session_timeout = '30s' the same way; then let the pooler reconnect.",
)

function checkEngine({ version, versionProblem, unsafeSettings }: DatabaseStatus): Finding {
  if (versionProblem?.isRefused) {
    return database.failed(versionProblem.message, 'Docket does not start on it.')
  }
  if (unsafeSettings.length > 0) {
    const how = 'Turn it on: without it, acknowledged writes can be lost.'
    return database.failed(`${version} runs with ${unsafeSettings.join(', ')}`, how)
  }
  if (versionProblem) {
    return database.warning(versionProblem.message, 'Upgrade Docket when a release supports it.')
  }
  return database.ok(`${version}, with durable commits`)
}

function checkSchema({ schema: version, minCodeVersion }: DatabaseStatus): Finding {
  const latest = MIGRATIONS.length
  const versions = `version ${version}, but this release has ${latest}`
  if (version === 0) return schema.ok('none yet: it will be created on first start')
  if (version === latest) return schema.ok(`version ${version}`)
  if (minCodeVersion <= latest && version > latest) {
    return schema.warning(
      `${versions}; this release can still use it`,
      'Finish the upgrade when you are ready.',
    )
  }
  if (version > latest) {
    return schema.failed(versions, 'Start the newer release that migrated it, or restore a backup.')
  }
  return schema.warning(
    versions,
    'Run docket backup with the old release first; the next start migrates the database.',
  )
}

function checkClock({ clockAheadMs }: DatabaseStatus, isEmbedded: boolean): Finding {
  const seconds = `${Math.abs(clockAheadMs / 1000).toFixed(1)} s`
  if (Math.abs(clockAheadMs) <= MAX_CLOCK_SKEW_MS) return clocks.ok(`agrees with the database`)
  if (isEmbedded) {
    const how = 'The clock was set back. Synchronize it with a time server before you start Docket.'
    return clocks.failed(`the database was last written ${seconds} in the future`, how)
  }
  const which = clockAheadMs > 0 ? 'ahead of' : 'behind'
  const how = 'Synchronize both machines with a time server (chrony, systemd-timesyncd).'
  return clocks.failed(`the clock of PostgreSQL is ${seconds} ${which} this one`, how)
}

function checkIntegrity(dataDir: string): Finding {
  const damage = findDatabaseDamage(dataDir)
  if (damage === undefined) return integrity.ok('every page of the database is readable')
  return integrity.failed(
    damage,
    `Stop Docket, move docket.db, docket.db-wal and docket.db-shm out of ${dataDir}, and run docket restore.`,
  )
}

/** Checks that there is a secret and that the database was made with it. */
async function checkSecret(
  { dataDir, secret }: { dataDir: string; secret?: string | undefined },
  proof: string | undefined,
): Promise<Finding> {
  const path = join(dataDir, 'secret')
  const text = await readFile(path, 'utf8').catch(() => undefined)
  const value = secret ?? (text === undefined ? undefined : parseSecretFile(text, proof))
  const name = secret === undefined ? path : 'DOCKET_SECRET'
  if (value === undefined) {
    if (proof === undefined) return secrets.ok('none yet: it will be created on first start')
    return secrets.failed(
      'missing: neither DOCKET_SECRET nor the data directory has the secret of the database',
      `Copy it to ${path} from where you stored it for your backups.`,
    )
  }
  if (proof !== undefined && deriveSecretProof(value) !== proof) {
    return secrets.failed(
      `${name} is not the secret of this database`,
      'Use the secret that the database was created with; the server does not start without it.',
    )
  }
  const { mode = 0 } = (secret === undefined && (await stat(path))) || {}
  if ((mode & 0o077) !== 0) {
    return secrets.warning(
      `${path} is accessible to other users of this machine`,
      `Run: chmod 600 ${path}`,
    )
  }
  return secrets.ok(name)
}
