import { accessSync, constants } from 'node:fs'
import { join, resolve } from 'node:path'
import { ApiError, serviceUnavailable } from '#core/api-error.ts'
import { inspectDatabase } from '#db/installation/inspect-database.ts'
import { hasSecret } from '#db/installation/open-store.ts'
import { MIGRATIONS } from '#db/migrate/migrations.ts'
import type { Config } from '../config/config.ts'

/**
 * Throws if there is no installation: a command with another data directory than the server's would
 * otherwise begin a new, empty one. A command that only reads also needs the schema of this release,
 * because opening an older database migrates it.
 */
export async function assertInstallationExists(
  { dataDir, databaseUrl, secret }: Pick<Config, 'dataDir' | 'databaseUrl' | 'secret'>,
  access: 'read' | 'write',
  needsSecret: boolean,
): Promise<void> {
  const place = databaseUrl === undefined ? resolve(dataDir) : 'the database of DOCKET_DATABASE_URL'
  if (databaseUrl === undefined) assertReadable(resolve(dataDir))
  const schema = await readSchemaVersion({ dataDir, databaseUrl })
  if (schema === 0) {
    const setting = databaseUrl === undefined ? 'DOCKET_DATA_DIR' : 'DOCKET_DATABASE_URL'
    throw new ApiError(
      404,
      'not_found',
      `There is no Docket in ${place}. Set ${setting} to that of the server, or start the server first.`,
    )
  }
  if (needsSecret && !hasSecret({ secret, dataDir })) {
    throw serviceUnavailable(
      `The secret of the installation is missing: neither DOCKET_SECRET nor ${resolve(join(dataDir, 'secret'))} has it. If it is lost, docket secret renew begins with a new one.`,
    )
  }
  if (access === 'read' && schema < MIGRATIONS.length) {
    throw serviceUnavailable(
      `The database has schema version ${schema} and this release has ${MIGRATIONS.length}. Run docket migrate, or start the server of this release.`,
    )
  }
}

/** A directory that this user cannot read would look like one without a database. */
function assertReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.X_OK)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code !== 'EACCES') return
    throw serviceUnavailable(
      `This user may not read ${path}. Run the command as the user of the server.`,
      error,
    )
  }
}

async function readSchemaVersion(
  location: Pick<Config, 'dataDir' | 'databaseUrl'>,
): Promise<number> {
  try {
    return (await inspectDatabase(location))?.schema ?? 0
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw serviceUnavailable(`The database cannot be opened: ${why}`, error)
  }
}
