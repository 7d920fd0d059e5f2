import { mkdirSync } from 'node:fs'
import type { Config } from '#config/config.ts'
import { findDatabaseDamage, type ServedDataDir, serveDataDir } from '#db/installation/data-dir.ts'

type ServerLocation = Pick<Config, 'dataDir' | 'host' | 'port'>

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGE_CODES = new Set([11, 26])

/** Creates a handler that prints why the server cannot start and exits. */
export const createExitHandler =
  (location: ServerLocation) =>
  (reason: unknown): never => {
    console.error(reason instanceof Error ? formatStartError(reason, location) : String(reason))
    process.exit(1)
  }

/**
 * Takes the lock of the data directory, or exits if another server has it or the database is
 * damaged.
 */
export function serveDataDirOrExit(location: ServerLocation): ServedDataDir {
  return exitIfDamaged(location, lockOrExit(location, serveDataDir))
}

function lockOrExit<T>(location: ServerLocation, hold: (dataDir: string) => T | undefined): T {
  const { dataDir } = location
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const held = hold(dataDir)
  if (held !== undefined) return held
  return createExitHandler(location)(
    `Another Docket server uses ${dataDir}. Stop it first, or set DOCKET_DATA_DIR to another directory.`,
  )
}

function exitIfDamaged(location: ServerLocation, held: ServedDataDir): ServedDataDir {
  const damage = held.hadUncleanStop ? findDatabaseDamage(location.dataDir) : undefined
  return damage === undefined ? held : createExitHandler(location)(damageMessage(damage, location))
}

function damageMessage(problem: string, { dataDir }: ServerLocation): string {
  return (
    `The database ${dataDir}/docket.db is damaged (${problem}). Move docket.db, docket.db-wal and ` +
    'docket.db-shm to another directory, copy docket.db from your last backup, and start again.'
  )
}

function formatStartError(error: Error, location: ServerLocation): string {
  const code = 'code' in error ? error.code : undefined
  const address = `${location.host}:${location.port}`
  if (code === 'EADDRINUSE')
    return `Address ${address} is already in use. Stop the other program, or set DOCKET_PORT.`
  if (code === 'EACCES')
    return `This user is not permitted to listen on ${address}: ${error.message}`
  const damage = 'errcode' in error && DAMAGE_CODES.has(Number(error.errcode) & 0xff)
  return damage ? damageMessage(error.message, location) : `Docket cannot start: ${error.message}`
}
