import { auditMigration } from '../migrations/0011-audit.ts'
import { notificationsMigration } from '../migrations/0012-notifications.ts'
import { viewsMigration } from '../migrations/0013-views.ts'
import { reportTimeMigration } from '../migrations/0014-report-time.ts'
import { transfersMigration } from '../migrations/0015-transfers.ts'
import { signInMigration } from '../migrations/0016-sign-in.ts'
import { auditActionsMigration, auditPeopleMigration } from '../migrations/0017-audit-search.ts'
import {
  deletedWorkspacesIndexMigration,
  deletedWorkspacesMigration,
} from '../migrations/0017-deleted-workspaces.ts'
import { templatesMigration } from '../migrations/0018-templates.ts'
import { secondFactorDemandMigration } from '../migrations/0019-second-factor-demand.ts'
import { lanesMigration } from '../migrations/0020-board.ts'
import { keyRateLimitMigration } from '../migrations/0021-key-rate-limit.ts'
import { limitProcessesMigration } from '../migrations/0021-limit-processes.ts'
import { jobsMigration } from '../migrations/0022-jobs.ts'
import { sessionAddressMigration } from '../migrations/0023-session-address.ts'
import { changeIndexMigrations, changesMigration } from '../migrations/0024-changes.ts'
import { assigneeDueDateMigrations } from '../migrations/0026-assignee-due-dates.ts'
import { eventIndexMigrations } from '../migrations/0027-events-by-project-and-type.ts'
import { storedBytesMigration } from '../migrations/0029-stored-bytes.ts'
import { sessionConfirmationMigration } from '../migrations/0030-session-confirmation.ts'
import { importWarningMigrations } from '../migrations/0031-import-warnings.ts'
import { refreshRepeatsMigration } from '../migrations/0033-refresh-repeats.ts'
import { jobDeathsMigration } from '../migrations/0034-job-deaths.ts'
import { apiMigration } from '../migrations/offline/0001-api.ts'
import { deliveriesMigration } from '../migrations/offline/0002-deliveries.ts'
import { attachmentsMigration } from '../migrations/offline/0003-attachments.ts'
import { sessionsMigration } from '../migrations/offline/0004-sessions.ts'
import { invitationsMigration } from '../migrations/offline/0005-invitations.ts'
import { activityMigration } from '../migrations/offline/0006-activity.ts'
import { searchMigration } from '../migrations/offline/0007-search.ts'
import { oauthMigration } from '../migrations/offline/0008-oauth.ts'
import { limitsMigration } from '../migrations/offline/0009-limits.ts'
import { noticesMigration } from '../migrations/offline/0010-notices.ts'

/**
 * One step of the schema, during and after which the previous release keeps working. CONTRIBUTING.md
 * has the rules, and test/storage/migration-rules.test.ts enforces them.
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

/** SQL for both engines, plus a part for each engine alone; it runs in one transaction. */
export interface SqlMigration extends MigrationBase {
  sql: string
  /** Columns that replace the names in braces in `sql`, which stand on lines of their own. */
  onlyOnSqlite?: Record<string, string>
  sqlite?: string
  postgres?: string
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
export interface BackfillMigration extends MigrationBase {
  /** An UPDATE of at most `{batch}` rows that still need it; it repeats until it finds none. */
  fill: string
}

/** In order of application. Migrations only go forward and are never edited after a release. */
export const MIGRATIONS: readonly Migration[] = [
  apiMigration,
  deliveriesMigration,
  attachmentsMigration,
  sessionsMigration,
  invitationsMigration,
  activityMigration,
  searchMigration,
  oauthMigration,
  limitsMigration,
  noticesMigration,
  auditMigration,
  notificationsMigration,
  viewsMigration,
  reportTimeMigration,
  transfersMigration,
  signInMigration,
  auditActionsMigration,
  auditPeopleMigration,
  deletedWorkspacesMigration,
  deletedWorkspacesIndexMigration,
  templatesMigration,
  secondFactorDemandMigration,
  lanesMigration,
  keyRateLimitMigration,
  limitProcessesMigration,
  jobsMigration,
  sessionAddressMigration,
  changesMigration,
  ...changeIndexMigrations,
  ...assigneeDueDateMigrations,
  ...eventIndexMigrations,
  storedBytesMigration,
  sessionConfirmationMigration,
  ...importWarningMigrations,
  refreshRepeatsMigration,
  jobDeathsMigration,
]
