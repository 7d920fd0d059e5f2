import type { Generated } from 'kysely'
import type { Plan } from '#core/actor.ts'
import type { AuditEntryRow, AuditHeadRow } from './audit-tables.ts'
import type { ChangeNumbered, TombstoneRow } from './change-tables.ts'
import type {
  DeliveryAttemptRow,
  DeliveryRow,
  EventRow,
  ReplayRow,
  WebhookRow,
} from './event-tables.ts'
import type { JobRow } from './job-tables.ts'
import type {
  NotificationRow,
  NotificationSettingsRow,
  TaskWatchRow,
} from './notification-tables.ts'
import type {
  ApiKeyRow,
  ApplicationRow,
  GrantRow,
  InvitationRow,
  MembershipRow,
  OAuthRecordRow,
  PasswordResetRow,
  RequestCountRow,
  SessionRow,
  SignInAttemptsRow,
  UserRow,
} from './people-tables.ts'
import type {
  CompanyLinkRow,
  PasskeyRow,
  RecoveryCodeRow,
  SecondFactorRow,
  SignInStepRow,
} from './sign-in-tables.ts'
import type {
  ActivityRow,
  AttachmentRow,
  CommentRow,
  CommentWordsRow,
  TaskRow,
  TaskWordsRow,
  TimeEntryRow,
} from './task-tables.ts'
import type { ExportRow, ImportFileRow, ImportRow } from './transfer-tables.ts'
import type { TemplateRow, ViewRow } from './view-tables.ts'

export type * from './audit-tables.ts'
export type * from './change-tables.ts'
export type * from './event-tables.ts'
export type * from './job-tables.ts'
export type * from './notification-tables.ts'
export type * from './people-tables.ts'
export type * from './sign-in-tables.ts'
export type * from './task-tables.ts'
export type * from './transfer-tables.ts'
export type * from './view-tables.ts'

/** The rows of all tables on both engines: they hold only text, integers and null. */
export interface Tables {
  installation: { name: string; value: string }
  workspaces: WorkspaceRow
  users: UserRow
  memberships: MembershipRow & ChangeNumbered
  api_keys: ApiKeyRow
  sessions: SessionRow
  password_resets: PasswordResetRow
  attempts: SignInAttemptsRow
  second_factors: SecondFactorRow
  recovery_codes: RecoveryCodeRow
  passkeys: PasskeyRow
  company_links: CompanyLinkRow
  sign_in_steps: SignInStepRow
  invitations: InvitationRow
  applications: ApplicationRow
  grants: GrantRow
  oauth_records: OAuthRecordRow
  request_counts: RequestCountRow
  projects: ProjectRow & ChangeNumbered
  project_prefixes: { workspace_id: string; prefix: string; project_id: string }
  project_people: { workspace_id: string; project_id: string; user_id: string }
  tasks: TaskRow & ChangeNumbered
  task_words: TaskWordsRow
  task_numbers: { workspace_id: string; project_id: string; number: number; task_id: string }
  /** `due_date` is that of the task; triggers change it. */
  task_assignees: {
    workspace_id: string
    user_id: string
    task_id: string
    due_date: string | null
  }
  task_tags: { workspace_id: string; tag_id: string; task_id: string }
  task_blocks: { workspace_id: string; task_id: string; blocker_id: string }
  tags: TagRow & ChangeNumbered
  views: ViewRow
  view_pins: { workspace_id: string; user_id: string; view_id: string; position: number }
  templates: TemplateRow
  comments: CommentRow & ChangeNumbered
  comment_words: CommentWordsRow
  /** SQLite only: the rowids of comments in the full-text index. */
  searched_comments: { search_id: Generated<number>; workspace_id: string; comment_id: string }
  activity: ActivityRow
  attachments: AttachmentRow & ChangeNumbered
  doomed_files: { workspace_id: string; id: string; doomed_at: string }
  time_entries: TimeEntryRow & ChangeNumbered
  webhooks: WebhookRow
  events: EventRow
  deliveries: DeliveryRow
  delivery_attempts: DeliveryAttemptRow
  replays: ReplayRow
  removed_webhooks: { workspace_id: string; webhook_id: string }
  dispatchers: { id: string; alive_until: string }
  replies: ReplyRow
  audit_entries: AuditEntryRow
  audit_heads: AuditHeadRow
  notifications: NotificationRow
  task_watches: TaskWatchRow
  notification_settings: NotificationSettingsRow
  imports: ImportRow
  import_rows: ImportFileRow
  exports: ExportRow
  jobs: JobRow
  tombstones: TombstoneRow
}

export interface WorkspaceRow {
  id: string
  name: string
  plan: Plan
  timezone: string
  last_sequence: number
  /** The number of the last change, where the database numbers them (PostgreSQL). */
  last_notice: Generated<number>
  /** 1: committed events for an active webhook have not been fanned out to deliveries yet. */
  has_unsent_events: Generated<number>
  /** Events up to this sequence have been fanned out to deliveries. */
  fanned_out_sequence: Generated<number>
  /** The first event of the log; earlier events are stored only for their deliveries. */
  log_from_sequence: Generated<number>
  /** The sending process, and a fencing token that grows with each change: writes of earlier
   * dispatchers are rejected by it. */
  dispatcher_id: Generated<string | null>
  dispatch_token: Generated<number>
  /** Sum of the sizes of its attachments, those of deleted tasks included. */
  attachment_bytes: Generated<number>
  /** The bytes of its texts and files, and those that keep its past: events, activity and replies. */
  content_bytes: Generated<number>
  history_bytes: Generated<number>
  /** When an owner deleted it; it can be restored until it is erased. */
  deleted_at: Generated<string | null>
  /** 1: only sessions with a second factor or of the company's provider are accepted. */
  requires_second_factor: Generated<number>
  created_at: string
  /** The number of the newest write that changed a record of the feed of changes. */
  last_change_number: Generated<number>
  /** Tombstones up to this number have expired. */
  tombstones_from: Generated<number>
  updated_at: string
}

export interface ProjectRow {
  workspace_id: string
  id: string
  name: string
  name_key: string
  name_words: string
  prefix: string
  description: string | null
  color: string
  icon: string | null
  archived_at: string | null
  lead_id: string | null
  visibility: 'workspace' | 'private'
  start_date: string | null
  target_date: string | null
  /** JSON array of statuses. */
  statuses: string
  /** The number of the newest task. */
  last_number: number
  backlog_count: number
  unstarted_count: number
  started_count: number
  completed_count: number
  canceled_count: number
  created_by_id: string
  created_at: string
  updated_at: string
}

export interface TagRow {
  workspace_id: string
  id: string
  project_id: string
  name: string
  name_key: string
  name_words: string
  color: string
  task_count: number
  created_by_id: string
  created_at: string
  updated_at: string
}

export interface ReplyRow {
  workspace_id: string
  user_id: string
  credential: string
  key: string
  fingerprint: string
  status: number
  body: string
  location: string | null
  etag: string | null
  operation_id: string | null
  created_at: string
}
