import { createHmac, randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { OperatorSettings } from '#core/operator-settings.ts'
import type { Storage } from '#core/transaction.ts'
import type { Clock } from '#lib/clock.ts'
import { pickSlots, unscopedCommand, unscopedQuery } from '../core/statement.ts'
import type { StorageContext } from '../core/transaction.ts'
import { migrateSqlite } from '../migrate/migrate-sqlite.ts'
import type { MigrationResult, SchemaEventListener } from '../migrate/schema-version.ts'
import { openSqlite, openSqliteWriter, type SqliteOptions } from '../sqlite/open-sqlite.ts'
import { prepareDatabaseFile } from './data-dir.ts'
import { createEncryptor } from './encryption.ts'

export interface StoreOptions {
  dataDir: string
  databaseUrl: string | undefined
  /** The address for LISTEN, if it differs. */
  databaseListenUrl?: string | undefined
  /** The address of a standby for reads. */
  databaseReplicaUrl?: string | undefined
  /** Whether to listen to the other processes on the database. */
  isServing?: boolean
  /** Whether a short-lived command opens the store, which should need little memory. */
  isCommand?: boolean
  secret: string | undefined
  baseUrl: string
  settings: OperatorSettings
  onFatal?: (error: unknown) => void
  /** Receives what an operator should know about the schema. */
  onSchemaEvent?: SchemaEventListener
  /** Whether work that awaits anything but its transaction fails; tests enable it. */
  guard?: boolean
  /** The clock of stored times (default: the machine's clock, never going back). */
  clock?: Clock | undefined
}

/** An open store and the installation's secret. */
export interface OpenedStore {
  storage: Storage
  secret: string
}

/**
 * Opens the store of an installation: PostgreSQL if an address is set, else SQLite in the data
 * directory.
 */
export async function openStore(place: StoreOptions): Promise<OpenedStore> {
  const { dataDir, databaseUrl, baseUrl, settings, onFatal = () => {}, guard = false } = place
  const { isCommand = false } = place
  const listenUrl = place.databaseListenUrl ?? databaseUrl
  const replicaOptions = { replicaUrl: place.databaseReplicaUrl }
  const listenOptions = place.isServing && listenUrl !== undefined && { listenUrl }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const secret = place.secret ?? loadOrCreateSecret(dataDir)
  const { clock, onSchemaEvent } = place
  const context: StorageContext & Pick<SqliteOptions, 'onSchemaEvent'> = {
    baseUrl,
    settings,
    seal: createEncryptor(secret),
    clock,
    onSchemaEvent,
  }
  const storage = databaseUrl
    ? await (await importPostgres()).openPostgres({
        ...{ url: databaseUrl, ...replicaOptions },
        ...listenOptions,
        ...context,
      })
    : openSqlite({ path: prepareDatabaseFile(dataDir), onFatal, guard, isCommand, ...context })
  try {
    await assertSecret(storage, secret)
  } catch (error) {
    await storage.close()
    throw error
  }
  return { storage, secret }
}

/** Imported on demand: with SQLite the driver would only take memory. */
const importPostgres = () => import('../postgres/open-postgres.ts')

/** Migrates the database to this program's version without opening it for anything else. */
export async function migrateStore({
  dataDir,
  databaseUrl,
}: Pick<StoreOptions, 'dataDir' | 'databaseUrl'>): Promise<MigrationResult> {
  if (databaseUrl) {
    const { migratePostgres } = await import('../migrate/migrate-postgres.ts')
    return migratePostgres(databaseUrl)
  }
  const db = openSqliteWriter(prepareDatabaseFile(dataDir))
  try {
    return migrateSqlite(db)
  } finally {
    db.close()
  }
}

/**
 * Reads the secret in the data directory, and generates it on the first start. The file gets its name
 * once it is complete and on the disk; if two processes start at once, the first one's secret is kept.
 */
function loadOrCreateSecret(dataDir: string): string {
  const path = join(dataDir, 'secret')
  if (!existsSync(path)) {
    const draft = `${path}.${process.pid}`
    writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true })
    try {
      linkSync(draft, path)
    } catch (error) {
      if (!existsSync(path)) throw error
    }
    rmSync(draft)
    flushDirectory(dataDir)
  }
  return readFileSync(path, 'utf8').trim()
}

function flushDirectory(path: string): void {
  const directory = openSync(path, 'r')
  fsyncSync(directory)
  closeSync(directory)
}

/** An HMAC that identifies the secret without revealing it. */
export const deriveSecretProof = (secret: string): string =>
  createHmac('sha256', secret).update('docket store').digest('base64url')

/** Refuses another secret, with which no stored value could be decrypted. */
async function assertSecret(storage: Storage, secret: string): Promise<void> {
  const proof = deriveSecretProof(secret)
  await storage.write(ANONYMOUS_ACTOR, async (tx) => {
    // Insert before reading: two processes that start at once must not both count as the first.
    await tx.run(insertInstallationValue, { name: 'secret_proof', value: proof })
    const stored = await tx.one(installationValue, { name: 'secret_proof' })
    if (stored?.value !== proof) {
      throw new Error('DOCKET_SECRET is not the secret that this database was created with.')
    }
  })
}

/** Values of the whole installation, by name. */
export const installationValue = unscopedQuery((db, $: { name: string }) =>
  db.selectFrom('installation').select('value').where('name', '=', $.name),
)

const insertInstallationValue = unscopedCommand((db, $: { name: string; value: string }) =>
  db
    .insertInto('installation')
    .values(pickSlots($, 'name', 'value'))
    .onConflict((conflict) => conflict.doNothing()),
)
