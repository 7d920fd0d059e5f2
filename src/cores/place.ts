import { join, relative, resolve } from 'node:path'

/** What the system lets the path of a socket have; on Linux it would be four bytes more. */
const MOST_BYTES = 103

/** Where the process that writes is asked by those that only read; fails where the path is too long for it. */
export function socketIn(dataDir: string): string {
  const path = join(resolve(dataDir), 'writer.sock')
  const near = relative('.', path)
  const shorter = near.length < path.length ? near : path
  if (Buffer.byteLength(shorter) <= MOST_BYTES) return shorter
  throw new Error(
    `the path ${path} is too long for a socket: with DOCKET_PROCESSES above 1, set ` +
      `DOCKET_DATA_DIR to a shorter one, so that it has at most ${MOST_BYTES} bytes.`,
  )
}
