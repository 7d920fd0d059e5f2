import type { DatabaseEngine } from '#core/transaction.ts'
import { firstSchemaMigration } from '../migrations/0001-first-schema.ts'
import { pushDevicesMigration } from '../migrations/0002-push-devices.ts'
import { deletedCommentsMigration } from '../migrations/0003-deleted-comments.ts'
import { workspaceListMigrations } from '../migrations/0004-workspace-lists.ts'
import { jobTurnsMigration } from '../migrations/0005-job-turns.ts'
import { pushDeviceUseMigration } from '../migrations/0006-push-device-use.ts'
import { refreshTokenNetworksMigration } from '../migrations/0007-refresh-token-networks.ts'
import { operationsMigration } from '../migrations/0008-operations.ts'
import { hoursPerDayMigration } from '../migrations/0009-hours-per-day.ts'
import { supervisionMigration } from '../migrations/0010-supervision.ts'

/**
 * One step of the schema, during and after which the previous release keeps working. CONTRIBUTING.md
 * has the rules, and test/storage/migrations.test.ts enforces them.
 */
export type Migration = SqlMigration | IndexMigration | BackfillMigration

interface MigrationBase {
  name: string
  /**
   * For a migration that removes something: the name of the migration since which the code no longer
   * needs it. Older code refuses to start, and reports "not ready" where it runs. If it names itself,
   * no older release is compatible.
   */
  contracts?: string
}

/** SQL that runs in one transaction, on both engines the same unless it is a function of the engine. */
interface SqlMigration extends MigrationBase {
  sql: string | ((engine: DatabaseEngine) => string)
}

/** An index of a table with rows: PostgreSQL builds it concurrently. */
export interface IndexMigration extends MigrationBase {
  index: {
    name: string
    table: string
    /** Columns and condition, such as `(workspace_id, due_date) where due_date is not null`. */
    columns: string
  }
}

/** A backfill that changes rows in batches; on PostgreSQL each batch is a transaction. */
interface BackfillMigration extends MigrationBase {
  /** An UPDATE of at most `{batch}` rows that still need it; it repeats until it finds none. */
  fill: string
}

/** In order of application. Migrations only go forward and are never edited after a release. */
export const MIGRATIONS: readonly Migration[] = [
  firstSchemaMigration,
  pushDevicesMigration,
  deletedCommentsMigration,
  ...workspaceListMigrations,
  jobTurnsMigration,
  pushDeviceUseMigration,
  refreshTokenNetworksMigration,
  operationsMigration,
  hoursPerDayMigration,
  supervisionMigration,
]
