import { mkdirSync } from 'node:fs'
import { damageOf, type Held, holdDataDir } from '#storage/data-dir.ts'
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
