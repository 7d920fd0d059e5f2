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
import { NOBODY } from '#core/actor.ts'
import type { Settings } from '#core/settings.ts'
import type { Storage } from '#core/tx.ts'
import type { Clock } from '#lib/clock.ts'
import { DATABASE } from './data-dir.ts'
import type { Migrated, Told } from './migrate.ts'
import { migrateSqlite } from './migrate-sqlite.ts'
import { sealer } from './seal.ts'
import { openForWriting, openSqlite } from './sqlite.ts'
import { commandOfAll, queryOfAll, row } from './statement.ts'

export interface Place {
  dataDir: string
  databaseUrl: string | undefined
  /** Its address for LISTEN, where that is another. */
  databaseListenUrl?: string | undefined
  /** That of a standby which may read. */
  databaseReplicaUrl?: string | undefined
  /** Whether other processes on the database are to be heard while they work. */
  isServing?: boolean
  /** Whether it is opened for a command that ends, and needs little memory. */
  isCommand?: boolean
  secret: string | undefined
  baseUrl: string
  settings: Settings
  onFatal?: (error: unknown) => void
  /** Hears what an operator should know of the schema. */
  told?: Told
  /** Whether work that awaits anything but its transaction fails; tests ask for it. */
  guard?: boolean
  /** Tells the time of what is stored (default: that of the machine, never going back). */
  clock?: Clock | undefined
}

/** An open store with the secret that belongs to it. */
export interface Opened {
  storage: Storage
  secret: string
}

/** Opens the store of an installation: PostgreSQL where an address is set, else SQLite in the data directory. */
export async function openStore(place: Place): Promise<Opened> {
  const { dataDir, databaseUrl, baseUrl, settings, onFatal = () => {}, guard = false } = place
  const { isCommand = false } = place
  const listenUrl = place.databaseListenUrl ?? databaseUrl
  const replica = { replicaUrl: place.databaseReplicaUrl }
  const listening = place.isServing && listenUrl !== undefined && { listenUrl }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const secret = place.secret ?? secretIn(dataDir)
  const { clock, told } = place
  const surroundings = { baseUrl, settings, seal: sealer(secret), clock, told }
  const storage = databaseUrl
    ? await (await postgres()).openPostgres({
        ...{ url: databaseUrl, ...replica },
        ...listening,
        ...surroundings,
      })
    : openSqlite({ path: join(dataDir, DATABASE), onFatal, guard, isCommand, ...surroundings })
  try {
    await refuseForeignSecret(storage, secret)
  } catch (error) {
    await storage.close()
    throw error
  }
  return { storage, secret }
}

/** The driver takes memory that the embedded database does without. */
const postgres = () => import('./postgres.ts')

/** Brings the database to the version of this program, without opening it for anything else. */
export async function migrateStore({
  dataDir,
  databaseUrl,
}: Pick<Place, 'dataDir' | 'databaseUrl'>): Promise<Migrated> {
  if (databaseUrl) {
    const { migratePostgres } = await import('./migrate-postgres.ts')
    return migratePostgres(databaseUrl)
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const db = openForWriting(join(dataDir, DATABASE))
  try {
    return migrateSqlite(db)
  } finally {
    db.close()
  }
}

/**
 * The secret generated in the data directory; makes it on the first start. It gets its name when it
 * is whole and on the disk, and of two that start at once the first one's is kept.
 */
function secretIn(dataDir: string): string {
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

/** What only one secret gives, and what does not give it away. */
export const proofOf = (secret: string): string =>
  createHmac('sha256', secret).update('docket store').digest('base64url')

/** With another secret nothing sealed could be opened any more: better not to start. */
async function refuseForeignSecret(storage: Storage, secret: string): Promise<void> {
  const proof = proofOf(secret)
  await storage.write(NOBODY, async (tx) => {
    // Inserted first and looked at then: two that start at once must not both be the first.
    await tx.run(keepInstallationValue, { name: 'secret_proof', value: proof })
    const known = await tx.one(installationValue, { name: 'secret_proof' })
    if (known?.value !== proof) {
      throw new Error('DOCKET_SECRET is not the secret that this store was made with.')
    }
  })
}

/** Values of the whole installation, by name. */
export const installationValue = queryOfAll((db, $: { name: string }) =>
  db.selectFrom('installation').select('value').where('name', '=', $.name),
)

const keepInstallationValue = commandOfAll((db, $: { name: string; value: string }) =>
  db
    .insertInto('installation')
    .values(row($, 'name', 'value'))
    .onConflict((conflict) => conflict.doNothing()),
)
