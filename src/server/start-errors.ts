import { join, resolve } from 'node:path'
import type { Config } from '#config/config.ts'
import { describeOperatorError } from '#http/server/operator-errors.ts'
import { describeDatabase } from './start-messages.ts'

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
