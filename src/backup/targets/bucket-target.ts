import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createS3Client, type S3Settings, toNodeStream } from '#files/s3-client.ts'
import { DAY_MS } from '#lib/durations.ts'
import { backupDamaged } from '../backup-damaged.ts'
import { BACKUP_MANIFEST_FILENAME, CHECK_FILENAME } from '../backup-manifest.ts'
import { CHECKSUMS_FILENAME, readChecksums } from '../checksums.ts'
import { createHashedFile, hashFile } from '../hashed-files.ts'
import { type BackupContent, writeBackup } from '../write-backup.ts'
import {
  assertSound,
  type BackupCheck,
  type BackupTarget,
  checkStoredBackup,
  readStoredBackup,
  type StoredBackup,
  sortByAge,
  soundCheck,
  unsoundCheck,
} from './backup-target.ts'

/** In the data directory: a backup is made there before it is uploaded. */
const STAGING_DIRECTORY = 'backup-staging'
/** Beside it, not in it: another user may check a backup, and would own a staging directory that it has made. */
const DOWNLOAD_PREFIX = 'docket-download-'
/** An older download is no longer being checked: the process was killed. */
const MAX_DOWNLOAD_AGE_MS = DAY_MS

/**
 * Keeps backups in a bucket, as objects under the name of each. The manifest is uploaded last and
 * deleted first: without it there is no backup.
 */
export function createBucketTarget(s3: S3Settings, prefix: string, dataDir: string): BackupTarget {
  const client = createS3Client(s3)
  const staging = join(dataDir, STAGING_DIRECTORY)
  const keyOf = (name: string, path: string) => `${prefix}${name}/${path}`

  return {
    description: `s3://${s3.bucket}/${prefix.replace(/\/$/, '')}`,
    async list() {
      const backups: StoredBackup[] = []
      for (const name of await client.listDirectories(prefix)) {
        const backup = await readStoredBackup(name, (path) => readText(keyOf(name, path)))
        if (backup) backups.push(backup)
      }
      return sortByAge(backups)
    },
    async store(name, content, onProgress) {
      await mkdir(staging, { recursive: true, mode: 0o700 })
      const draft = await mkdtemp(join(staging, 'backup-'))
      try {
        return await makeAndUpload(name, draft, content, onProgress)
      } finally {
        await rm(draft, { recursive: true, force: true })
      }
    },
    remove,
    async clearLeftovers(isOwn) {
      await clearDataDirectory()
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

  /** Removes what killed processes have left in the data directory. */
  async function clearDataDirectory(): Promise<void> {
    await rm(staging, { recursive: true, force: true })
    await mkdir(staging, { recursive: true, mode: 0o700 })
    for (const name of await readdir(dataDir)) {
      if (!name.startsWith(DOWNLOAD_PREFIX)) continue
      const path = join(dataDir, name)
      const madeAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
      if (Date.now() - madeAt < MAX_DOWNLOAD_AGE_MS) continue
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
    assertSound(await checkStoredBackup(draft))
    await uploadFile(name, CHECKSUMS_FILENAME, draft)
    for await (const { path } of readChecksums(draft)) {
      onProgress(`uploading ${path}`)
      if (path !== BACKUP_MANIFEST_FILENAME) await uploadFile(name, path, draft)
    }
    await uploadFile(name, BACKUP_MANIFEST_FILENAME, draft)
    onProgress('checking the bucket')
    const check = await compareWithBucket(name, draft)
    if (!check.sound) await remove(name)
    assertSound(check)
    const init = { method: 'PUT', body: JSON.stringify(check) }
    await assertStored(await client.request(keyOf(name, CHECK_FILENAME), init))
    return { name, manifest, check }
  }

  async function uploadFile(name: string, path: string, draft: string): Promise<void> {
    const file = join(draft, path)
    await client.put(keyOf(name, path), { path: file, size: (await stat(file)).size })
  }

  async function compareWithBucket(name: string, draft: string): Promise<BackupCheck> {
    try {
      const list = await hashFile(join(draft, CHECKSUMS_FILENAME))
      await assertSameBytes(keyOf(name, CHECKSUMS_FILENAME), list.sha256)
      for await (const { path, sha256 } of readChecksums(draft)) {
        await assertSameBytes(keyOf(name, path), sha256)
      }
      return soundCheck()
    } catch (error) {
      return unsoundCheck(error)
    }
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

async function assertStored(reply: Response): Promise<void> {
  await reply.body?.cancel()
  if (!reply.ok) throw new Error(`The result of the check cannot be stored: ${reply.status}`)
}
