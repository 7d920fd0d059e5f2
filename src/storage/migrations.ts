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

/** SQL that both engines understand, or a pair where one has what the other lacks. */
export interface Migration {
  name: string
  sql: string
  /** Columns for the places in `sql` that name them in braces, on lines of their own. */
  onlyOnSqlite?: Record<string, string>
  sqlite?: string
  postgres?: string
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
]
