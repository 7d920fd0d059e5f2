import { join, resolve } from 'node:path'
import type { Config } from '#config/config.ts'
import { BUILD_INFO } from '#db/installation/build-info.ts'
import type { MigrationListener } from '#db/migrate/schema-version.ts'
import type { Logger } from '#http/server/log.ts'
import { describeOperatorError } from '#http/server/operator-errors.ts'

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

/** The text with the setup token, which is printed on a very first start without a demo. */
export const setupText = (baseUrl: string, setupToken: string): string =>
  [
    '',
    `  Create the first account at ${baseUrl}/sign-up`,
    `  Setup token: ${setupToken}`,
    '  It is shown only once; docket setup-token prints it again until there is an account.',
    '',
  ].join('\n')

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

export type ServerLocation = Pick<Config, 'dataDir' | 'host' | 'port' | 'databaseUrl'>

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGE_CODES = new Set([11, 26])
/** Errors of PostgreSQL, by SQLSTATE, that another setting or grant mends. */
const POSTGRES_REMEDIES: Readonly<Record<string, string>> = {
  '28000': 'Check the user in DOCKET_DATABASE_URL, and pg_hba.conf of the server.',
  '28P01': 'Check the user and the password in DOCKET_DATABASE_URL.',
  '3D000': 'Create the database, or correct its name in DOCKET_DATABASE_URL.',
  '42501': 'Grant the user of DOCKET_DATABASE_URL the right to create tables.',
}
const POSTGRES_UNREACHABLE = 'Check that it is running, and DOCKET_DATABASE_URL.'

/** One line that says why the server cannot start, and what to do about it. */
export function formatStartError(error: Error, location: ServerLocation): string {
  const { dataDir, databaseUrl } = location
  const code = 'code' in error ? String(error.code) : ''
  if ('syscall' in error && error.syscall === 'listen') return formatListenError(error, location)
  const problem = describeOperatorError(error, dataDir)
  if (problem) return `${problem.problem}. ${problem.remedy}`
  if ('errcode' in error && DAMAGE_CODES.has(Number(error.errcode) & 0xff)) {
    return damageMessage(error.message, location)
  }
  const cause = error.cause instanceof Error ? error.cause : error
  const why = cause.message || code
  if (databaseUrl === undefined) return `Docket cannot start: ${why}`
  const causeCode = 'code' in cause ? String(cause.code) : ''
  const remedy = POSTGRES_REMEDIES[causeCode] ?? ('syscall' in cause ? POSTGRES_UNREACHABLE : '')
  return `Docket cannot start with ${describeDatabase(location)}: ${why}. ${remedy}`.trimEnd()
}

function formatListenError(error: Error, { host, port }: ServerLocation): string {
  const address = `${host}:${port}`
  const code = 'code' in error ? error.code : ''
  if (code === 'EADDRINUSE') {
    return `Address ${address} is already in use. Stop the other program, or set DOCKET_PORT.`
  }
  if (code === 'EADDRNOTAVAIL') {
    return `This machine does not have the address ${host}. Set DOCKET_HOST to one of its addresses.`
  }
  if (code === 'EACCES') {
    return `This user is not permitted to listen on ${address}. Set DOCKET_PORT to 1024 or more, and put a proxy in front.`
  }
  return `Docket cannot listen on ${address}: ${error.message}. Check DOCKET_HOST and DOCKET_PORT.`
}

/** Says how to replace a damaged database. */
export function damageMessage(problem: string, { dataDir }: ServerLocation): string {
  const path = join(resolve(dataDir), 'docket.db')
  return (
    `The database ${path} is damaged (${problem}). Move docket.db, docket.db-wal and ` +
    'docket.db-shm to another directory, copy docket.db from your last backup, and start again.'
  )
}
