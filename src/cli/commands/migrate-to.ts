import { resolve } from 'node:path'
import { validationFailed } from '#core/api-error.ts'
import { SENDING_PAUSED_VALUES } from '#webhooks/installation-id.ts'
import { fieldError } from '#wire/field-error.ts'
import { SingleLineText } from '#wire/schema-builders.ts'
import type { Config } from '../../config/config.ts'
import { defineCommand } from '../arguments.ts'
import { createProgress, formatResult } from '../output.ts'

/** Without a terminal, as in the log of a job. */
const LOG_INTERVAL_MS = 10_000

const TARGET_SYNTAX = 'postgres://user@host/database'

const migrateTo = defineCommand({
  name: 'migrate-to',
  summary: 'Move all data from SQLite to an empty PostgreSQL database',
  options: {
    target: SingleLineText(1, 4_096, { description: TARGET_SYNTAX }),
  },
  positionals: ['target'],
  async run({ config }, { target }) {
    const url = parseTarget(target, config)
    const progress = createProgress('Moving', { plainEvery: LOG_INTERVAL_MS })
    const startedAt = performance.now()
    // Imported here because SQLite alone does not need the memory of the PostgreSQL driver.
    const { copyFromSqlite } = await import('#db/postgres/copy-from-sqlite.ts')
    const tables = await copyFromSqlite({
      dataDir: config.dataDir,
      url,
      values: SENDING_PAUSED_VALUES,
      onProgress: progress.report,
    }).finally(progress.end)
    return {
      to: withoutCredentials(url),
      rows: tables.reduce((sum, { rows }) => sum + rows, 0),
      seconds: Math.round((performance.now() - startedAt) / 1_000),
      sending: false,
      next: nextSteps(config),
      tables,
    }
  },
  format(result) {
    const { tables = [], next = [], ...rest } = result as { tables?: object[]; next?: string[] }
    return [formatResult({ data: tables }), '', formatResult(rest), '', ...next].join('\n')
  },
})

export const migrateToCommands = [migrateTo]

function parseTarget(target: string, { databaseUrl }: Config): string {
  const invalidTarget = (why: string) =>
    validationFailed(fieldError('target', 'invalid_value', why))
  if (databaseUrl !== undefined) {
    throw invalidTarget('is not possible: DOCKET_DATABASE_URL is set, so the data is in PostgreSQL')
  }
  if (!/^postgres(ql)?:\/\//.test(target)) {
    throw invalidTarget(`must be ${TARGET_SYNTAX}`)
  }
  return target
}

/**
 * The address without user name, password and parameters. The address of a Unix socket has no host,
 * so it cannot be parsed as a URL.
 */
export const withoutCredentials = (url: string): string =>
  url.replace(/\?.*/s, '').replace(/^(\w+:\/\/)[^/]*@/, '$1')

function nextSteps({ dataDir, secret, s3 }: Config): string[] {
  const from = resolve(dataDir)
  return [
    'Set DOCKET_DATABASE_URL to the target.',
    secret === undefined ? `Keep ${from}/secret.` : 'Keep DOCKET_SECRET.',
    s3 ? 'Keep the bucket.' : `Keep ${from}/files.`,
    'Start the server. Once nothing sends from the old database, run docket webhook resume.',
    'The source is unchanged: do not start a server on it, and delete it when you no longer need it.',
  ]
}
