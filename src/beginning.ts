import { mkdirSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { socketIn } from '#cores/place.ts'
import { damageOf, type Held, holdDataDir, holdWriting, lockDataDir } from '#storage/data-dir.ts'
import type { Config } from './config.ts'

type Where = Pick<Config, 'dataDir' | 'host' | 'port'>

/** SQLite's codes for a file that is malformed, or no database. */
const DAMAGE = new Set([11, 26])

/** Ends a start that cannot be, with a sentence. */
export const exiting =
  (where: Where) =>
  (reason: unknown): never => {
    console.error(reason instanceof Error ? sentenceOf(reason, where) : String(reason))
    process.exit(1)
  }

/** One server for a directory, and none on a database that is damaged. */
export function holdOrExit(where: Where): Held {
  return soundOrExit(where, alone(where, holdDataDir))
}

/** One server for a directory, for as long as this process runs: others of it write and read. */
export function lockOrExit(where: Where): void {
  const lock = alone(where, lockDataDir)
  // Held by this too: what nobody refers to any more would be closed.
  process.once('exit', () => lock.release())
  try {
    socketIn(where.dataDir)
  } catch (error) {
    exiting(where)(error)
  }
}

/** Waits for its turn to be the one process that writes: one whose parent was killed still ends. */
export async function holdWritingOrExit(where: Where): Promise<Held> {
  const { dataDir } = where
  const end = performance.now() + ORPHAN_MS
  let held = holdWriting(dataDir)
  while (!held && performance.now() < end) {
    await pause(20)
    held = holdWriting(dataDir)
  }
  const why = `Another process of Docket still writes to ${dataDir}: stop it first.`
  return soundOrExit(where, held ?? exiting(where)(why))
}

/** A child notices soon that its parent was killed, and finishes what it does. */
const ORPHAN_MS = 10_000

function alone<T>(where: Where, hold: (dataDir: string) => T | undefined): T {
  const { dataDir } = where
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const held = hold(dataDir)
  if (held !== undefined) return held
  return exiting(where)(
    `Another Docket serves ${dataDir}: stop it first, or use another directory.`,
  )
}

function soundOrExit(where: Where, held: Held): Held {
  const damage = held.stoppedUncleanly ? damageOf(where.dataDir) : undefined
  return damage === undefined ? held : exiting(where)(damaged(damage, where))
}

function damaged(how: string, { dataDir }: Where): string {
  return (
    `The database ${dataDir}/docket.db is damaged (${how}). Move docket.db, docket.db-wal and ` +
    'docket.db-shm away, put the docket.db of your last backup in their place, and start again.'
  )
}

function sentenceOf(error: Error, where: Where): string {
  const code = 'code' in error ? error.code : undefined
  const address = `${where.host}:${where.port}`
  if (code === 'EADDRINUSE') return `Something listens on ${address} already: set DOCKET_PORT.`
  if (code === 'EACCES') return `This user may not listen on ${address}: ${error.message}`
  const damage = 'errcode' in error && DAMAGE.has(Number(error.errcode) & 0xff)
  return damage ? damaged(error.message, where) : `Docket cannot start: ${error.message}`
}
