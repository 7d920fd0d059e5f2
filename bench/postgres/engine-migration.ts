import { reportFigure } from '../support/figures.ts'
import { withOwnPostgres } from '../support/own-postgres.ts'
import { measureCommand } from '../support/processes.ts'
import { createBenchDir } from '../support/seed.ts'

export const MIGRATED_TASKS = 1_000_000
const MAX_MINUTES = 10

/** Migrates a filled SQLite database to PostgreSQL and back, each time in a separate process. */
export async function measureEngineMigration(dataDir: string): Promise<void> {
  const back = createBenchDir()
  await withOwnPostgres(async (url) => {
    const there = await measureCommand({ DOCKET_DATA_DIR: dataDir }, 'migrate-to', url)
    reportFigure(`${MIGRATED_TASKS} tasks to PostgreSQL, minutes`, there.seconds / 60, {
      most: MAX_MINUTES,
    })
    reportFigure('  memory of the command at its most, MB', there.memory, { most: 300 })
    const here = await measureCommand({ DOCKET_DATABASE_URL: url }, 'migrate-to', `sqlite:${back}`)
    reportFigure('  and back to SQLite, minutes', here.seconds / 60, { most: MAX_MINUTES })
    reportFigure('  memory of the command at its most, MB', here.memory, { most: 300 })
  })
}
