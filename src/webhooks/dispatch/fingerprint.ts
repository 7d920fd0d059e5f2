import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Identifies the sending installation: stored in the database and, with SQLite, in a file beside
 * it.
 */
export interface InstallationFingerprint {
  /** The unique id of the installation. */
  installationId: string
  /** A counter that is incremented while the installation sends. */
  heartbeat: number
}

/** A fingerprint read from a file. */
export interface FileFingerprint extends InstallationFingerprint {
  /** Whether the file is the one that was written, not a copy of it. */
  isOriginal: boolean
}

/** Formats a fingerprint as the text that the database stores. */
export const formatFingerprint = ({ installationId, heartbeat }: InstallationFingerprint): string =>
  `${installationId} ${heartbeat}`

/** Parses the text of a fingerprint. */
export function parseFingerprint(text: string): InstallationFingerprint {
  const [installationId = '', beat] = text.trim().split(' ')
  return { installationId, heartbeat: Number(beat) || 0 }
}

/** Reads the fingerprint in a file; undefined if there is no file. */
export async function readFingerprint(path: string): Promise<FileFingerprint | undefined> {
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
export async function writeFingerprint(path: string, mark: InstallationFingerprint): Promise<void> {
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
