import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, readlink, rm, symlink, unlink } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { basename, dirname, join } from 'node:path'
import type { OAuthStore } from './oauth.ts'
import { replaceFile } from './replace-file-node.ts'

/**
 * Keeps a grant in a file that only its owner can read, for all processes of a computer, also in several
 * containers, on Linux and macOS. The folder must be on a disk of this computer: for several computers write an
 * `OAuthStore` for your database.
 */
export function createFileStore(path: string): OAuthStore {
  assertLockPath(path)
  const makeFolder = () => mkdir(dirname(path), { recursive: true, mode: 0o700 })
  return {
    async read() {
      const text = await unlessMissing(readFile(path, 'utf8'))
      return text === undefined ? undefined : JSON.parse(text)
    },
    async write(grant) {
      await makeFolder()
      await (grant ? replaceFile(path, JSON.stringify(grant)) : rm(path, { force: true }))
    },
    async withLock(run) {
      await makeFolder()
      return withFileLock(path + LOCK_ENDINGS[0], run)
    },
  }
}

/** The end of the name of a lock, and of the lock under which that of a process that died is removed. */
const LOCK_ENDINGS = ['.lock', '.x'] as const
const RANDOM_BYTES = 4

/** Fails before anybody signs in whose grant could not be kept. */
function assertLockPath(path: string): void {
  const socketBytes = Buffer.byteLength(path + LOCK_ENDINGS.join('')) + 1 + 2 * RANDOM_BYTES
  const tooMany = socketBytes - MAX_SOCKET_PATH_BYTES
  if (tooMany <= 0) return
  throw new RangeError(`${path} is too long for a lock beside it, by ${tooMany} bytes`)
}

/** Longer than a refresh takes with all its attempts. */
const LOCK_TIMEOUT_MS = 60_000
/** macOS has the shortest limit for the path of a socket: 104 bytes with the zero at its end. */
const MAX_SOCKET_PATH_BYTES = 103

/**
 * Runs a function while no other process holds the lock `path`: a symbolic link, whose creation is atomic and
 * exclusive, to a socket on which its owner listens. Only the kernel knows who is alive: after a crash a process
 * id is given to others, in another container it means another process, and a suspended process has the age of
 * a dead one. A socket refuses connections once its owner has died, and not before.
 */
async function withFileLock<T>(path: string, run: () => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(LOCK_TIMEOUT_MS)
  for (;;) {
    const owner = await unlessMissing(readlink(path))
    if (owner !== undefined) {
      if (!(await waitForOwner(path, owner, signal))) await removeDeadLock(path, owner)
      continue
    }
    const lock = await listen(path)
    try {
      if (!(await createLink(lock.name, path))) continue
      try {
        return await run()
      } finally {
        // Before the socket closes: a link to a closed socket is one of the dead.
        await unlink(path)
      }
    } finally {
      lock.close()
    }
  }
}

/** Listens on a socket with a name of its own, so that a link to it that is dead stays dead. */
async function listen(path: string): Promise<{ name: string; close(): void }> {
  const socket = `${path}.${randomBytes(RANDOM_BYTES).toString('hex')}`
  const waiting = new Set<Socket>()
  const server = createServer((connection) => waiting.add(connection))
  // Exclusive: in a worker of a cluster, the primary process would listen, and outlive it.
  server.listen({ path: socket, exclusive: true })
  await once(server, 'listening')
  return {
    name: basename(socket),
    close() {
      server.close()
      for (const connection of waiting) connection.destroy()
    },
  }
}

async function createLink(target: string, path: string): Promise<boolean> {
  try {
    await symlink(target, path)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

/**
 * Returns when the owner of a lock has released it or died; false if it had died before. A connection for each
 * who waits, not one for each look: some kernels refuse more than 128 while the owner is busy or suspended.
 */
async function waitForOwner(path: string, owner: string, signal: AbortSignal): Promise<boolean> {
  const connection = connect(join(dirname(path), owner)).resume()
  try {
    await once(connection, 'close', { signal })
    return true
  } catch (error) {
    if (hasCode(error, 'ECONNREFUSED') || hasCode(error, 'ENOENT')) return false
    // It died before it had accepted this connection.
    if (hasCode(error, 'ECONNRESET')) return true
    if (!signal.aborted) throw error
    const message = `Another process has held ${path} for ${LOCK_TIMEOUT_MS / 1000} seconds`
    throw new Error(message, { cause: error })
  } finally {
    connection.destroy()
  }
}

/**
 * Removes a lock whose owner has died. This has a lock of its own: of two processes that find the same dead one,
 * the slower would otherwise remove the new lock of the faster.
 */
async function removeDeadLock(path: string, owner: string): Promise<void> {
  await withFileLock(path + LOCK_ENDINGS[1], async () => {
    if ((await unlessMissing(readlink(path))) !== owner) return
    await unlink(path)
    await rm(join(dirname(path), owner), { force: true })
  })
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

const hasCode = (error: unknown, code: string) =>
  error instanceof Error && 'code' in error && error.code === code
