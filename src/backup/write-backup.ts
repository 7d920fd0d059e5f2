import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackupFileRow } from '#db/sqlite/backup.ts'
import { fileKey } from '#files/files.ts'
import {
  BACKUP_MANIFEST_FILENAME,
  type BackupManifest,
  docketVersion,
  FILES_DIRECTORY,
  SEALED_SECRET_FILENAME,
  SECRET_FILENAME,
} from './backup-manifest.ts'
import { copyRows, readAttachmentRows } from './backup-rows.ts'
import { createChecksumList } from './checksums.ts'
import { copyHashedFile, createHashedFile, fsyncTree, linkHashedFile } from './hashed-files.ts'

/** Where an installation keeps its data. */
export interface InstallationLocation {
  dataDir: string
  databaseUrl: string | undefined
  /** Whether the files are in an S3 bucket. */
  bucket: boolean
}

/** The secret of an installation as a backup holds it. */
export interface BackupSecret {
  /** `here`: as it is; `sealed`: encrypted with a passphrase. */
  form: 'here' | 'sealed'
  text: string
}

/** What to write. All of it can be sent to another process. */
export interface BackupContent {
  location: InstallationLocation
  /** The time that the backup carries. */
  madeAt: string
  kind: 'scheduled' | 'manual'
  /** The secret, if the backup should contain it. */
  secret: BackupSecret | undefined
  /**
   * Whether to link attachments instead of copying them. Only for a directory beside the data that
   * is deleted soon: attachments never change, but links share their bytes.
   */
  linksFiles: boolean
}

const MAX_EXAMPLES = 20

/**
 * Writes the rows from one snapshot, then the files that they refer to, and syncs everything to
 * disk. Files must not be deleted meanwhile (`withFileDeletionPaused`).
 */
export async function writeBackup(
  directory: string,
  { location, madeAt, kind, secret, linksFiles }: BackupContent,
  onProgress: (what: string) => void,
): Promise<BackupManifest> {
  const { dataDir, databaseUrl, bucket } = location
  const sums = await createChecksumList(directory)
  const addFile = linksFiles ? linkHashedFile : copyHashedFile
  try {
    const copied = await copyRows({ dataDir, databaseUrl, directory, sums, onProgress })
    const engine = databaseUrl === undefined ? 'sqlite' : 'postgres'
    const attachments: BackupManifest['attachments'] = {
      kept: bucket ? 'in the bucket' : 'here',
      files: 0,
      bytes: 0,
      missing: 0,
      examples: [],
    }
    if (!bucket) {
      for await (const row of readAttachmentRows(directory, engine)) {
        await addAttachment(row)
        onProgress(`${attachments.files} files`)
      }
    }
    if (secret) {
      const name = secret.form === 'here' ? SECRET_FILENAME : SEALED_SECRET_FILENAME
      await addTextFile(name, `${secret.text}\n`)
    }
    const manifest: BackupManifest = {
      format: 1,
      kind,
      docket: docketVersion(),
      made_at: madeAt,
      engine,
      ...copied,
      attachments,
      secret: secret?.form ?? 'apart',
      files: sums.lines,
      bytes: sums.bytes,
    }
    await addTextFile(BACKUP_MANIFEST_FILENAME, `${JSON.stringify(manifest, undefined, 2)}\n`)
    await sums.end()
    await fsyncTree(directory)
    return manifest

    async function addAttachment({ workspace_id, id, size_bytes, sha256 }: BackupFileRow) {
      const key = fileKey(workspace_id, id)
      const to = join(directory, FILES_DIRECTORY, key)
      const added = await addFile(join(dataDir, FILES_DIRECTORY, key), to).catch(ignoreMissingFile)
      if (added?.sha256 === sha256 && added.size === size_bytes) {
        await sums.add(`${FILES_DIRECTORY}/${key}`, added)
        attachments.files += 1
        attachments.bytes += added.size
      } else {
        await rm(to, { force: true })
        attachments.missing += 1
        if (attachments.examples.length < MAX_EXAMPLES) attachments.examples.push(key)
      }
    }
  } catch (error) {
    await sums.abandon()
    throw error
  }

  async function addTextFile(path: string, text: string): Promise<void> {
    const file = await createHashedFile(join(directory, path))
    await file.write(Buffer.from(text))
    await sums.add(path, await file.end())
  }
}

function ignoreMissingFile(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
  throw error
}
