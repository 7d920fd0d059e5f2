import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { link, mkdir, open, readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ApiError, conflict } from '#core/api-error.ts'
import type { DatabaseEngine } from '#core/transaction.ts'
import { BUILD_INFO } from '#db/installation/build-info.ts'
import type { BackupContents } from '#db/sqlite/backup.ts'

/**
 * Streams the lines of a file, which end at line feeds only. `node:readline` also breaks lines at
 * Unicode separators, which JSON does not escape.
 */
export async function* readFileLines(path: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(path, 'utf8')) {
    const parts = `${rest}${String(chunk)}`.split('\n')
    rest = parts.pop() ?? ''
    yield* parts
  }
  if (rest !== '') yield rest
}

/** The most lines and characters of a batch; a single line may be longer. */
interface LineBatchLimit {
  lines: number
  characters: number
}

/** Streams the lines of a file in batches. */
export async function* readFileLineBatches(
  path: string,
  most: LineBatchLimit,
): AsyncGenerator<string[]> {
  let batch: string[] = []
  let characters = 0
  for await (const line of readFileLines(path)) {
    const isFull = batch.length === most.lines || characters + line.length > most.characters
    if (isFull && batch.length > 0) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(line)
    characters += line.length
  }
  if (batch.length > 0) yield batch
}

/** The length of a file and its SHA-256. */
export interface FileDigest {
  size: number
  /** In lower-case hex. */
  sha256: string
}

const CHUNK_BYTES = 256 * 1024

/** Reads a file to its end and passes each chunk to `onChunk`. */
export async function hashFile(
  path: string,
  onChunk: (bytes: Uint8Array) => unknown = () => {},
): Promise<FileDigest> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    const bytes = chunk as Buffer
    hash.update(bytes)
    size += bytes.length
    await onChunk(bytes)
  }
  return { size, sha256: hash.digest('hex') }
}

/** Creates a file that only its owner can read, and hashes what is written. */
export async function createHashedFile(path: string) {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(path, 'wx', 0o600)
  const hash = createHash('sha256')
  let size = 0
  return {
    async write(bytes: Uint8Array): Promise<void> {
      hash.update(bytes)
      size += bytes.length
      for (let from = 0; from < bytes.length; ) {
        from += (await file.write(bytes, from)).bytesWritten
      }
    },
    /** Syncs the file to disk and closes it. */
    async end(): Promise<FileDigest> {
      await file.sync()
      await file.close()
      return { size, sha256: hash.digest('hex') }
    },
    /** Closes the file after a failure. */
    abandon: () => file.close().catch(() => {}),
  }
}

/** Copies a file and syncs the copy to disk. */
export async function copyHashedFile(from: string, to: string): Promise<FileDigest> {
  const copy = await createHashedFile(to)
  try {
    await hashFile(from, copy.write)
    return await copy.end()
  } catch (error) {
    await copy.abandon()
    throw error
  }
}

/** Errors of a link to another disk, on a file system without links, and of one link too many. */
const NO_LINK_CODES: readonly unknown[] = ['EXDEV', 'EPERM', 'ENOTSUP', 'EMLINK']

/** Gives a file a second name on the same disk, or copies it where that is not possible; reads it. */
export async function linkHashedFile(from: string, to: string): Promise<FileDigest> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  try {
    await link(from, to)
  } catch (error) {
    if (error instanceof Error && 'code' in error && NO_LINK_CODES.includes(error.code)) {
      return copyHashedFile(from, to)
    }
    throw error
  }
  return hashFile(to)
}

/** Syncs a directory and all directories below, so that the names of new files survive a crash. */
export async function fsyncTree(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) await fsyncTree(join(directory, entry.name))
  }
  await fsyncDirectory(directory)
}

/** Syncs one directory. */
export async function fsyncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  await handle.sync().finally(() => handle.close())
}

/** The error for a backup that differs from its manifest or checksums. */
export const backupDamaged = (what: string): ApiError =>
  conflict('backup_damaged', `${what} Nothing was restored. Use another backup.`)

/** The content of `manifest.json`. */
export interface BackupManifest extends BackupContents {
  /** The version of the file layout. No other one can be restored. */
  format: 1
  /** The version of the Docket that made it. */
  docket: string
  made_at: string
  engine: DatabaseEngine
  attachments: {
    kept: 'here' | 'in the bucket'
    /** The number of files in the backup. */
    files: number
    bytes: number
    /** Rows whose files were missing or damaged when the backup was made. */
    missing: number
    /** The keys of some of these files. */
    examples: string[]
  }
  /** `sealed`: encrypted with a passphrase. */
  secret: 'here' | 'sealed' | 'apart'
  /** Whether it was made by a schedule, which deletes its old backups. */
  kind: 'scheduled' | 'manual'
  /** The length of all other files together. */
  bytes: number
  /** The number of lines in `SHA256SUMS`, without that of the manifest. */
  files: number
}

export const BACKUP_MANIFEST_FILENAME = 'manifest.json'
export const DATABASE_COPY_FILENAME = 'docket.db'
export const SECRET_FILENAME = 'secret'
export const SEALED_SECRET_FILENAME = 'secret.sealed'
/** Holds one JSON Lines file for each table of a PostgreSQL backup. */
export const TABLES_DIRECTORY = 'tables'
export const FILES_DIRECTORY = 'files'

/** The version of the running Docket. */
export function docketVersion(): string {
  return BUILD_INFO.version
}

/** Reads the manifest of a backup. Throws 409 `backup_damaged` if there is none. */
export async function readBackupManifest(directory: string): Promise<BackupManifest> {
  const text = await readFile(join(directory, BACKUP_MANIFEST_FILENAME), 'utf8').catch(async () => {
    const names = await readdir(directory).catch(() => [])
    const isBackup = (name: string) => existsSync(join(directory, name, BACKUP_MANIFEST_FILENAME))
    const newest = names.filter(isBackup).toSorted().at(-1)
    const advice = newest === undefined ? '' : ` It has backups in it, such as ${newest}.`
    throw backupDamaged(
      `${directory} has no ${BACKUP_MANIFEST_FILENAME}: it is no backup, or not a whole one.${advice}`,
    )
  })
  const manifest = parseBackupManifest(text)
  if (manifest) return manifest
  throw backupDamaged(`${BACKUP_MANIFEST_FILENAME} is damaged, or was written by a newer release.`)
}

/** Parses a manifest. Undefined if it is damaged or of a newer release. */
export function parseBackupManifest(text: string): BackupManifest | undefined {
  try {
    const manifest = JSON.parse(text) as BackupManifest
    return manifest.format === 1 && typeof manifest.counts === 'object' ? manifest : undefined
  } catch {
    return undefined
  }
}

/** The list of all files of a backup, in the format of `sha256sum --check`. */
export const CHECKSUMS_FILENAME = 'SHA256SUMS'
const CHECKSUM_LINE = /^([0-9a-f]{64}) {2}(.+)$/
/** The paths that a backup may contain. None leads out of its directory. */
const ALLOWED_PATH =
  /^(manifest\.json|docket\.db|secret(\.sealed)?|tables\/\w+\.jsonl|files\/wsp_[0-9a-z]{26}\/att_[0-9a-z]{26})$/

/** Creates the list for a backup that is being made. */
export async function createChecksumList(directory: string) {
  const list = await createHashedFile(join(directory, CHECKSUMS_FILENAME))
  return {
    lines: 0,
    /** The length of the listed files together. */
    bytes: 0,
    async add(path: string, { sha256, size }: FileDigest): Promise<void> {
      await list.write(Buffer.from(`${sha256}  ${path}\n`))
      this.lines += 1
      this.bytes += size
    },
    end: () => list.end(),
    abandon: () => list.abandon(),
  }
}

/** Streams the list of the files of a backup. Throws 409 `backup_damaged` at an invalid line. */
export async function* readChecksums(
  directory: string,
): AsyncGenerator<{ path: string; sha256: string }> {
  for await (const line of readFileLines(join(directory, CHECKSUMS_FILENAME))) {
    const [, sha256 = '', path = ''] = CHECKSUM_LINE.exec(line) ?? []
    if (!ALLOWED_PATH.test(path)) throw backupDamaged(`${CHECKSUMS_FILENAME} has an invalid line.`)
    yield { path, sha256 }
  }
}

/** Where verified files are copied to, and the callback for each. */
interface VerifyFilesOptions {
  /** The path for the copy of a file; undefined if it is only read. */
  copyPathFor(path: string): string | undefined
  onFile(path: string): void
}

/** Verifies every file of a backup. Throws 409 `backup_damaged` if one differs or is missing. */
export async function verifyFiles(
  directory: string,
  { files }: BackupManifest,
  { copyPathFor, onFile }: VerifyFilesOptions,
): Promise<void> {
  let lines = 0
  for await (const { path, sha256 } of readChecksums(directory)) {
    onFile(path)
    const [from, to] = [join(directory, path), copyPathFor(path)]
    const reading = to === undefined ? hashFile(from) : copyHashedFile(from, to)
    const digest = await reading.catch(throwMissingFile)
    if (digest.sha256 !== sha256) throw backupDamaged(`${path} was changed after the backup.`)
    lines += 1
  }
  // The manifest is the last file of the list. Without it the list is truncated.
  if (lines !== files + 1) {
    throw backupDamaged(
      `${CHECKSUMS_FILENAME} names ${lines} files, and not ${files + 1} with ${BACKUP_MANIFEST_FILENAME}.`,
    )
  }
}

function throwMissingFile(error: unknown): never {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
    throw backupDamaged(`A file is missing: ${error.message}`)
  }
  throw error
}
