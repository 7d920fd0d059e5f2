import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { conflict } from '#core/api-error.ts'
import { makeDirectory } from '#db/installation/data-dir.ts'
import { isMissingFile } from '#files/disk.ts'
import { createS3Client, toNodeStream } from '#files/s3.ts'
import type { S3Settings } from '#files/s3-settings.ts'
import { DAY_MS } from '#lib/durations.ts'
import {
  BACKUP_MANIFEST_FILENAME,
  type BackupManifest,
  backupDamaged,
  CHECKSUMS_FILENAME,
  createHashedFile,
  fsyncDirectory,
  hashFile,
  parseBackupManifest,
  readChecksums,
} from '../backup-files.ts'
import { type BackupContent, writeBackup } from '../create-backup.ts'
import { verifyBackup } from '../restore-backup.ts'

/** Where backups are kept: a directory, or a bucket under a prefix that ends with a slash. */
export type BackupPlace =
  | { kind: 'directory'; path: string }
  | { kind: 'bucket'; s3: S3Settings; prefix: string }

/** A complete backup, which was read to its last byte before it got its name or its manifest. */
export interface StoredBackup {
  name: string
  manifest: BackupManifest
}

/** A place that holds backups, and what can be done there. */
export interface BackupTarget {
  /** The place as operators name it. */
  description: string
  /** Lists complete backups, oldest first. */
  list(): Promise<StoredBackup[]>
  /** Makes and checks a backup. If it is damaged, or the process dies, nothing is left that is listed as one. */
  store(
    name: string,
    content: BackupContent,
    onProgress: (what: string) => void,
  ): Promise<StoredBackup>
  remove(name: string): Promise<void>
  /** Removes what processes that died have left of the backups whose names `isOwn` accepts. */
  clearLeftovers(isOwn: (name: string) => boolean): Promise<void>
  /** Provides a backup as a local directory, below `workDirectory` if it must be downloaded. */
  fetch(
    name: string,
    workDirectory: string,
    onProgress: (what: string) => void,
  ): Promise<{ path: string; release(): Promise<void> }>
}

/** Reads a new backup. Any error makes it damaged: it could not be restored either. */
async function checkNewBackup(read: () => Promise<unknown>): Promise<void> {
  try {
    await read()
  } catch (error) {
    throw new Error(`It is damaged: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The backup of a manifest. None if that is missing or damaged. */
function toStoredBackup(name: string, text: string | undefined): StoredBackup[] {
  const manifest = text === undefined ? undefined : parseBackupManifest(text)
  return manifest ? [{ name, manifest }] : []
}

/** Sorts backups by their age, oldest first. */
const sortByAge = (backups: readonly StoredBackup[]): StoredBackup[] =>
  backups.toSorted((one, other) => (one.manifest.made_at < other.manifest.made_at ? -1 : 1))

/** Between the name of a backup and the rest: it is being made or removed. */
const DRAFT_MARK = '.part-'

/** Keeps backups in a directory. Each gets its name last, and loses it first. */
function createDirectoryTarget(directory: string): BackupTarget {
  const pathOf = (name: string) => join(directory, name)

  return {
    description: directory,
    async list() {
      const backups: StoredBackup[] = []
      for (const name of await listNames(directory)) {
        if (name.includes(DRAFT_MARK)) continue
        const manifest = await readTextFile(join(pathOf(name), BACKUP_MANIFEST_FILENAME))
        backups.push(...toStoredBackup(name, manifest))
      }
      return sortByAge(backups)
    },
    async store(name, content, onProgress) {
      await assertDirectory(directory)
      makeDirectory(directory, 0o700)
      const draft = await mkdtemp(`${pathOf(name)}${DRAFT_MARK}`)
      try {
        const manifest = await writeBackup(draft, content, onProgress)
        onProgress('checking')
        await checkNewBackup(() => verifyBackup(draft, () => {}))
        await rename(draft, pathOf(name)).catch(refuseTakenName)
        await fsyncDirectory(directory)
        return { name, manifest }
      } catch (error) {
        await rm(draft, { recursive: true, force: true })
        throw error
      }
    },
    async remove(name) {
      const removed = `${pathOf(name)}${DRAFT_MARK}removed`
      await rename(pathOf(name), removed)
      await rm(removed, { recursive: true, force: true })
    },
    async clearLeftovers(isOwn) {
      for (const name of await listNames(directory)) {
        const [backup = '', ...draft] = name.split(DRAFT_MARK)
        if (draft.length === 0 || !isOwn(backup)) continue
        await rm(pathOf(name), { recursive: true, force: true })
      }
    },
    fetch: async (name) => ({ path: pathOf(name), release: async () => {} }),
  }
}

async function assertDirectory(path: string): Promise<void> {
  const stats = await stat(path).catch(() => undefined)
  if (stats && !stats.isDirectory())
    throw conflict('backup_exists', `${path} is a file. Choose a directory.`)
}

function refuseTakenName(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  throw conflict('backup_exists', 'There is another backup of the same second. Run it again.')
}

async function listNames(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    if (isMissingFile(error)) return []
    throw error
  }
}

async function readTextFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isMissingFile(error)) return undefined
    throw error
  }
}

/** In the data directory: a backup is made there before it is uploaded. */
const STAGING_DIRECTORY = 'backup-staging'
/** Beside it, not in it: another user may check a backup, and would own a staging directory that it has made. */
const DOWNLOAD_PREFIX = 'docket-download-'
/** What is older is no longer in use: the process was killed. */
const MAX_LEFTOVER_AGE_MS = DAY_MS

/**
 * Keeps backups in a bucket, as objects under the name of each. The manifest is uploaded last and
 * deleted first: without it there is no backup.
 */
function createBucketTarget(s3: S3Settings, prefix: string, dataDir: string): BackupTarget {
  const client = createS3Client(s3)
  const staging = join(dataDir, STAGING_DIRECTORY)
  const keyOf = (name: string, path: string) => `${prefix}${name}/${path}`

  return {
    description: `s3://${s3.bucket}/${prefix.replace(/\/$/, '')}`,
    async list() {
      const backups: StoredBackup[] = []
      for (const name of await client.listDirectories(prefix)) {
        const manifest = await readText(keyOf(name, BACKUP_MANIFEST_FILENAME))
        backups.push(...toStoredBackup(name, manifest))
      }
      return sortByAge(backups)
    },
    async store(name, content, onProgress) {
      await mkdir(staging, { recursive: true, mode: 0o700 })
      const draft = await mkdtemp(join(staging, `${name}${DRAFT_MARK}`))
      try {
        return await makeAndUpload(name, draft, content, onProgress)
      } finally {
        await rm(draft, { recursive: true, force: true })
      }
    },
    remove,
    async clearLeftovers(isOwn) {
      await clearDataDirectory(isOwn)
      for (const name of await client.listDirectories(prefix)) {
        if (!isOwn(name)) continue
        const manifest = await readText(keyOf(name, BACKUP_MANIFEST_FILENAME))
        if (manifest === undefined) await remove(name)
      }
    },
    async fetch(name, workDirectory, onProgress) {
      if ((await readText(keyOf(name, BACKUP_MANIFEST_FILENAME))) === undefined) {
        throw backupDamaged(`There is no whole backup ${name} in the bucket.`)
      }
      await mkdir(workDirectory, { recursive: true, mode: 0o700 })
      const path = await mkdtemp(join(workDirectory, DOWNLOAD_PREFIX))
      const release = () => rm(path, { recursive: true, force: true })
      try {
        await download(name, CHECKSUMS_FILENAME, path)
        for await (const file of readChecksums(path)) {
          onProgress(`downloading ${file.path}`)
          await download(name, file.path, path)
        }
        return { path, release }
      } catch (error) {
        await release()
        throw error
      }
    },
  }

  /** Removes what killed processes have left in the data directory: of others, what is old. */
  async function clearDataDirectory(isOwn: (name: string) => boolean): Promise<void> {
    const staged = (await listNames(staging)).map((name) => join(staging, name))
    const downloads = (await listNames(dataDir)).filter((name) => name.startsWith(DOWNLOAD_PREFIX))
    for (const path of [...staged, ...downloads.map((name) => join(dataDir, name))]) {
      const madeAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
      const isOld = Date.now() - madeAt > MAX_LEFTOVER_AGE_MS
      if (!isOld && !isOwn(basename(path).split(DRAFT_MARK)[0] ?? '')) continue
      // One of another user may have to stay, which is no reason to make no backup.
      await rm(path, { recursive: true, force: true }).catch(() => {})
    }
  }

  async function makeAndUpload(
    name: string,
    draft: string,
    content: BackupContent,
    onProgress: (what: string) => void,
  ): Promise<StoredBackup> {
    const linksFiles = true
    const manifest = await writeBackup(draft, { ...content, linksFiles }, onProgress)
    onProgress('checking')
    // The rows are checked here, and afterwards that the bucket has the same bytes.
    await checkNewBackup(() => verifyBackup(draft, () => {}))
    await uploadFile(name, CHECKSUMS_FILENAME, draft)
    for await (const { path } of readChecksums(draft)) {
      onProgress(`uploading ${path}`)
      if (path !== BACKUP_MANIFEST_FILENAME) await uploadFile(name, path, draft)
    }
    onProgress('checking the bucket')
    try {
      await checkNewBackup(() => compareWithBucket(name, draft))
      await uploadFile(name, BACKUP_MANIFEST_FILENAME, draft)
      await checkNewBackup(() => assertUploaded(name, BACKUP_MANIFEST_FILENAME, draft))
    } catch (error) {
      await remove(name)
      throw error
    }
    return { name, manifest }
  }

  async function uploadFile(name: string, path: string, draft: string): Promise<void> {
    const file = join(draft, path)
    await client.put(keyOf(name, path), { path: file, size: (await stat(file)).size })
  }

  async function compareWithBucket(name: string, draft: string): Promise<void> {
    await assertUploaded(name, CHECKSUMS_FILENAME, draft)
    for await (const { path, sha256 } of readChecksums(draft)) {
      if (path !== BACKUP_MANIFEST_FILENAME) await assertSameBytes(keyOf(name, path), sha256)
    }
  }

  async function assertUploaded(name: string, path: string, draft: string): Promise<void> {
    await assertSameBytes(keyOf(name, path), (await hashFile(join(draft, path))).sha256)
  }

  async function assertSameBytes(key: string, sha256: string): Promise<void> {
    const hash = createHash('sha256')
    for await (const chunk of await readObject(key)) hash.update(chunk)
    if (hash.digest('hex') !== sha256) throw new Error(`${key} differs from what was uploaded.`)
  }

  async function download(name: string, path: string, to: string): Promise<void> {
    const file = await createHashedFile(join(to, path))
    try {
      for await (const chunk of await readObject(keyOf(name, path))) await file.write(chunk)
      await file.end()
    } catch (error) {
      await file.abandon()
      throw error
    }
  }

  async function readObject(key: string): Promise<AsyncIterable<Uint8Array>> {
    const reply = await client.request(key)
    if (reply.ok) return reply.body ? toNodeStream(reply.body) : Readable.from([])
    await reply.body?.cancel()
    throw new Error(`GET ${key}: ${reply.status}`)
  }

  /** Undefined only if the store says that there is no such object. */
  async function readText(key: string): Promise<string | undefined> {
    const reply = await client.request(key)
    const text = await reply.text()
    if (reply.ok) return text
    if (reply.status === 404) return undefined
    throw new Error(`GET ${key}: ${reply.status}`)
  }

  async function remove(name: string): Promise<void> {
    await client.remove(keyOf(name, BACKUP_MANIFEST_FILENAME))
    for await (const { key } of client.list(keyOf(name, ''))) await client.remove(key)
  }
}

/** Opens the place of backups. It touches nothing before the first use. */
export const openBackupTarget = (place: BackupPlace, dataDir: string): BackupTarget =>
  place.kind === 'directory'
    ? createDirectoryTarget(place.path)
    : createBucketTarget(place.s3, place.prefix, dataDir)
