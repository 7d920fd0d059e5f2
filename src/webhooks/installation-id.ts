import { randomBytes } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { memoizeByShape, unscopedQuery } from '#db/core/statement.ts'
import {
  ensureInstallationValue,
  installationValue,
  replaceInstallationValue,
  upsertInstallationValue,
} from '#db/installation/open-store.ts'

/** Why nothing is sent to webhooks. */
export type InstallationMismatch = 'paused' | 'elsewhere' | 'older'

/** The installation that sends the webhooks of a database, until the operator moves it. */
export interface InstallationId {
  /**
   * Why nothing may be sent from here; undefined if it may. A database that has never been sent
   * from is assigned to this installation.
   */
  findMismatch(): Promise<InstallationMismatch | undefined>
  /** The same without a write: a `new` database is not assigned to this installation. */
  inspect(): Promise<InstallationMismatch | 'new' | undefined>
  /**
   * Whether this may be a copy, or was paused as one. The original may use the same places, so a copy
   * must not delete backups there, nor attachments in a bucket.
   */
  isCopy(): Promise<boolean>
  /** Increments the counter. Only right after a check without a mismatch: it would hide one. */
  recordHeartbeat(): Promise<void>
  /** Makes this the installation that sends. */
  resume(): Promise<void>
  /** Stops all sending until it is resumed. */
  pause(): Promise<void>
}

interface InstallationPlace {
  /** Reads the fingerprint in the database, and compares it with this installation. */
  read(): Promise<{
    stored: InstallationFingerprint | undefined
    state: InstallationMismatch | 'new' | undefined
  }>
  /** An id for the installation. */
  getId(): Promise<string>
  /** Writes a fingerprint beside the database. */
  save(fingerprint: InstallationFingerprint): Promise<void>
}

const VALUE_NAME = 'sending'
/** No installation has this id. */
const PAUSED_ID = 'nowhere'

/** Values of an installation that sends nothing until sending is resumed. */
export const SENDING_PAUSED_VALUES = {
  [VALUE_NAME]: formatFingerprint({ installationId: PAUSED_ID, heartbeat: 0 }),
}

/**
 * Tracks which installation sends the webhooks of a database. A restored or copied database must
 * not send by itself: the original has made its deliveries already, or is making them now.
 */
export function openInstallationId(storage: Storage, dataDir: string): InstallationId {
  const place =
    storage.engine === 'sqlite'
      ? createDirectoryPlace(storage, dataDir)
      : createClusterPlace(storage)

  async function hasNoWebhooks(): Promise<boolean> {
    return (await storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(anyWebhook, {}))) === undefined
  }

  /**
   * Writes the file first, so that it is never behind the database: a database that is behind the
   * file by more than one is an older copy.
   */
  async function write(
    fingerprint: InstallationFingerprint,
    statement: typeof upsertInstallationValue,
    auditAction?: 'sending.resumed',
  ): Promise<void> {
    await place.save(fingerprint)
    const row = { name: VALUE_NAME, value: formatFingerprint(fingerprint) }
    await storage.write(ANONYMOUS_ACTOR, async (tx) => {
      await tx.run(statement, row)
      if (auditAction) tx.audit(auditAction, null, {})
    })
  }

  async function inspect(): Promise<InstallationMismatch | 'new' | undefined> {
    const { stored, state } = await place.read()
    return stored === undefined && (await hasNoWebhooks()) ? 'new' : state
  }

  async function findMismatch(): Promise<InstallationMismatch | undefined> {
    const state = await inspect()
    if (state !== 'new') return state
    await write({ installationId: await place.getId(), heartbeat: 1 }, ensureInstallationValue)
    return undefined
  }

  return {
    inspect,
    findMismatch,
    async isCopy() {
      const state = await inspect()
      return state !== undefined && state !== 'new'
    },
    async recordHeartbeat() {
      if (storage.engine !== 'sqlite') return
      const previous = await loadFingerprint(storage)
      if (!previous) return
      // Counts from the committed value: a heartbeat that failed half-way is repeated, not skipped.
      const fingerprint = { ...previous, heartbeat: previous.heartbeat + 1 }
      await place.save(fingerprint)
      const change = {
        name: VALUE_NAME,
        value: formatFingerprint(fingerprint),
        was: formatFingerprint(previous),
      }
      await storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(replaceInstallationValue, change))
    },
    async resume() {
      const { heartbeat = 0 } = (await loadFingerprint(storage)) ?? {}
      const fingerprint = { installationId: await place.getId(), heartbeat: heartbeat + 1 }
      await write(fingerprint, upsertInstallationValue, 'sending.resumed')
    },
    async pause() {
      const { heartbeat = 0 } = (await loadFingerprint(storage)) ?? {}
      const value = formatFingerprint({ installationId: PAUSED_ID, heartbeat })
      await storage.write(ANONYMOUS_ACTOR, async (tx) => {
        await tx.run(upsertInstallationValue, { name: VALUE_NAME, value })
        tx.audit('sending.paused', null, {})
      })
    },
  }
}

async function loadFingerprint(storage: Storage): Promise<InstallationFingerprint | undefined> {
  const row = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.one(installationValue, { name: VALUE_NAME }),
  )
  return row && parseFingerprint(row.value)
}

/**
 * SQLite. A kill between the writes to file and database leaves the file ahead by one. Without the
 * file, or with a copy of it, the database came from elsewhere; with a file further ahead it is an
 * older copy.
 */
function createDirectoryPlace(storage: Storage, dataDir: string): InstallationPlace {
  const path = join(dataDir, VALUE_NAME)
  return {
    async read() {
      const file = await readFingerprint(path)
      // Read after the file, which is written first.
      const stored = await loadFingerprint(storage)
      if (stored?.installationId === PAUSED_ID) return { stored, state: 'paused' }
      const ahead = (file?.heartbeat ?? 0) - (stored?.heartbeat ?? 0)
      if (!stored) return { stored, state: ahead > 1 ? 'older' : 'new' }
      if (!file?.isOriginal || file.installationId !== stored.installationId)
        return { stored, state: 'elsewhere' }
      return { stored, state: ahead > 1 ? 'older' : undefined }
    },
    getId: async () => randomBytes(12).toString('base64url'),
    save: (fingerprint) => writeFingerprint(path, fingerprint),
  }
}

/** PostgreSQL: cluster, database and table have ids of their own, which a dump does not include. */
function createClusterPlace(storage: Storage): InstallationPlace {
  let mayReadCluster: boolean | undefined
  const load = () =>
    storage.read(ANONYMOUS_ACTOR, async (tx) => {
      mayReadCluster ??= (await tx.one(clusterIdPermission, {}))?.may === 1
      const row = await tx.one(postgresIdentity(mayReadCluster), { name: VALUE_NAME })
      if (!row) throw new Error('PostgreSQL did not return the identity of this database')
      return row
    })
  return {
    async read() {
      const { here, stored: text } = await load()
      if (text === null) return { stored: undefined, state: 'new' }
      const stored = parseFingerprint(text)
      if (stored.installationId === PAUSED_ID) return { stored, state: 'paused' }
      return { stored, state: stored.installationId === here ? undefined : 'elsewhere' }
    },
    getId: async () => (await load()).here,
    save: async () => {},
  }
}

/**
 * Identifies the sending installation: stored in the database and, with SQLite, in a file beside
 * it.
 */
interface InstallationFingerprint {
  /** The unique id of the installation. */
  installationId: string
  /** A counter that is incremented while the installation sends. */
  heartbeat: number
}

/** Formats a fingerprint as the text that the database stores. */
function formatFingerprint({ installationId, heartbeat }: InstallationFingerprint): string {
  return `${installationId} ${heartbeat}`
}

/** Parses the text of a fingerprint. */
function parseFingerprint(text: string): InstallationFingerprint {
  const [installationId = '', beat] = text.trim().split(' ')
  return { installationId, heartbeat: Number(beat) || 0 }
}

/**
 * Reads the fingerprint in a file, and whether the file is the one that was written, not a copy of it;
 * undefined if there is no file.
 */
async function readFingerprint(path: string) {
  const file = await open(path, 'r').catch(undefinedIfMissing)
  if (!file) return undefined
  try {
    const text = await file.readFile('utf8')
    return {
      ...parseFingerprint(text),
      isOriginal: text.trim().split(' ')[2] === (await fileIdentity(file)),
    }
  } finally {
    await file.close()
  }
}

/**
 * Writes a fingerprint to a new file that contains its own file identity, so that any copy of the
 * file is recognized as one. The file is on the disk when this returns.
 */
async function writeFingerprint(path: string, mark: InstallationFingerprint): Promise<void> {
  const draft = `${path}.draft`
  await rm(draft, { force: true })
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${formatFingerprint(mark)} ${await fileIdentity(file)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
  const directory = await open(dirname(path), 'r')
  await directory.sync().finally(() => directory.close())
}

/** Inode numbers are reused, creation times are not. The device number may change at a restart. */
async function fileIdentity(file: FileHandle): Promise<string> {
  const { ino, birthtimeNs } = await file.stat({ bigint: true })
  return `${ino}.${birthtimeNs}`
}

function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
  throw error
}

/** Any webhook of any workspace. */
const anyWebhook = unscopedQuery((db, _: object) => db.selectFrom('webhooks').select('id').limit(1))

/** Whether this PostgreSQL user may read the cluster id: reading it without the privilege fails. */
const clusterIdPermission = unscopedQuery((db, _: object) =>
  db.selectNoFrom(
    sql<number>`has_function_privilege('pg_control_system()', 'execute')::int`.as('may'),
  ),
)

/** What identifies the cluster, the database and the table in PostgreSQL, and what is stored there. */
const postgresIdentity = memoizeByShape((canReadCluster: boolean) => {
  const cluster = canReadCluster
    ? sql`(select system_identifier from pg_control_system())::text`
    : sql`current_database()`
  return unscopedQuery((db, $: { name: string }) =>
    db.selectNoFrom((is) => [
      sql<string>`concat_ws('/', ${cluster},
        (select oid from pg_database where datname = current_database()),
        to_regclass('installation')::oid)`.as('here'),
      is.selectFrom('installation').select('value').where('name', '=', $.name).as('stored'),
    ]),
  )
})
