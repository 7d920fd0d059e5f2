import { mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { docketVersion } from '#backup/backup-manifest.ts'
import {
  createHashedFile,
  type FileDigest,
  fsyncDirectory,
  hashFile,
} from '#backup/hashed-files.ts'
import { withFileDeletionPaused } from '#backup/pause-file-deletion.ts'
import { readFileLines } from '#backup/read-file-lines.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { ApiError, conflict, notFound } from '#core/api-error.ts'
import type { DatabaseEngine, ReadTx, Storage } from '#core/transaction.ts'
import { makeDirectory } from '#db/installation/make-directory.ts'
import { MIGRATIONS } from '#db/migrate/migrations.ts'
import { workspaceImportMark } from '#db/workspaces/workspace-imports.ts'
import { isMissingFile } from '#files/disk.ts'
import { type Files, fileKey } from '#files/files.ts'
import { timestampOf } from '#lib/clock.ts'
import { fromJson, type Json } from '#lib/json.ts'
import {
  ARCHIVE_FORMAT,
  ARCHIVE_MANIFEST_FILENAME,
  type ArchiveManifest,
  attachmentFilename,
  partFilename,
} from '../format/archive-manifest.ts'
import {
  ARCHIVE_PARTS,
  type ArchiveLines,
  type ArchivePart,
  serializeLine,
} from '../format/line-schemas.ts'
import { TAR_END, tarHeader, tarPadding } from '../format/tar.ts'
import { readExportLines, workspaceLine } from './export-lines.ts'

/** Which workspace to export, and to which file. */
export interface ExportWorkspaceOptions {
  workspace_id: string
  /** A path that does not exist yet. */
  to: string
  onProgress(what: string): void
}

/** A finished archive, with the digest of the whole file. */
export interface ExportedArchive extends FileDigest {
  archive: string
  manifest: ArchiveManifest
  /** Ids of some attachments whose bytes could not be read. */
  lost_examples: string[]
}

const MAX_EXAMPLES = 20

/**
 * Writes a workspace to a file while the server runs: its rows from one snapshot, then the files
 * that they refer to. The file gets its name once it is complete and synced; a killed export leaves
 * a directory `….part-…`. Throws 404 if there is no such workspace, 409 `archive_exists` if the
 * path is taken.
 */
export async function exportWorkspace(
  storage: Storage,
  files: Files,
  { workspace_id, to, onProgress }: ExportWorkspaceOptions,
): Promise<ExportedArchive> {
  if (await stat(to).catch(() => undefined)) {
    throw conflict('archive_exists', `${to} already exists. Choose another file name.`)
  }
  makeDirectory(dirname(to))
  const draft = await mkdtemp(`${to}.part-`)
  try {
    const archive = await withFileDeletionPaused(storage, () =>
      writeArchive(draft, storage, files, workspace_id, onProgress),
    )
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) =>
      tx.audit('workspace.exported', workspace_id, {}),
    )
    await rename(join(draft, ARCHIVE), to)
    await fsyncDirectory(dirname(to))
    return { archive: to, ...archive }
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** File names within the draft directory. */
const [ARCHIVE, STAGED] = ['archive', 'staged']
const ATTACHMENTS = 'attachments'

async function writeArchive(
  draft: string,
  storage: Storage,
  files: Files,
  workspace_id: string,
  onProgress: (what: string) => void,
) {
  const tar = await createHashedFile(join(draft, ARCHIVE))
  try {
    const made_at = timestampOf(storage.clock.now())
    const parts: ArchiveManifest['parts'] = []
    const finish = async (path: string, part: ArchivePart, lines: number) => {
      parts.push({ part, lines, ...(await appendFile(tar, partFilename(part), path)) })
      onProgress(`${part}, ${lines} lines`)
    }
    const workspace = await storage.snapshot({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) => {
      const record = await loadExportable(tx)
      for (const part of ARCHIVE_PARTS) {
        const path = join(draft, part)
        const lines = await spool(path, serializePart(tx, storage.engine, part, record))
        // Attachments are finished after their files, which are read once the snapshot is closed.
        if (part !== ATTACHMENTS) await finish(path, part, lines)
      }
      return record
    })
    const rows = join(draft, ATTACHMENTS)
    const added = await addFiles({ tar, draft, rows, files, workspace_id, onProgress })
    await finish(`${rows}.known`, ATTACHMENTS, added.lines)
    const { id, name } = workspace
    const manifest: ArchiveManifest = {
      format: ARCHIVE_FORMAT,
      docket: docketVersion(),
      schema: MIGRATIONS.length,
      made_at,
      workspace: { id, name },
      parts,
      files: added.files,
    }
    const text = Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`)
    await tar.write(tarHeader(ARCHIVE_MANIFEST_FILENAME, text.length))
    await tar.write(text)
    await tar.write(tarPadding(text.length))
    await tar.write(TAR_END)
    return { ...(await tar.end()), manifest, lost_examples: added.examples }
  } catch (error) {
    await tar.abandon()
    throw error
  }
}

/** Throws 404 if there is no such workspace, or if it is still being imported. */
async function loadExportable(tx: ReadTx): Promise<ArchiveLines['workspace']> {
  const workspace = await tx.one(workspaceLine, {})
  if (!workspace || (await tx.one(workspaceImportMark, {}))) throw notFound()
  return workspace
}

async function* serializePart(
  tx: ReadTx,
  engine: DatabaseEngine,
  part: ArchivePart,
  workspace: ArchiveLines['workspace'],
): AsyncGenerator<string> {
  if (part === 'workspace') yield serializeLine(part, workspace)
  else {
    for await (const line of readExportLines(tx, engine, part, workspace.log_from_sequence)) {
      yield serializeLine(part, line)
    }
  }
}

/** In characters: lines that are written together. */
const MAX_WRITE_LENGTH = 262_144

/**
 * Writes lines to a separate file first, because a tar header holds the size of the file after it.
 */
async function spool(path: string, lines: AsyncIterable<string>): Promise<number> {
  const file = await createHashedFile(path)
  let count = 0
  let text = ''
  try {
    for await (const line of lines) {
      count += 1
      text += `${line}\n`
      if (text.length < MAX_WRITE_LENGTH) continue
      await file.write(Buffer.from(text))
      text = ''
    }
    await file.write(Buffer.from(text))
    await file.end()
    return count
  } catch (error) {
    await file.abandon()
    throw error
  }
}

type TarFile = Awaited<ReturnType<typeof createHashedFile>>

/** Moves a file of the draft directory into the archive. */
async function appendFile(tar: TarFile, name: string, path: string) {
  const { size } = await stat(path)
  await tar.write(tarHeader(name, size))
  const { sha256 } = await hashFile(path, tar.write)
  await tar.write(tarPadding(size))
  await rm(path)
  return { bytes: size, sha256 }
}

interface AddFilesOptions {
  tar: TarFile
  draft: string
  /** The path of the attachment lines, which do not yet say which files can be read. */
  rows: string
  files: Files
  workspace_id: string
  onProgress(what: string): void
}

/**
 * Adds the files of attachments whose size and hash match their rows, and writes the attachment
 * lines with the result for each.
 */
async function addFiles({ tar, draft, rows, files, workspace_id, onProgress }: AddFilesOptions) {
  const counts: ArchiveManifest['files'] = { count: 0, bytes: 0, lost: 0 }
  const examples: string[] = []
  const staged = join(draft, STAGED)
  const lines = await spool(`${rows}.known`, addEach())
  return { lines, files: counts, examples }

  async function* addEach(): AsyncGenerator<string> {
    for await (const text of readFileLines(rows)) {
      const row = fromJson(text as Json<ArchiveLines['attachments']>)
      const isReadable = await stage(row)
      if (isReadable) {
        await appendFile(tar, attachmentFilename(row.id), staged)
        counts.count += 1
        counts.bytes += row.size_bytes
        onProgress(`${counts.count} files`)
      } else {
        counts.lost += 1
        if (examples.length < MAX_EXAMPLES) examples.push(row.id)
      }
      yield serializeLine(ATTACHMENTS, { ...row, file: isReadable ? 'here' : 'lost' })
    }
  }

  /** Copies the bytes of an attachment. Returns whether they match its row. */
  async function stage({ id, size_bytes, sha256 }: ArchiveLines['attachments']): Promise<boolean> {
    await rm(staged, { force: true })
    const copy = await createHashedFile(staged)
    try {
      const range = { start: 0, end: size_bytes - 1 }
      const stream = await files.read(fileKey(workspace_id, id), size_bytes, range)
      for await (const chunk of stream) await copy.write(chunk as Buffer)
      const digest = await copy.end()
      return digest.sha256 === sha256 && digest.size === size_bytes
    } catch (error) {
      await copy.abandon()
      if (error instanceof ApiError && isMissingFile(error.cause)) return false
      throw error
    }
  }
}
