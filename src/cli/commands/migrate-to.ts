import { resolve } from 'node:path'
import { validationFailed } from '#core/api-error.ts'
import { type EngineMigrationRequest, migrateEngine } from '#engine-migration/migrate-engine.ts'
import { isTildePath, NO_TILDE_PATH } from '#lib/tilde-path.ts'
import { SENDING_PAUSED_VALUES } from '#webhooks/dispatch/installation-id.ts'
import { fieldError } from '#wire/field-error.ts'
import { Optional, SingleLineText } from '#wire/schema-builders.ts'
import type { Config } from '../../config/config.ts'
import { defineCommand } from '../arguments.ts'
import { createProgress, formatResult } from '../output.ts'

/** Without a terminal, as in the log of a job. */
const LOG_INTERVAL_MS = 10_000

const TARGET_SYNTAX = 'postgres://user@host/database or sqlite:<directory>'

const migrateTo = defineCommand({
  name: 'migrate-to',
  summary:
    'Move all data to an empty database of the other engine; if interrupted, run it again to continue',
  options: {
    target: Optional(
      SingleLineText(1, 4_096, { description: `${TARGET_SYNTAX}; default: DOCKET_MIGRATE_TO` }),
    ),
  },
  positionals: ['target'],
  async run({ config }, { target = config.migrateToUrl }) {
    const request = parseTarget(target, config)
    const progress = createProgress('Moving', { plainEvery: LOG_INTERVAL_MS })
    const startedAt = performance.now()
    const migration = migrateEngine(request, SENDING_PAUSED_VALUES, progress.report)
    const result = await migration.finally(progress.end)
    return {
      to: 'toUrl' in request ? withoutCredentials(request.toUrl) : request.toDir,
      rows: result.tables.reduce((sum, { rows }) => sum + rows, 0),
      resumed_after: result.resumed_after,
      seconds: Math.round((performance.now() - startedAt) / 1_000),
      sending: false,
      next: nextSteps(request, config),
      tables: result.tables,
    }
  },
  format(result) {
    const { tables = [], next = [], ...rest } = result as { tables?: object[]; next?: string[] }
    return [formatResult({ data: tables }), '', formatResult(rest), '', ...next].join('\n')
  },
})

export const migrateToCommands = [migrateTo]

function parseTarget(
  target: string | undefined,
  { dataDir, databaseUrl, databaseListenUrl }: Config,
): EngineMigrationRequest {
  if (target?.startsWith('sqlite:')) {
    if (databaseUrl === undefined)
      throw invalidTarget('must be postgres://…, because the data is already in SQLite')
    // The address of PostgreSQL itself, if Docket uses a connection pooler.
    const url = databaseListenUrl ?? databaseUrl
    const directory = target.slice('sqlite:'.length)
    if (isTildePath(directory)) throw invalidTarget(`must name ${NO_TILDE_PATH}`)
    return { url, toDir: resolve(directory) }
  }
  if (!/^postgres(ql)?:\/\//.test(target ?? '') || target === undefined) {
    throw invalidTarget(`must be ${TARGET_SYNTAX}`)
  }
  if (databaseUrl === undefined) return { dataDir, toUrl: target }
  throw invalidTarget(
    'must be sqlite:<directory>, because DOCKET_DATABASE_URL is set and the data is in PostgreSQL',
  )
}

const invalidTarget = (why: string) => validationFailed(fieldError('target', 'invalid_value', why))

/**
 * The address without user name, password and parameters. The address of a Unix socket has no host,
 * so it cannot be parsed as a URL.
 */
export const withoutCredentials = (url: string): string =>
  url.replace(/\?.*/s, '').replace(/^(\w+:\/\/)[^/]*@/, '$1')

function nextSteps(request: EngineMigrationRequest, { dataDir, secret, s3 }: Config): string[] {
  const toDir = 'toDir' in request ? request.toDir : undefined
  const from = resolve(dataDir)
  const next: string[] = []
  if (toDir === undefined) next.push('Set DOCKET_DATABASE_URL to the target.')
  else next.push(`Remove DOCKET_DATABASE_URL, and set DOCKET_DATA_DIR to ${toDir}.`)
  if (secret !== undefined) next.push('Keep DOCKET_SECRET.')
  else if (toDir === undefined || toDir === from) next.push(`Keep ${from}/secret.`)
  else next.push(`Copy ${from}/secret to ${toDir}/secret before the first start.`)
  if (s3) next.push('Keep the bucket.')
  else if (toDir === undefined || toDir === from) next.push(`Keep ${from}/files.`)
  else next.push(`Copy ${from}/files to ${toDir}/files.`)
  next.push(
    'Start the server. Once nothing sends from the old database, run docket webhook resume.',
  )
  next.push(
    'The source is unchanged: do not start a server on it, and delete it when you no longer need it.',
  )
  return next
}
