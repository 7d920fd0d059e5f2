import { resolve } from 'node:path'
import { findDatabaseDamage, type ServedDataDir, serveDataDir } from '#db/installation/data-dir.ts'
import { makeDirectory } from '#db/installation/make-directory.ts'
import { damageMessage, formatStartError, type ServerLocation } from './start-errors.ts'

/** Creates a handler that prints why the server cannot start and exits. */
export const createExitHandler =
  (location: ServerLocation) =>
  (reason: unknown): never => {
    console.error(reason instanceof Error ? formatStartError(reason, location) : String(reason))
    process.exit(1)
  }

/**
 * Takes the lock of the data directory, or exits if that fails, another server has it or the database
 * is damaged.
 */
export function serveDataDirOrExit(location: ServerLocation): ServedDataDir {
  try {
    return exitIfDamaged(location, lockOrExit(location, serveDataDir))
  } catch (error) {
    return createExitHandler(location)(error)
  }
}

function lockOrExit<T>(location: ServerLocation, hold: (dataDir: string) => T | undefined): T {
  const { dataDir } = location
  makeDirectory(dataDir, 0o700)
  const held = hold(dataDir)
  if (held !== undefined) return held
  return createExitHandler(location)(
    `Another Docket server uses ${resolve(dataDir)}. Stop it first, or set DOCKET_DATA_DIR to another directory.`,
  )
}

function exitIfDamaged(location: ServerLocation, held: ServedDataDir): ServedDataDir {
  const damage = held.hadUncleanStop ? findDatabaseDamage(location.dataDir) : undefined
  return damage === undefined ? held : createExitHandler(location)(damageMessage(damage, location))
}
