import { join } from 'node:path'
import { backupDamaged } from './backup-damaged.ts'
import { BACKUP_MANIFEST_FILENAME, type BackupManifest } from './backup-manifest.ts'
import { copyHashedFile, createHashedFile, type FileDigest, hashFile } from './hashed-files.ts'
import { readFileLines } from './read-file-lines.ts'

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
export interface VerifyFilesOptions {
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
