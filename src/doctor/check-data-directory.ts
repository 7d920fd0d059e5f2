import { constants, type Stats } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { DatabaseLocation } from '#db/installation/inspect-database.ts'
import { createFindings, type Finding } from './finding.ts'

const { ok, warning, failed } = createFindings('data directory')
const space = createFindings('disk')

const GIGABYTE = 1e9
/** The magic numbers of network file systems on Linux: NFS, SMB 2, CIFS. */
const NETWORK_FILE_SYSTEMS = new Set([0x6969, 0xfe534d42, 0xff534d42])

/** Checks the data directory and its free disk space. */
export async function checkDataDirectory(where: DatabaseLocation): Promise<Finding[]> {
  const path = resolve(where.dataDir)
  const stats = await stat(path).catch(() => undefined)
  const existing = stats ? path : await nearestExisting(dirname(path))
  return [
    stats ? await checkExisting(path, stats) : await checkMissing(path, existing),
    await checkDiskSpace(existing, where.databaseUrl === undefined),
  ]
}

async function checkExisting(path: string, stats: Stats): Promise<Finding> {
  if (!stats.isDirectory()) {
    return failed(`${path} is not a directory`, 'Set DOCKET_DATA_DIR to a directory.')
  }
  const uid = process.getuid?.() ?? stats.uid
  const isWritable = await isWritableByUser(path)
  if (stats.uid !== uid) {
    // The server is most likely right and the doctor the stranger, so nobody is told to use chown.
    const what = `${path} belongs to user ${stats.uid}, but this is user ${uid}`
    const how = `Run docket doctor as the user of the server: sudo -u '#${stats.uid}' …`
    if (isWritable) return warning(what, how)
    return failed(`${what}, who may not write to it`, how)
  }
  if (!isWritable) return failed(`${path} is not writable by this user`, `Run: chmod 700 ${path}`)
  if ((stats.mode & 0o077) !== 0) {
    return warning(`${path} is accessible to other users of this machine`, `Run: chmod 700 ${path}`)
  }
  return ok(path)
}

async function checkMissing(path: string, existing: string): Promise<Finding> {
  if (await isWritableByUser(existing)) return ok(`${path} will be created on first start`)
  return failed(
    `${path} does not exist and cannot be created`,
    `Create it for user ${process.getuid?.()}, or set DOCKET_DATA_DIR.`,
  )
}

async function checkDiskSpace(path: string, isEmbedded: boolean): Promise<Finding> {
  const { bavail, blocks, bsize, type } = await statfs(path)
  const free = bavail * bsize
  const message = `${(free / GIGABYTE).toFixed(1)} GB free at ${path}`
  if (isEmbedded && NETWORK_FILE_SYSTEMS.has(type >>> 0)) {
    const how = 'Use a local disk: SQLite is not safe on a network file system.'
    return space.failed(`${path} is on a network file system`, how)
  }
  if (free < GIGABYTE / 10) {
    return space.failed(message, 'Free up disk space: writes fail when the disk is full.')
  }
  if (free < GIGABYTE || bavail < blocks / 50)
    return space.warning(message, 'Free up disk space soon.')
  return space.ok(message)
}

const isWritableByUser = (path: string): Promise<boolean> =>
  access(path, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )

/** The path itself, or its nearest ancestor that exists. */
async function nearestExisting(path: string): Promise<string> {
  if (await stat(path).catch(() => undefined)) return path
  return nearestExisting(dirname(path))
}
