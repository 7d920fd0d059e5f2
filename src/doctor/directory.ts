import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Where } from '#storage/look.ts'
import { type Finding, findings } from './finding.ts'

const { ok, warning, failed } = findings('data directory')
const space = findings('disk')

const GIGABYTE = 1e9
/** Numbers by which Linux tells file systems of other machines: NFS, SMB 2, CIFS. */
const REMOTE = new Set([0x6969, 0xfe534d42, 0xff534d42])

/** Looks at the data directory, and at the room there is for it. */
export async function lookAtDirectory({ dataDir, databaseUrl }: Where): Promise<Finding[]> {
  const path = resolve(dataDir)
  const found = await stat(path).catch(() => undefined)
  const there = found ? path : await nearest(dirname(path))
  return [
    found ? await judge(path, found) : await judgeMissing(path, there),
    await room(there, databaseUrl === undefined),
  ]
}

interface Found {
  isDirectory(): boolean
  uid: number
  mode: number
}

async function judge(path: string, found: Found): Promise<Finding> {
  if (!found.isDirectory()) {
    return failed(`${path} is no directory`, 'Set DOCKET_DATA_DIR to a directory.')
  }
  const uid = process.getuid?.() ?? found.uid
  if (!(await isWritable(path))) {
    const how = `Run as the user ${found.uid}, or: chown -R ${uid} ${path}`
    return failed(`${path} cannot be written by this user (${uid})`, how)
  }
  if (found.uid !== uid) {
    const how = 'Run Docket and its commands as one user.'
    return warning(`${path} belongs to the user ${found.uid}, and this is ${uid}`, how)
  }
  if ((found.mode & 0o077) !== 0) {
    return warning(`${path} is open to other users of this machine`, `chmod 700 ${path}`)
  }
  return ok(path)
}

async function judgeMissing(path: string, there: string): Promise<Finding> {
  if (await isWritable(there)) return ok(`${path} is made by the first start`)
  return failed(
    `${path} is not there and cannot be made`,
    `Make it for the user ${process.getuid?.()}, or set DOCKET_DATA_DIR.`,
  )
}

async function room(path: string, embedded: boolean): Promise<Finding> {
  const { bavail, blocks, bsize, type } = await statfs(path)
  const free = bavail * bsize
  const said = `${(free / GIGABYTE).toFixed(1)} GB free at ${path}`
  if (embedded && REMOTE.has(type >>> 0)) {
    const how = 'Use a local disk: locks and flushes do not hold over a network.'
    return space.failed(`${path} is on another machine`, how)
  }
  if (free < GIGABYTE / 10) {
    return space.failed(said, 'Make room: writes are refused when the disk is full.')
  }
  if (free < GIGABYTE || bavail < blocks / 50) return space.warning(said, 'Make room soon.')
  return space.ok(said)
}

const isWritable = (path: string): Promise<boolean> =>
  access(path, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )

/** The first directory above that is there. */
async function nearest(path: string): Promise<string> {
  if (await stat(path).catch(() => undefined)) return path
  return nearest(dirname(path))
}
