import { createHmac, randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { conflict } from '#core/api-error.ts'
import type { OperatorSettings } from '#core/operator-settings.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { type Clock, createClock } from '#lib/clock.ts'
import { pickSlots, unscopedCommand, unscopedQuery } from '../core/statement.ts'
import type { StorageContext } from '../core/transaction.ts'
import { migrateSqlite } from '../migrate/migrate-sqlite.ts'
import type {
  MigrationListener,
  MigrationResult,
  SchemaEventListener,
} from '../migrate/schema-version.ts'
import { openSqlite, openSqliteWriter, type SqliteOptions } from '../sqlite/open-sqlite.ts'
import { makeDirectory, prepareDatabaseFile } from './data-dir.ts'
import { createEncryptor, type Encryptor, readStoredSecretProof } from './sealed-values.ts'

export interface StoreOptions {
  dataDir: string
  databaseUrl: string | undefined
  /** The address for LISTEN, if it differs. */
  databaseListenUrl?: string | undefined
  /** Whether to listen to the other processes on the database. */
  isServing?: boolean
  /** Whether a short-lived command opens the store, which should need little memory. */
  isCommand?: boolean
  /** Whether a command opens it that creates nothing; the installation must exist. */
  isReading?: boolean
  secret: string | undefined
  baseUrl: string
  settings: OperatorSettings
  onFatal?: (error: unknown) => void
  /** Receives what an operator should know about the schema. */
  onSchemaEvent?: SchemaEventListener
  /** Receives the beginning and the end of a migration of an existing database. */
  onMigration?: MigrationListener
  /** Whether work that awaits anything but its transaction fails; tests enable it. */
  guard?: boolean
  /** The clock of stored times (default: the machine's clock, never going back). */
  clock?: Clock | undefined
  /** Receives each audit entry after its commit. */
  onAuditEntry?: StorageContext['onAuditEntry']
}

const CLOCK_SET_BACK =
  'The clock of this machine was set back: stored times stand still until it has caught up'

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
  const { dataDir } = place
  if (!place.isReading) makeDirectory(dataDir, 0o700)
  const ownSecret = place.secret ?? (await readSecretFile(place))
  // A wrong secret is refused before a migration or a new secret is written. A command needs no
  // second connection for that, unless it would write a secret.
  if (place.isServing || ownSecret === undefined) await assertStoredSecret(place, ownSecret)
  const secret = ownSecret ?? createSecret(dataDir)
  const storage = await openStorage(place, createEncryptor(secret))
  try {
    await assertSecret(storage, place, secret)
  } catch (error) {
    await storage.close()
    throw error
  }
  return { storage, secret }
}

/** Whether an operator has set a secret, or the data directory has one. It may be the wrong one. */
export const hasSecret = ({ secret, dataDir }: Pick<StoreOptions, 'secret' | 'dataDir'>): boolean =>
  secret !== undefined || existsSync(secretPathOf(dataDir))

/** Opens the store of an installation whose secret is lost, for what needs none. */
export const openStoreWithoutSecret = (place: StoreOptions): Promise<Storage> =>
  openStorage(place, { encrypt: failWithoutSecret, decrypt: failWithoutSecret })

function failWithoutSecret(): never {
  throw new Error('The secret of the installation is missing')
}

/** Opens the store with a secret that has yet to become that of the installation. */
export async function openStoreWithNewSecret(place: StoreOptions): Promise<OpenedStore> {
  const secret = place.secret ?? newSecret()
  if (deriveSecretProof(secret) === (await readStoredSecretProof(place))) {
    throw conflict(
      'same_secret',
      'DOCKET_SECRET still is the secret of this database. Set it to the new one, or unset it to have one generated.',
    )
  }
  return { storage: await openStorage(place, createEncryptor(secret)), secret }
}

async function openStorage(place: StoreOptions, seal: Encryptor): Promise<Storage> {
  const { dataDir, databaseUrl, baseUrl, settings, onFatal = () => {}, guard = false } = place
  const { isCommand = false } = place
  const listenUrl = place.databaseListenUrl ?? databaseUrl
  const listenOptions = place.isServing && listenUrl !== undefined && { listenUrl }
  const { onSchemaEvent, onMigration } = place
  const reportSetBack = (ms: number) =>
    onSchemaEvent?.(CLOCK_SET_BACK, { seconds: Math.round(ms / 1_000) })
  const clock = place.clock ?? createClock(Date.now, reportSetBack)
  const context: StorageContext & Pick<SqliteOptions, 'onSchemaEvent' | 'onMigration'> = {
    baseUrl,
    settings,
    seal,
    clock,
    onAuditEntry: place.onAuditEntry,
    onSchemaEvent,
    onMigration,
  }
  return databaseUrl
    ? await (await importPostgres()).openPostgres({
        url: databaseUrl,
        directUrl: place.databaseListenUrl,
        ...listenOptions,
        ...context,
      })
    : openSqlite({ path: prepareDatabaseFile(dataDir), onFatal, guard, isCommand, ...context })
}

/** Imported on demand: with SQLite the driver would only take memory. */
const importPostgres = () => import('../postgres/open-postgres.ts')

/** Migrates the database to this program's version without opening it for anything else. */
export async function migrateStore({
  dataDir,
  databaseUrl,
  databaseListenUrl,
}: Pick<StoreOptions, 'dataDir' | 'databaseUrl' | 'databaseListenUrl'>): Promise<MigrationResult> {
  if (databaseUrl) {
    const { migratePostgres } = await import('../migrate/migrate-postgres.ts')
    return migratePostgres(databaseUrl, { directUrl: databaseListenUrl })
  }
  const db = openSqliteWriter(prepareDatabaseFile(dataDir))
  try {
    return migrateSqlite(db)
  } finally {
    db.close()
  }
}

const secretPathOf = (dataDir: string) => join(dataDir, 'secret')

async function readSecretFile(place: StoreOptions): Promise<string | undefined> {
  const path = secretPathOf(place.dataDir)
  if (!existsSync(path)) return undefined
  const text = readFileSync(path, 'utf8')
  // Only whitespace makes it ambiguous, and only then is a second connection needed.
  const isAmbiguous = text.trim() !== withoutLineBreak(text)
  return parseSecretFile(text, isAmbiguous ? await readStoredSecretProof(place) : undefined)
}

const withoutLineBreak = (text: string): string => text.replace(/\n$/, '')

/**
 * The secret in the text of a file. Whitespace at its ends does not count, unless it belongs to the
 * secret of the database, whose proof this is: DOCKET_SECRET may have some, which a restore writes to
 * the file.
 */
export function parseSecretFile(text: string, proof: string | undefined): string {
  const exact = withoutLineBreak(text)
  return proof !== undefined && deriveSecretProof(exact) === proof ? exact : text.trim()
}

/**
 * Generates the secret in the data directory. The file gets its name once it is complete and on the
 * disk; if two processes start at once, the first one's secret is kept.
 */
function createSecret(dataDir: string): string {
  const path = secretPathOf(dataDir)
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, `${newSecret()}\n`, { mode: 0o600, flush: true })
  try {
    linkSync(draft, path)
  } catch (error) {
    if (!existsSync(path)) throw error
  }
  rmSync(draft)
  flushDirectory(dataDir)
  return readFileSync(path, 'utf8').trim()
}

const newSecret = (): string => randomBytes(32).toString('base64url')

/** Where `secret renew` has put a secret, and the former one if the data directory had one. */
interface ReplacedSecret {
  path: string
  formerPath: string | undefined
}

const FORMER_SECRET = /^secret\.former/

/**
 * Puts a new secret into the data directory. The file that was there stays beside it, under a name with
 * the time, because backups of the time before need it.
 */
export function replaceSecretFile(dataDir: string, secret: string): ReplacedSecret {
  const path = secretPathOf(dataDir)
  const draft = `${path}.${process.pid}`
  const formerPath = existsSync(path)
    ? `${path}.former-${new Date().toISOString().replaceAll(':', '-')}`
    : undefined
  makeDirectory(dataDir, 0o700)
  writeFileSync(draft, `${secret}\n`, { mode: 0o600, flush: true })
  // A link fails if the name is taken, while a rename would replace what is there.
  if (formerPath !== undefined) linkSync(path, formerPath)
  renameSync(draft, path)
  flushDirectory(dataDir)
  return { path, formerPath }
}

/** Finds the file of a former secret that has this proof in a data directory. */
export function findFormerSecret(dataDir: string, proof: string): string | undefined {
  if (!existsSync(dataDir)) return undefined
  const paths = readdirSync(dataDir).filter((name) => FORMER_SECRET.test(name))
  return paths
    .map((name) => join(dataDir, name))
    .find((path) => deriveSecretProof(parseSecretFile(readFileSync(path, 'utf8'), proof)) === proof)
}

/** Makes a secret that of the database. What the former one has encrypted cannot be read any more. */
export const replaceSecretProof = (tx: WriteTx, secret: string): Promise<number> =>
  tx.run(upsertInstallationValue, { name: 'secret_proof', value: deriveSecretProof(secret) })

function flushDirectory(path: string): void {
  const directory = openSync(path, 'r')
  fsyncSync(directory)
  closeSync(directory)
}

/** An HMAC that identifies the secret without revealing it. */
export const deriveSecretProof = (secret: string): string =>
  createHmac('sha256', secret).update('docket store').digest('base64url')

/** Refuses another secret than that of the database, before anything is written. */
async function assertStoredSecret(place: StoreOptions, secret: string | undefined): Promise<void> {
  const proof = await readStoredSecretProof(place)
  if (proof === undefined || (secret && deriveSecretProof(secret) === proof)) return
  throw wrongSecretError(place, secret)
}

/** Says which secret is wrong or missing, and what to do about it. */
function wrongSecretError({ secret: fromSetting, dataDir }: StoreOptions, secret?: string): Error {
  const path = secretPathOf(dataDir)
  const [which, remedy] =
    fromSetting !== undefined
      ? ['DOCKET_SECRET', 'Set it to the secret']
      : [path, `Put the secret in ${path}, or set DOCKET_SECRET to the one`]
  const problem =
    secret === undefined
      ? 'The secret that this database was created with is missing.'
      : `${which} is not the secret that this database was created with.`
  return new Error(
    `${problem} ${remedy} that was stored with its backups. If it is lost, docket secret renew begins with a new one.`,
  )
}

/** Refuses another secret, with which no stored value could be decrypted. */
async function assertSecret(storage: Storage, place: StoreOptions, secret: string): Promise<void> {
  const proof = deriveSecretProof(secret)
  await storage.write(ANONYMOUS_ACTOR, async (tx) => {
    // Insert before reading: two processes that start at once must not both count as the first.
    await tx.run(ensureInstallationValue, { name: 'secret_proof', value: proof })
    const stored = await tx.one(installationValue, { name: 'secret_proof' })
    if (stored?.value !== proof) throw wrongSecretError(place, secret)
  })
}

/** Values of the whole installation, by name. */
export const installationValue = unscopedQuery((db, $: { name: string }) =>
  db.selectFrom('installation').select('value').where('name', '=', $.name),
)

interface InstallationValue {
  name: string
  value: string
}

/** Inserts a value of the installation unless it exists. */
export const ensureInstallationValue = unscopedCommand((db, $: InstallationValue) =>
  db
    .insertInto('installation')
    .values(pickSlots($, 'name', 'value'))
    .onConflict((conflict) => conflict.doNothing()),
)

/** Inserts or replaces a value of the installation. */
export const upsertInstallationValue = unscopedCommand((db, $: InstallationValue) =>
  db
    .insertInto('installation')
    .values(pickSlots($, 'name', 'value'))
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: $.value })),
)

/** Replaces a value of the installation if it still is the one that the caller has read. */
export const replaceInstallationValue = unscopedCommand(
  (db, $: InstallationValue & { was: string }) =>
    db
      .updateTable('installation')
      .set({ value: $.value })
      .where('name', '=', $.name)
      .where('value', '=', $.was),
)
