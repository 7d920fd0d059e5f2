import { createCipheriv, createDecipheriv, randomBytes, randomUUID, scrypt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { conflict } from '#core/api-error.ts'
import { DATABASE_FILENAME, makeDirectory, serveDataDir } from '#db/installation/data-dir.ts'
import {
  deriveSecretProof,
  findFormerSecret,
  migrateStore,
  parseSecretFile,
} from '#db/installation/open-store.ts'
import { pendingMigrations } from '#db/migrate/schema-version.ts'
import { readSqliteBackupContents, setSqliteBackupValues } from '#db/sqlite/backup.ts'
import { fileKey } from '#files/files.ts'
import {
  type BackupManifest,
  backupDamaged,
  copyHashedFile,
  createHashedFile,
  DATABASE_COPY_FILENAME,
  FILES_DIRECTORY,
  fsyncDirectory,
  fsyncTree,
  readBackupManifest,
  SEALED_SECRET_FILENAME,
  SECRET_FILENAME,
  verifyFiles,
} from './backup-files.ts'
import { type InstallationLocation, readAttachmentRows, readTableLines } from './create-backup.ts'
import { NO_BACKUPS_VALUES } from './scheduled/backup-records.ts'

/** The content of `secret.sealed`: the secret under AES-256-GCM with a key that scrypt derives. */
interface SealedSecret {
  /** The version of the algorithms and their parameters. No other one can be opened. */
  format: 1
  salt: string
  nonce: string
  tag: string
  sealed: string
}

/** 32 MiB and about 0.2 s for each guess (OWASP Password Storage Cheat Sheet, scrypt). */
const SCRYPT_PARAMS = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 2 ** 20 }
const KEY_BYTES = 32

const deriveFromPassphrase = promisify<string, Buffer, number, typeof SCRYPT_PARAMS, Buffer>(scrypt)

/** Encrypts the secret of an installation with a passphrase. */
export async function sealSecret(secret: string, passphrase: string): Promise<string> {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)]
  const key = await deriveFromPassphrase(passphrase, salt, KEY_BYTES, SCRYPT_PARAMS)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  const content: SealedSecret = {
    format: 1,
    salt: salt.toString('base64url'),
    nonce: nonce.toString('base64url'),
    tag: cipher.getAuthTag().toString('base64url'),
    sealed: sealed.toString('base64url'),
  }
  return JSON.stringify(content)
}

/** Decrypts the secret. Throws 409 `wrong_passphrase` if it was encrypted with another one. */
async function openSealedSecret(text: string, passphrase: string): Promise<string> {
  const { salt, nonce, tag, sealed } = parseSealedSecret(text)
  const bytes = (part: string) => Buffer.from(part, 'base64url')
  const key = await deriveFromPassphrase(passphrase, bytes(salt), KEY_BYTES, SCRYPT_PARAMS)
  try {
    const options = { authTagLength: 16 }
    const decipher = createDecipheriv('aes-256-gcm', key, bytes(nonce), options)
    decipher.setAuthTag(bytes(tag))
    return decipher.update(bytes(sealed), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    throw conflict(
      'wrong_passphrase',
      'DOCKET_BACKUP_PASSPHRASE is not the passphrase with which the secret of this backup was sealed.',
    )
  }
}

function parseSealedSecret(text: string): SealedSecret {
  try {
    const content = JSON.parse(text) as Partial<SealedSecret>
    const { format, salt, nonce, tag, sealed } = content
    if (format === 1 && salt && nonce && tag && sealed) return { format, salt, nonce, tag, sealed }
  } catch {}
  throw backupDamaged('The sealed secret is damaged, or was written by a newer release.')
}

/** What an installation to restore into knows of the secret. */
interface SecretTarget {
  dataDir: string
  /** The value of DOCKET_SECRET, if it is set. */
  secret: string | undefined
  /** The value of DOCKET_BACKUP_PASSPHRASE, if it is set. */
  passphrase?: string | undefined
}

/**
 * Finds the secret of a backup: a former one of the data directory, or the sealed one. Undefined if the installation has its secret already, which
 * must be that of the backup, or if the backup has none that is sealed.
 */
async function openRestoredSecret(
  from: string,
  { secret: form, secret_proof }: BackupManifest,
  { dataDir, secret, passphrase }: SecretTarget,
): Promise<string | undefined> {
  const path = join(dataDir, SECRET_FILENAME)
  const isOfBackup = (text: string) =>
    secret_proof === undefined || deriveSecretProof(text) === secret_proof
  const file = await readText(path)
  const own = secret ?? (file === undefined ? undefined : parseSecretFile(file, secret_proof))
  const former = secret_proof === undefined ? undefined : findFormerSecret(dataDir, secret_proof)
  if (own !== undefined) {
    if (isOfBackup(own)) return undefined
    const which = secret === undefined ? path : 'DOCKET_SECRET'
    const where = former === undefined ? '' : ` It is in ${former}.`
    throw conflict('other_secret', `${which} is not the secret of this backup.${where}`)
  }
  if (former !== undefined && secret_proof !== undefined) {
    return parseSecretFile(await readFile(former, 'utf8'), secret_proof)
  }
  if (form !== 'sealed') return undefined
  if (passphrase === undefined) {
    const how = `Set DOCKET_BACKUP_PASSPHRASE, or put the secret in ${path}.`
    throw conflict('secret_missing', `The backup holds the secret encrypted. ${how}`)
  }
  const sealed = await readText(join(from, SEALED_SECRET_FILENAME))
  if (sealed === undefined) throw backupDamaged(`${SEALED_SECRET_FILENAME} is missing.`)
  const opened = await openSealedSecret(sealed, passphrase)
  if (isOfBackup(opened)) return opened
  throw backupDamaged(`${SEALED_SECRET_FILENAME} does not hold the secret of this backup.`)
}

const readText = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch(() => undefined)

/** A backup that was verified, with its files in their final place. */
interface StagedBackup {
  from: string
  /** A directory with a copy of its database, on the same disk as the data directory. */
  staged: string
  manifest: BackupManifest
  target: RestoreTarget
  /** The secret of the backup that was found, if the installation has none. */
  secret: string | undefined
  onProgress(what: string): void
}

/** Where the root of a disk keeps what its repair has found. It belongs to nobody who restores. */
const REPAIR_DIRECTORY = 'lost+found'

/** Lists the directories of files in a data directory. */
async function listFileDirectories(dataDir: string): Promise<string[]> {
  const directory = join(dataDir, FILES_DIRECTORY)
  const names = await readdir(directory).catch(() => [])
  return names.filter((name) => name !== REPAIR_DIRECTORY).map((name) => join(directory, name))
}

/** Moves everything else to its final place. The database comes last, in one atomic step. */
async function installBackup({
  from,
  staged,
  manifest,
  target,
  secret,
  onProgress,
}: StagedBackup): Promise<void> {
  const { dataDir, databaseUrl, values } = target
  const database = join(staged, DATABASE_COPY_FILENAME)
  const files = await listFileDirectories(dataDir)
  if (databaseUrl === undefined) setSqliteBackupValues(database, values)
  await fsyncTree(staged)
  for (const directory of files) await fsyncTree(directory)
  if (files.length > 0) await fsyncDirectory(join(dataDir, FILES_DIRECTORY))
  const secretPath = join(dataDir, SECRET_FILENAME)
  if (secret !== undefined) await writeSecret(secretPath, secret)
  else if (manifest.secret === 'here' && target.secret === undefined && !existsSync(secretPath)) {
    await copyHashedFile(join(from, SECRET_FILENAME), secretPath)
  }
  await fsyncDirectory(dataDir)
  if (databaseUrl === undefined) await rename(database, join(dataDir, DATABASE_FILENAME))
  else {
    const { loadPostgres } = await import('#db/postgres/load.ts')
    const { schema, counts } = manifest
    const readLines = (table: string) => readTableLines(from, table)
    await loadPostgres({
      url: databaseUrl,
      schema,
      counts,
      values,
      readLines,
      onTable: onProgress,
    })
  }
  await fsyncDirectory(dataDir)
  await rm(staged, { recursive: true, force: true })
}

async function writeSecret(path: string, secret: string): Promise<void> {
  const file = await createHashedFile(path)
  await file.write(Buffer.from(`${secret}\n`))
  await file.end()
}

/** The empty installation to restore into. */
export interface RestoreTarget extends InstallationLocation, SecretTarget {
  /** Overrides for rows of `installation`: a restored copy must not send to webhooks by itself. */
  values: Readonly<Record<string, string>>
}

/** The result of a restore. */
export interface RestoreResult {
  manifest: BackupManifest
  /** Where the secret is. If it is `missing`, the operator has to provide it. */
  secret: 'set' | 'in the data directory' | 'missing'
  /** Migrations that ran after the restore. */
  applied: string[]
}

type OnRestoreProgress = (what: string) => void

/** Checks that this release can restore a backup, which it reads to its last byte. */
export async function checkBackup(
  from: string,
  onProgress: OnRestoreProgress,
): Promise<BackupManifest> {
  assertNotNewer(await readBackupManifest(from))
  return verifyBackup(from, onProgress)
}

/**
 * Reads a backup to its last byte and compares it with its manifest and checksums. After a rollback
 * this release also makes backups of a newer schema, which only the newer release can restore.
 */
export async function verifyBackup(
  from: string,
  onProgress: OnRestoreProgress,
): Promise<BackupManifest> {
  const manifest = await readBackupManifest(from)
  await verifyFiles(from, manifest, { copyPathFor: () => undefined, onFile: onProgress })
  await compareWithManifest(from, { database: from, files: from }, manifest)
  return manifest
}

/**
 * Restores a backup into an empty installation and verifies it on the way. The database comes last,
 * so that a killed restore has restored nothing and can be started again.
 */
export async function restoreBackup(
  from: string,
  target: RestoreTarget,
  onProgress: OnRestoreProgress,
): Promise<RestoreResult> {
  const manifest = await readBackupManifest(from)
  assertCompatible(manifest, target)
  const { dataDir } = target
  makeDirectory(dataDir, 0o700)
  const lock = serveDataDir(dataDir)
  if (!lock) throw conflict('store_in_use', `A Docket server uses ${dataDir}. Stop it first.`)
  try {
    const staged = join(dataDir, 'restoring')
    await assertEmpty(target, staged)
    const secret = await openRestoredSecret(from, manifest, target)
    await clearUnfinishedRestore(dataDir, staged)
    await mkdir(staged, { mode: 0o700 })
    const copyPathFor = (path: string) => {
      // Straight to their place, which may be another disk.
      if (path.startsWith(`${FILES_DIRECTORY}/`)) return join(dataDir, path)
      return path === DATABASE_COPY_FILENAME ? join(staged, path) : undefined
    }
    try {
      await verifyFiles(from, manifest, { copyPathFor, onFile: onProgress })
      await compareWithManifest(from, { database: staged, files: dataDir }, manifest)
    } catch (error) {
      await clearUnfinishedRestore(dataDir, staged)
      throw error
    }
    // Positions of readers of the feed of changes belong to what the installation was before.
    const values = { ...NO_BACKUPS_VALUES, ...target.values, change_history: randomUUID() }
    await installBackup({
      from,
      staged,
      manifest,
      secret,
      onProgress,
      target: { ...target, values },
    })
  } finally {
    lock.release()
  }
  const { applied } = await migrateStore(target)
  return { manifest, secret: locateSecret(target), applied }
}

/** Tables of a newer version cannot be created, even if this version could run on them. */
const assertNotNewer = ({ schema: version }: BackupManifest) =>
  pendingMigrations({ version, minCodeVersion: version })

function assertCompatible(manifest: BackupManifest, location: InstallationLocation): void {
  const { engine, attachments } = manifest
  assertNotNewer(manifest)
  const engineHere = location.databaseUrl === undefined ? 'sqlite' : 'postgres'
  if (engine !== engineHere) {
    const how = engine === 'sqlite' ? 'unset DOCKET_DATABASE_URL' : 'set DOCKET_DATABASE_URL'
    throw conflict(
      'other_engine',
      `The backup is of ${engine}, but this installation uses ${engineHere}: ${how}.`,
    )
  }
  if (attachments.files + attachments.missing > 0 && location.bucket) {
    const how = 'Restore without the DOCKET_S3_… settings, then copy the files to the bucket.'
    throw conflict(
      'files_elsewhere',
      `The backup contains files, but this installation keeps them in a bucket. ${how}`,
    )
  }
}

/**
 * Existing data is never overwritten. Files next to a staging directory are those of a killed
 * restore.
 */
async function assertEmpty(
  { dataDir, databaseUrl }: InstallationLocation,
  staged: string,
): Promise<void> {
  const notEmpty = (what: string) =>
    conflict('store_not_empty', `${what} already exists. Restore into an empty installation.`)
  if (databaseUrl !== undefined) {
    const { hasDocketTables } = await import('#db/postgres/load.ts')
    if (await hasDocketTables(databaseUrl)) throw notEmpty('Docket data in this database')
  }
  for (const suffix of ['', '-wal', '-shm']) {
    const path = join(dataDir, `${DATABASE_FILENAME}${suffix}`)
    if (databaseUrl === undefined && existsSync(path)) throw notEmpty(path)
  }
  const files = await listFileDirectories(dataDir)
  if (files.length > 0 && !existsSync(staged)) throw notEmpty(join(dataDir, FILES_DIRECTORY))
}

/**
 * Removes what a restore that did not finish has left. The staging directory goes last: without it the
 * files would pass as those of an installation. Their own directory stays, which may be a mount point.
 */
async function clearUnfinishedRestore(dataDir: string, staged: string): Promise<void> {
  for (const path of await listFileDirectories(dataDir)) {
    await rm(path, { recursive: true, force: true })
  }
  await rm(staged, { recursive: true, force: true })
}

function locateSecret({ secret, dataDir }: RestoreTarget): RestoreResult['secret'] {
  if (secret !== undefined) return 'set'
  return existsSync(join(dataDir, SECRET_FILENAME)) ? 'in the data directory' : 'missing'
}

/** Compares the rows with the counts of the manifest, and the files with the rows. */
async function compareWithManifest(
  from: string,
  copies: { database: string; files: string },
  manifest: BackupManifest,
): Promise<void> {
  const { engine, counts, attachments } = manifest
  if (engine === 'sqlite') {
    const copy = readSqliteBackupContents(join(copies.database, DATABASE_COPY_FILENAME))
    for (const [table, count] of Object.entries(counts)) {
      if (copy.counts[table] !== count) throw backupDamaged(`${table} does not have ${count} rows.`)
    }
  }
  if (attachments.kept !== 'here') return
  let missing = 0
  for await (const { workspace_id, id, size_bytes } of readAttachmentRows(from, engine)) {
    const key = fileKey(workspace_id, id)
    const stats = await stat(join(copies.files, FILES_DIRECTORY, key)).catch(() => undefined)
    if (stats?.size !== size_bytes) missing += 1
  }
  if (missing !== attachments.missing) throw backupDamaged(`${missing} files are missing.`)
}
