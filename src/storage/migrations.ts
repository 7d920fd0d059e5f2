import { api } from './migrations/0001-api.ts'
import { deliveries } from './migrations/0002-deliveries.ts'
import { attachments } from './migrations/0003-attachments.ts'
import { sessions } from './migrations/0004-sessions.ts'
import { invitations } from './migrations/0005-invitations.ts'
import { activity } from './migrations/0006-activity.ts'
import { search } from './migrations/0007-search.ts'
import { oauth } from './migrations/0008-oauth.ts'
import { limits } from './migrations/0009-limits.ts'
import { notices } from './migrations/0010-notices.ts'
import { audit } from './migrations/0011-audit.ts'
import { notifications } from './migrations/0012-notifications.ts'
import { views } from './migrations/0013-views.ts'
import { reportTime } from './migrations/0014-report-time.ts'
import { transfers } from './migrations/0015-transfers.ts'
import { signIn } from './migrations/0016-sign-in.ts'
import { auditActions, auditPeople } from './migrations/0017-audit-search.ts'
import { deletedWorkspaces, deletedWorkspacesIndex } from './migrations/0017-deleted-workspaces.ts'
import { templates } from './migrations/0018-templates.ts'
import { secondFactorDemand } from './migrations/0019-second-factor-demand.ts'
import { lanes } from './migrations/0020-board.ts'

/**
 * One step of the schema, beside which the release before goes on. CONTRIBUTING.md has the rules, and
 * test/storage/migration-rules.test.ts holds them.
 */
export type Migration = Change | IndexBuild | Fill

interface Step {
  name: string
  /**
   * Where it takes something away: the name of the migration from which on the code does without that.
   * Older code does not start any more, and where it runs it is not ready. Its own name: no older one.
   */
  contracts?: string
}

/** SQL that both engines understand, or a pair where one has what the other lacks; a transaction. */
export interface Change extends Step {
  sql: string
  /** Columns for the places in `sql` that name them in braces, on lines of their own. */
  onlyOnSqlite?: Record<string, string>
  sqlite?: string
  postgres?: string
}

/** An index of a table that has rows: PostgreSQL builds it while they are written. */
export interface IndexBuild extends Step {
  index: {
    name: string
    table: string
    /** What is indexed, and where: `(workspace_id, due_date) where due_date is not null`. */
    columns: string
  }
}

/** Rows that are changed some at a time; on PostgreSQL each time is a transaction. */
export interface Fill extends Step {
  /** An UPDATE of rows that still need it, at most `{batch}`; it is done again until it finds fewer. */
  fill: string
}

/** In order, forward only, never edited once released. */
export const MIGRATIONS: readonly Migration[] = [
  api,
  deliveries,
  attachments,
  sessions,
  invitations,
  activity,
  search,
  oauth,
  limits,
  notices,
  audit,
  notifications,
  views,
  reportTime,
  transfers,
  signIn,
  auditActions,
  auditPeople,
  deletedWorkspaces,
  deletedWorkspacesIndex,
  templates,
  secondFactorDemand,
  lanes,
]
