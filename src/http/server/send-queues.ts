import { readlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/** How many bytes Linux holds for each connection, by the inode of its socket. */
export type SendQueues = ReadonlyMap<string, number>

const TABLES = process.platform === 'linux' ? ['/proc/net/tcp', '/proc/net/tcp6'] : []

/**
 * Reads how many bytes the clients of all connections have not acknowledged yet. Linux takes megabytes for a connection, and
 * then nothing more before a third of them has left: by what it takes, a client of 30 KiB/s stands still for half a minute.
 * Other systems do not tell; there, what the kernel takes counts.
 */
export async function readSendQueues(): Promise<SendQueues> {
  const queues = new Map<string, number>()
  for (const text of await Promise.all(TABLES.map(readTable))) {
    for (const line of text.split('\n')) {
      const columns = line.trim().split(/ +/)
      const [sent, inode] = [columns[4], columns[9]]
      if (sent !== undefined && inode !== undefined) queues.set(inode, Number.parseInt(sent, 16))
    }
  }
  return queues
}

/** Empty where there is none: a kernel without IPv6 lacks its table, and a sandbox may hide both. */
const readTable = (path: string): Promise<string> => readFile(path, 'latin1').catch(() => '')

/** The inode of a socket by its file descriptor; undefined if the system does not tell. */
export function inodeOf(fd: number): string | undefined {
  if (TABLES.length === 0 || fd < 0) return undefined
  return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${fd}`))?.[1]
}
