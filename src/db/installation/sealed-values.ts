import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import {
  command,
  pickSlots,
  query,
  type Scoped,
  unscopedCommand,
  unscopedQuery,
} from '../core/statement.ts'
import { hasSqliteTable } from '../migrate/migrate-sqlite.ts'
import { DATABASE_FILENAME } from './data-dir.ts'
import type { DatabaseLocation } from './inspect-database.ts'
import type { PageSlots } from './record-lists.ts'

/** Encrypts secrets in the database: AES-256-GCM, bound to a context such as the workspace. */
export interface Encryptor {
  encrypt(text: string, context: string): string
  decrypt(sealed: string, context: string): string
}

/** Derives a key for one purpose from the installation's secret. */
export const deriveKey = (secret: string, purpose: string): Buffer =>
  createHmac('sha256', secret).update(purpose).digest()

export function createEncryptor(secret: string): Encryptor {
  const key = deriveKey(secret, 'seal')
  return {
    encrypt(text, context) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
    },
    decrypt(text, context) {
      const bytes = Buffer.from(text, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(12, 28))
      return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}

const SELECT_PROOF = "select value from installation where name = 'secret_proof'"

/**
 * Reads by which secret a database was created, without changing anything; undefined for a database
 * that was never opened.
 */
export async function readStoredSecretProof({
  dataDir,
  databaseUrl,
}: DatabaseLocation): Promise<string | undefined> {
  return databaseUrl === undefined ? readSqliteProof(dataDir) : readPostgresProof(databaseUrl)
}

function readSqliteProof(dataDir: string): string | undefined {
  const path = join(dataDir, DATABASE_FILENAME)
  if (!existsSync(path)) return undefined
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    const row = hasSqliteTable(db, 'installation') ? db.prepare(SELECT_PROOF).get() : undefined
    return row && String(row.value)
  } finally {
    db.close()
  }
}

async function readPostgresProof(url: string): Promise<string | undefined> {
  // Imported on demand: with SQLite the driver would only take memory.
  const { openPostgresPool } = await import('../postgres/pool.ts')
  const pool = openPostgresPool({ url, maxConnections: 1 })
  try {
    const exists = await pool.query("select to_regclass('installation') is not null as exists")
    if (exists.rows[0]?.exists !== true) return undefined
    const { rows } = await pool.query<{ value: string }>(SELECT_PROOF)
    return rows[0]?.value
  } finally {
    await pool.end()
  }
}

/** What is encrypted with the secret of the installation, or ends with it (`docket secret renew`). */

export const sessionTotals = unscopedQuery((db) =>
  db
    .selectFrom('sessions')
    .select((is) => [
      is.fn.countAll<number>().as('sessions'),
      sql<number>`count(distinct user_id)`.as('people'),
    ]),
)

export const removeAllSessions = unscopedCommand((db) => db.deleteFrom('sessions'))

/** Accounts with an authenticator app, by id. */
export const totpOwnersAfter = unscopedQuery((db, $: PageSlots) =>
  db
    .selectFrom('second_factors')
    .innerJoin('users', 'users.id', 'second_factors.user_id')
    .select(['users.id', 'users.email'])
    .where('second_factors.user_id', '>', $.after)
    .orderBy('second_factors.user_id')
    .limit($.limit),
)

export const webhooksAfter = query((db, $: Scoped<PageSlots>) =>
  db
    .selectFrom('webhooks')
    .select(['id', 'url'])
    .where('id', '>', $.after)
    .orderBy('id')
    .limit($.limit),
)

type SealedWebhookSecret = { id: string; sealed_secret: string; secret_hint: string }
export const replaceWebhookSecret = command((db, $: Scoped<SealedWebhookSecret>) =>
  db
    .updateTable('webhooks')
    .set({
      ...pickSlots($, 'sealed_secret', 'secret_hint'),
      sealed_previous_secret: null,
      previous_secret_expires_at: null,
    })
    .where('id', '=', $.id),
)

/** Jobs that cannot be done without what they hold encrypted, such as an email with a link. */
export const removeSealedJobs = unscopedCommand((db) =>
  db
    .deleteFrom('jobs')
    .where('ended_at', 'is', null)
    .where((is) => is.or([is('secret', 'is not', null), is('kind', '=', 'profile_change')])),
)

/** Replies of `Idempotency-Key` that hold a secret: they alone are no JSON. */
export const removeSealedReplies = unscopedCommand((db) =>
  db
    .deleteFrom('replies')
    .where('body', '<>', '')
    .where('body', 'not like', '{%')
    .where('body', 'not like', '[%'),
)
