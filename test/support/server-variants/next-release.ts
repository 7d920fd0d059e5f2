/** A server of the next release, so that this one is the previous release. */
import { addMigrations, NEXT_MIGRATIONS } from '../migrations/next-release-migrations.ts'

addMigrations(NEXT_MIGRATIONS)
await import('../../../src/main.ts')
