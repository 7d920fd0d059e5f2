import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { conflict } from '#core/refusal.ts'
import { keyOf } from '#files/files.ts'
import { DATABASE, holdDataDir } from '#storage/data-dir.ts'
import { pendingAfter } from '#storage/migrate.ts'
import { migrateStore, proofOf } from '#storage/open.ts'
import { sqliteCopyAt } from '#storage/sqlite-copy.ts'
import { damaged } from './damaged.ts'
import { install } from './install.ts'
import type { Place } from './make.ts'
import { DATABASE_COPY, FILES, type Manifest, manifestIn, SECRET } from './manifest.ts'
import { attachmentsIn } from './rows.ts'
import { readAll } from './sums.ts'

/** An empty installation that is to be filled. */
export interface Target extends Place {
  /** The secret that is set, if one is. */
  secret: string | undefined
  /** Values of the installation that are to be others: nothing is sent from what was restored. */
  values: Readonly<Record<string, string>>
}

/** How a restore went. */
export interface Restored {
  manifest: Manifest
  /** Where the secret is; `missing`: the operator has to bring it. */
  secret: 'set' | 'in the data directory' | 'missing'
  /** Migrations that the rows had not seen. */
  applied: string[]
}

type Told = (what: string) => void

/** Reads a backup to its last byte and holds it against what it says of itself. */
export async function checkBackup(from: string, told: Told): Promise<Manifest> {
  const manifest = await manifestIn(from)
  refuseNewer(manifest)
  await readAll(from, manifest, { placeFor: () => undefined, told })
  await compare(from, from, manifest)
  return manifest
}

/**
 * Fills an empty installation from a backup, which is checked on the way. The database comes last, so
 * that a restore that was killed has restored nothing, and is begun anew.
 */
export async function restoreBackup(from: string, target: Target, told: Told): Promise<Restored> {
  const manifest = await manifestIn(from)
  refuseUnfit(manifest, target)
  const { dataDir } = target
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const held = holdDataDir(dataDir)
  if (!held) throw conflict('store_in_use', `A Docket serves ${dataDir}: stop it first.`)
  try {
    const staged = join(dataDir, 'restoring')
    await refuseTaken(target, staged)
    await refuseSecret(from, manifest, target)
    await rm(staged, { recursive: true, force: true })
    await mkdir(staged, { mode: 0o700 })
    const placeFor = (path: string) =>
      path.startsWith(`${FILES}/`) || path === DATABASE_COPY ? join(staged, path) : undefined
    try {
      await readAll(from, manifest, { placeFor, told })
      await compare(from, staged, manifest)
    } catch (error) {
      await rm(staged, { recursive: true, force: true })
      throw error
    }
    await install({ from, staged, manifest, target, told })
  } finally {
    held.release()
  }
  const { applied } = await migrateStore(target)
  return { manifest, secret: secretAt(target), applied }
}

/** Tables of a newer version cannot be made anew, also where this one could work on them. */
const refuseNewer = ({ schema: version }: Manifest) => pendingAfter({ version, oldest: version })

function refuseUnfit(manifest: Manifest, place: Place): void {
  const { engine, attachments } = manifest
  refuseNewer(manifest)
  const here = place.databaseUrl === undefined ? 'sqlite' : 'postgres'
  if (engine !== here) {
    const how = engine === 'sqlite' ? 'leave DOCKET_DATABASE_URL out' : 'set DOCKET_DATABASE_URL'
    throw conflict('other_engine', `This is a backup of ${engine}, and this is ${here}: ${how}.`)
  }
  if (attachments.files + attachments.missing > 0 && place.bucket) {
    const how = 'restore without DOCKET_S3_…, and bring the files to the bucket afterwards.'
    throw conflict('files_elsewhere', `The backup has files, and here they are in a bucket: ${how}`)
  }
}

/** Nothing is ever put over what is there. A restore that was killed leaves what it had staged. */
async function refuseTaken({ dataDir, databaseUrl }: Place, staged: string): Promise<void> {
  const taken = (what: string) =>
    conflict('store_not_empty', `${what} is there already: restore into an empty place.`)
  if (databaseUrl !== undefined) {
    const { isPostgresTaken } = await import('#storage/postgres-load.ts')
    if (await isPostgresTaken(databaseUrl)) throw taken('A Docket in this database')
  }
  for (const ending of ['', '-wal', '-shm']) {
    const path = join(dataDir, `${DATABASE}${ending}`)
    if (databaseUrl === undefined && existsSync(path)) throw taken(path)
  }
  const files = await readdir(join(dataDir, FILES)).catch(() => [])
  if (files.length > 0 && !existsSync(staged)) throw taken(join(dataDir, FILES))
}

/** The secret that is set or lies here has to be the one of the backup. */
async function refuseSecret(from: string, manifest: Manifest, target: Target): Promise<void> {
  const { secret_proof } = manifest
  const given = target.secret ?? (await textAt(join(target.dataDir, SECRET)))
  const secret = given ?? (await textAt(join(from, SECRET)))
  if (secret === undefined || secret_proof === undefined) return
  if (proofOf(secret) === secret_proof) return
  const which = target.secret === undefined ? join(target.dataDir, SECRET) : 'DOCKET_SECRET'
  throw conflict('other_secret', `${which} is not the secret that this backup was made with.`)
}

const textAt = (path: string) =>
  readFile(path, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  )

function secretAt({ secret, dataDir }: Target): Restored['secret'] {
  if (secret !== undefined) return 'set'
  return existsSync(join(dataDir, SECRET)) ? 'in the data directory' : 'missing'
}

/** Rows against what was counted when they were saved, and files against rows. */
async function compare(from: string, files: string, manifest: Manifest): Promise<void> {
  const { engine, counts, attachments } = manifest
  if (engine === 'sqlite') {
    const found = sqliteCopyAt(join(files, DATABASE_COPY))
    for (const [table, count] of Object.entries(counts)) {
      if (found.counts[table] !== count) throw damaged(`${table} has not its ${count} rows.`)
    }
  }
  if (attachments.kept !== 'here') return
  let missing = 0
  for await (const { workspace_id, id, size_bytes } of attachmentsIn(from, engine)) {
    const key = keyOf(workspace_id, id)
    const found = await stat(join(files, FILES, key)).catch(() => undefined)
    if (found?.size !== size_bytes) missing += 1
  }
  if (missing !== attachments.missing) throw damaged(`${missing} files are missing.`)
}
