import { createHmac, randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { NOBODY } from '#core/actor.ts'
import type { Settings } from '#core/settings.ts'
import type { Storage } from '#core/tx.ts'
import { openPostgres } from './postgres.ts'
import { sealer } from './seal.ts'
import { openSqlite } from './sqlite.ts'
import { commandOfAll, queryOfAll, row } from './statement.ts'

export interface Place {
  dataDir: string
  databaseUrl: string | undefined
  secret: string | undefined
  baseUrl: string
  settings: Settings
  onFatal?: (error: unknown) => void
}

/** An open store with the secret that belongs to it. */
export interface Opened {
  storage: Storage
  secret: string
}

/** Opens the store of an installation: PostgreSQL where an address is set, else SQLite in the data directory. */
export async function openStore(place: Place): Promise<Opened> {
  const { dataDir, databaseUrl, baseUrl, settings, onFatal = () => {} } = place
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const secret = place.secret ?? secretIn(dataDir)
  const surroundings = { baseUrl, settings, seal: sealer(secret) }
  const storage = databaseUrl
    ? await openPostgres({ url: databaseUrl, ...surroundings })
    : openSqlite({ path: join(dataDir, 'docket.db'), onFatal, ...surroundings })
  try {
    await refuseForeignSecret(storage, secret)
  } catch (error) {
    await storage.close()
    throw error
  }
  return { storage, secret }
}

/** The secret generated in the data directory; makes it on the first start. */
function secretIn(dataDir: string): string {
  const path = join(dataDir, 'secret')
  if (!existsSync(path)) {
    const file = openSync(path, 'wx', 0o600)
    writeSync(file, `${randomBytes(32).toString('base64url')}\n`)
    fsyncSync(file)
    closeSync(file)
  }
  return readFileSync(path, 'utf8').trim()
}

/** With another secret nothing sealed could be opened any more: better not to start. */
async function refuseForeignSecret(storage: Storage, secret: string): Promise<void> {
  const proof = createHmac('sha256', secret).update('docket store').digest('base64url')
  await storage.write(NOBODY, async (tx) => {
    const known = await tx.one(installationValue, { name: 'secret_proof' })
    if (known && known.value !== proof) {
      throw new Error('DOCKET_SECRET is not the secret that this store was made with.')
    }
    if (!known) await tx.run(setInstallationValue, { name: 'secret_proof', value: proof })
  })
}

/** Values of the whole installation, by name. */
export const installationValue = queryOfAll((db, $: { name: string }) =>
  db.selectFrom('installation').select('value').where('name', '=', $.name),
)

export const setInstallationValue = commandOfAll((db, $: { name: string; value: string }) =>
  db
    .insertInto('installation')
    .values(row($, 'name', 'value'))
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: $.value })),
)
