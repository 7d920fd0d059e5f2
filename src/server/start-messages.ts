import { join, resolve } from 'node:path'
import type { Config } from '#config/config.ts'
import { BUILD_INFO } from '#db/installation/build-info.ts'
import type { MigrationListener } from '#db/migrate/schema-version.ts'
import type { Logger } from '#http/server/log.ts'

type DatabasePlace = Pick<Config, 'dataDir' | 'databaseUrl'>

/** Where the database is, without user and password. */
export function describeDatabase({ dataDir, databaseUrl }: DatabasePlace): string {
  if (databaseUrl === undefined) return `SQLite in ${join(resolve(dataDir), 'docket.db')}`
  const { host = '', pathname = '' } = URL.parse(databaseUrl) ?? {}
  return `PostgreSQL at ${host}${pathname}`
}

/** What an operator wants to know of a server that has started: its version, data and processes. */
export function formatStartLine(config: Config): string {
  const { dataDir, processes, s3, baseUrl } = config
  const files = s3 ? `the bucket ${s3.bucket}` : resolve(dataDir)
  const several = processes > 1 ? `, ${processes} processes` : ''
  return `Docket ${BUILD_INFO.version} with ${describeDatabase(config)}, files in ${files}${several}, base URL ${baseUrl}`
}

/** Prints and logs the migrations of a start, which may take long and cannot be undone. */
export function createMigrationListener(config: DatabasePlace, log: Logger): MigrationListener {
  let startedAt = performance.now()
  return {
    onBegin({ from, to }) {
      startedAt = performance.now()
      const what = `Migrating ${describeDatabase(config)} from schema version ${from} to ${to}`
      console.log(`${what} …`)
      log.info({ from, to }, 'Migrating the database')
    },
    onEnd({ from, to, applied, copy }) {
      const ms = Math.round(performance.now() - startedAt)
      log.info({ from, to, applied, ms, copy }, 'Migrated the database')
      const names = applied.length > 0 ? `: ${applied.join(', ')}` : ' by another process'
      console.log(`Migrated to schema version ${to} in ${(ms / 1000).toFixed(1)} s${names}`)
      if (copy !== undefined) {
        console.log(
          `The database as it was is in ${resolve(copy)}; delete it when you no longer need it`,
        )
      }
    },
  }
}
