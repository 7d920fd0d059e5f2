import { conflict } from '#core/api-error.ts'
import { inspectDatabase } from '#db/installation/inspect-database.ts'
import { MIGRATIONS } from '#db/migrate/migrations.ts'
import { PARTITIONED_TABLES } from '#db/postgres/partition.ts'
import { StringEnum } from '#wire/schema-builders.ts'
import { defineCommand } from '../arguments.ts'
import { createProgress } from '../output.ts'

const PartsOption = StringEnum(['4', '8', '16', '32', '64', '128', '256'], {
  description: 'Number of partitions for each table; 64 suits most installations',
})

const partition = defineCommand({
  name: 'partition',
  summary: 'Partition the large tables of PostgreSQL by workspace, while no server runs',
  options: { parts: PartsOption },
  async run({ config: { dataDir, databaseUrl } }, { parts }) {
    if (databaseUrl === undefined) {
      throw conflict(
        'postgres_only',
        'SQLite has no partitions: this command needs DOCKET_DATABASE_URL.',
      )
    }
    const state = await inspectDatabase({ dataDir, databaseUrl })
    if (state?.schema !== MIGRATIONS.length) {
      throw conflict(
        'other_version',
        `The database has schema version ${state?.schema ?? 0} and this release has ${MIGRATIONS.length}: ` +
          'run docket migrate of the newer release first.',
      )
    }
    // Imported when needed, because other commands do not need the memory of the PostgreSQL driver.
    const { partitionPostgres } = await import('#db/postgres/partition.ts')
    const progress = createProgress('Partitioning')
    const data = await partitionPostgres({
      url: databaseUrl,
      tables: PARTITIONED_TABLES,
      parts: Number(parts),
      onProgress: progress.report,
    }).finally(progress.end)
    return { data }
  },
})

export const partitionCommands = [partition]
