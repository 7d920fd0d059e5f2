import { conflict } from '#core/refusal.ts'
import { lookAtStore } from '#storage/look.ts'
import { MIGRATIONS } from '#storage/migrations.ts'
import { PARTED } from '#storage/parted.ts'
import { OneOf } from '#wire/schema.ts'
import { command } from './command.ts'
import { openProgress } from './progress.ts'

const Parts = OneOf(['4', '8', '16', '32', '64', '128', '256'], {
  description: 'How many parts each table gets; 64 where nothing speaks against it',
})

const partition = command({
  name: 'partition',
  summary: 'Split the large tables of PostgreSQL by workspace, while no server runs',
  options: { parts: Parts },
  async run({ config: { dataDir, databaseUrl } }, { parts }) {
    if (databaseUrl === undefined) {
      throw conflict('postgres_only', 'SQLite has no parts: this is for DOCKET_DATABASE_URL.')
    }
    const found = await lookAtStore({ dataDir, databaseUrl })
    if (found?.schema !== MIGRATIONS.length) {
      throw conflict(
        'other_version',
        `The database is at version ${found?.schema ?? 0} and this Docket knows ${MIGRATIONS.length}: ` +
          'bring it there first, by docket migrate of the newer one.',
      )
    }
    // The driver takes memory that the other commands do without.
    const { partitionPostgres } = await import('#storage/partition.ts')
    const progress = openProgress('Splitting')
    const wanted = { url: databaseUrl, tables: PARTED, parts: Number(parts) }
    const data = await partitionPostgres({ ...wanted, told: progress.told }).finally(progress.end)
    return { data }
  },
})

export const partitionCommands = [partition]
