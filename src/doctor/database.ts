import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { damageOf } from '#storage/data-dir.ts'
import { type Looked, lookAtStore, type Where } from '#storage/look.ts'
import { MIGRATIONS } from '#storage/migrations.ts'
import { proofOf } from '#storage/open.ts'
import { PARTED } from '#storage/parted.ts'
import { type Finding, findings, wordsOf } from './finding.ts'

const database = findings('database')
const schema = findings('schema')
const integrity = findings('integrity')
const clocks = findings('clock')
const secrets = findings('secret')
const tables = findings('tables')

const SKEW_MS = 2_000

/** Looks at the database and changes nothing. `looked`: what it told; undefined where it told nothing. */
export async function lookAtDatabase(
  where: Where,
): Promise<{ found: Finding[]; looked: Looked | undefined }> {
  const embedded = where.databaseUrl === undefined
  try {
    const looked = await lookAtStore(where)
    if (!looked) return { found: [database.ok('none yet: the first start makes it')], looked }
    const found = [engineOf(looked), schemaOf(looked), clockOf(looked, embedded)]
    if (looked.isUntimed) found.push(untimed)
    if (embedded) found.push(integrityOf(where.dataDir))
    if (looked.parted.size > 0) found.push(partedOf(looked))
    return { found, looked }
  } catch (error) {
    const how = embedded
      ? `If it is damaged: move docket.db, docket.db-wal and docket.db-shm out of ${where.dataDir}, and docket restore.`
      : 'Check DOCKET_DATABASE_URL, that PostgreSQL runs, and that it lets this user in.'
    return { found: [database.failed(wordsOf(error), how)], looked: undefined }
  }
}

const untimed = database.warning(
  'statements have no time-out: a pooler has dropped it',
  "alter role <user> set statement_timeout = '5s', and so lock_timeout = '4s' and idle_in_transaction_session_timeout = '30s'; then let the pooler reconnect.",
)

function engineOf({ version, unsafe }: Looked): Finding {
  if (unsafe.length === 0) return database.ok(`${version}, and commits are on the disk`)
  const how = 'Switch it on: without it an acknowledged write can be lost.'
  return database.failed(`${version} runs with ${unsafe.join(', ')}`, how)
}

function schemaOf({ schema: version, oldest, unfinished }: Looked): Finding {
  if (unfinished) {
    const how = 'Run the same docket migrate-to again: it goes on. Or empty this database.'
    return schema.failed('a move to this database is not finished', how)
  }
  const wanted = MIGRATIONS.length
  const said = `version ${version}, and this Docket knows ${wanted}`
  if (version === 0) return schema.ok('none yet: the first start makes it')
  if (version === wanted) return schema.ok(`version ${version}`)
  if (oldest <= wanted && version > wanted) {
    return schema.warning(
      `${said}: it may run beside`,
      'Finish the upgrade, or go on with it later.',
    )
  }
  if (version > wanted) {
    return schema.failed(said, 'Start the newer Docket that migrated it, or restore a backup.')
  }
  return schema.warning(said, 'docket backup with the old Docket; the next start migrates it.')
}

function clockOf({ ahead }: Looked, embedded: boolean): Finding {
  const seconds = `${Math.abs(ahead / 1000).toFixed(1)} s`
  if (Math.abs(ahead) <= SKEW_MS) return clocks.ok(`agrees with the database`)
  if (embedded) {
    const how = 'The clock was set back: let it follow a time server, and then start.'
    return clocks.failed(`the database was written ${seconds} in the future`, how)
  }
  const which = ahead > 0 ? 'ahead of' : 'behind'
  const how = 'Let both machines follow a time server (chrony, systemd-timesyncd).'
  return clocks.failed(`that of PostgreSQL is ${seconds} ${which} this one`, how)
}

function partedOf({ parted }: Looked): Finding {
  const said = [...parted].map(([table, parts]) => `${table} in ${parts}`).join(', ')
  const whole = PARTED.filter((table) => !parted.has(table))
  if (whole.length === 0) return tables.ok(`parts by workspace: ${said}`)
  const how = 'Stop the servers, and run docket partition again: it was ended before it was done.'
  return tables.warning(`parts by workspace: ${said}; whole: ${whole.join(', ')}`, how)
}

function integrityOf(dataDir: string): Finding {
  const damage = damageOf(dataDir)
  if (damage === undefined) return integrity.ok('every page of the database reads well')
  return integrity.failed(
    damage,
    `Stop Docket, move docket.db, docket.db-wal and docket.db-shm out of ${dataDir}, and docket restore.`,
  )
}

/** Whether there is a secret, and it is that of the store. */
export async function lookAtSecret(
  secret: string | undefined,
  where: Where,
  looked: Looked | undefined,
): Promise<Finding> {
  const path = join(where.dataDir, 'secret')
  const given = secret ?? (await readFile(path, 'utf8').catch(() => undefined))?.trim()
  const proof = looked?.secret_proof
  const name = secret === undefined ? path : 'DOCKET_SECRET'
  if (given === undefined) {
    if (proof === undefined) return secrets.ok('none yet: the first start makes it')
    return secrets.failed(
      'the database has one, and neither DOCKET_SECRET nor the data directory has it',
      `Put it into ${path}, from where it was kept beside the backups.`,
    )
  }
  if (proof !== undefined && proofOf(given) !== proof) {
    return secrets.failed(
      `${name} is not the one of this database`,
      'Use the secret that the database was made with; a start is refused.',
    )
  }
  const { mode = 0 } = (secret === undefined && (await stat(path))) || {}
  if ((mode & 0o077) !== 0) {
    return secrets.warning(`${path} is open to other users of this machine`, `chmod 600 ${path}`)
  }
  return secrets.ok(name)
}
