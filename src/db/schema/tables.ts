import type { Generated } from 'kysely'
import type { Actor, Plan } from '#core/actor.ts'
import type { JobKindName, JobStatus } from '#core/job.ts'
import type { ActivityKind } from '#wire/activity-kinds.ts'
import type { AuditAction } from '#wire/audit-actions.ts'
import type { DeliveryFailure, EventKind } from '#wire/event-kinds.ts'
import type { NotificationKind } from '#wire/notification-preferences.ts'
import type { Role } from '#wire/rights.ts'

/* Rows of the audit log; `tables.ts` has the others. */

export interface AuditEntryRow {
  /** The workspace, or `installation`. */
  workspace_id: string
  /** From 1, without gaps. */
  sequence: number
  at: string
  actor_type: Actor['type']
  /** The user; null for the system and for failed sign-ins. */
  actor_id: string | null
  /** The API key, session or application that the actor used. */
  credential_id: string | null
  action: AuditAction
  subject_id: string | null
  /** JSON of ids and values from closed sets. */
  details: string
  operation_id: string
  /** Unused; an empty text in new rows. */
  hash: string
}

/** The position of the newest entry of an audit log. A transaction that appends entries locks this row. */
interface AuditHeadRow {
  workspace_id: string
  /** That of the newest entry. */
  sequence: number
  /** Unused; an empty text in new rows. */
  hash: string
  updated_at: string
}

/** A row that is a record of the feed of changes. */
interface ChangeNumbered {
  /** The number of the write that changed the row last; 0 if none did since numbers exist. */
  change_number: Generated<number>
}

/**
 * What is gone from a project, as of a write. If `record_id` is the project, its readers get it anew
 * (`reset`); if it is `members`, all members; if it is a person, the comments of that person.
 */
interface TombstoneRow {
  workspace_id: string
  change_number: number
  record_id: string
  /** `''` with `members` and with a person. */
  project_id: string
  /** The person for whom it is gone; `''` for everybody. */
  user_id: string
  created_at: string
}

/* Rows of events, webhooks and deliveries; `tables.ts` has the others. */

export interface WebhookRow {
  workspace_id: string
  id: string
  url: string
  description: string | null
  /** JSON arrays, as sent. */
  events: string
  project_ids: string | null
  is_active: number
  disabled_reason: string | null
  failure_count: number
  last_delivery_at: string | null
  last_success_at: string | null
  last_failure_at: string | null
  sealed_secret: string
  secret_hint: string
  sealed_previous_secret: string | null
  previous_secret_expires_at: string | null
  /** The webhook receives events after this sequence: it was created or last enabled then. */
  enabled_after_sequence: number
  /** How often it was disabled; deliveries of an earlier activation are canceled. */
  activation: Generated<number>
  /** 1: some deliveries of earlier activations are not canceled yet. */
  has_stale: Generated<number>
  /** When the first of its deliveries is due; null when none waits. */
  next_due_at: Generated<string | null>
  pending_count: Generated<number>
  /** When the first failed attempt since the last success happened. */
  failing_since: Generated<string | null>
  created_by_id: string
  created_at: string
  updated_at: string
}

export interface EventRow {
  workspace_id: string
  sequence: number
  id: string
  type: EventKind
  project_id: string | null
  former_project_id: string | null
  subject_id: string
  /** The envelope: exactly the bytes that are signed and sent. */
  payload: string
  created_at: string
}

export interface DeliveryRow {
  workspace_id: string
  id: string
  webhook_id: string
  event_id: string
  event_type: EventKind | 'webhook.test'
  /** Null for a test. */
  sequence: number | null
  /** The envelope of a test delivery; that of an event is in `events`. */
  payload: string | null
  /** 0: tests and redeliveries; 1: live events; 2: replays. */
  queue: 0 | 1 | 2
  /** Deliveries in one lane of a webhook are sent one after the other; null: waits for none. */
  lane: string | null
  /** 1 while an earlier delivery in its lane has to be sent first. */
  blocked: number
  activation: number
  status: 'pending' | 'succeeded' | 'failed' | 'canceled'
  attempt_count: number
  due_at: string
  last_attempt_at: string | null
  response_status: number | null
  duration_ms: number | null
  error: DeliveryFailure | null
  is_test: number
  redelivery_of_id: string | null
  created_at: string
  completed_at: string | null
}

export interface DeliveryAttemptRow {
  workspace_id: string
  delivery_id: string
  number: number
  started_at: string
  duration_ms: number
  response_status: number | null
  response_body: string | null
  error: DeliveryFailure | null
  url: string
  /** JSON object of the headers sent. */
  headers: string
}

/** A replay whose events are not all queued yet. */
export interface ReplayRow {
  workspace_id: string
  id: string
  webhook_id: string
  activation: number
  next_sequence: number
  to_sequence: number
}

/** A background job: what is to be done, and until it is purged how it ended. */
export interface JobRow {
  /** `''` for a job of no workspace. */
  workspace_id: string
  id: string
  kind: JobKindName
  /** Of the jobs of a kind that have not ended, at most one in a workspace has this key. */
  key: string | null
  /** JSON of JobPayload. */
  payload: string
  /** Encrypted; removed when the job ends. */
  secret: string | null
  status: JobStatus
  /** When a process may claim it: the next attempt, or the end of the lease. */
  run_at: string
  attempts: number
  /** How often its process has ended without a word since it last went on. */
  deaths: Generated<number>
  /** The fencing token: counted up by each claim, and checked by each write of the job. */
  token: number
  /** 1: it was enqueued again while it ran, so it runs once more. */
  again: number
  progress: string
  /** Why the last attempt failed. */
  error: string | null
  created_at: string
  ended_at: string | null
}

/* Rows of notifications and their emails; `tables.ts` has the others. */

export interface NotificationRow {
  workspace_id: string
  id: string
  user_id: string
  kind: NotificationKind
  /** Of `due`: `today` or `overdue`; of `webhook`: `disabled` or `failing`. */
  detail: string | null
  task_id: string | null
  /** The id of the comment, task, webhook or pending operation that it is about. */
  subject_id: string
  /** Identifies the occasion, so that a user is notified of it once. */
  key: string
  actor_id: string | null
  /** 0: it is sent by email only. */
  in_inbox: number
  read_at: string | null
  done_at: string | null
  snoozed_until: string | null
  /** When an email for it is due; null if none is wanted or one has taken it. */
  mail_at: string | null
  /** The job that sends the email with it, until that has ended. */
  email_job_id: string | null
  created_at: string
}

/** A user watches a task, by choice or by an action on it, or has muted it. */
interface TaskWatchRow {
  workspace_id: string
  task_id: string
  user_id: string
  is_muted: number
}

/** JSON of NotificationWishes; a user without a row has the defaults. */
interface NotificationSettingsRow {
  workspace_id: string
  user_id: string
  wishes: string
}

/** A browser that receives the notifications of a user, while its session is valid. */
export interface PushDeviceRow {
  workspace_id: string
  id: string
  user_id: string
  session_id: string
  endpoint_hash: string
  /** The subscription of the browser as JSON, encrypted. */
  subscription: string
  created_at: string
  /** The newest notification that was pushed to it, or that a page in sight has shown. */
  pushed_to: string | null
  /** When a push service last accepted a message for it. */
  last_used_at: string | null
  /** How many attempts have failed since, and when the first one did. */
  failures: Generated<number>
  failing_since: string | null
  /** Nothing is sent to it before this time. */
  rests_until: string | null
}

/* Rows of users, memberships and credentials; `tables.ts` has the others. */

export interface UserRow {
  id: string
  email: string
  name: string
  avatar_url: string | null
  timezone: string
  locale: string
  password_hash: string | null
  /** The workspace that the user visited last, in which the next session begins. */
  last_workspace_id: Generated<string | null>
  /** The address whose ownership the user has proved; `email` is verified while both are equal. */
  verified_email: Generated<string | null>
  hours_per_day: Generated<number>
  created_at: string
  updated_at: string
}

export interface MembershipRow {
  workspace_id: string
  user_id: string
  role: Role
  /** The user's name, case-folded, and its words; lists are sorted and searched by them. */
  name_key: string
  name_words: string
  joined_at: string
  removed_at: string | null
  last_active_at: string | null
}

interface ApiKeyRow {
  workspace_id: string
  id: string
  user_id: string
  name: string
  hash: string
  hint: string
  /** JSON array, sorted. */
  scopes: string
  expires_at: string | null
  /** Requests per minute; null if only the limit of the workspace applies. */
  rate_limit: number | null
  last_used_at: string | null
  created_at: string
  /** JSON of what it may do only after a person has looked at it; null: nothing. */
  supervision: Generated<string | null>
  /** Until then it may do everything without being asked about. */
  allowed_until: Generated<string | null>
  /** Since when it may do nothing at all. */
  paused_at: Generated<string | null>
}

/** A session of the web app; only the hash of its cookie value is stored. */
export interface SessionRow {
  id: string
  hash: string
  user_id: string
  /** The session's current workspace. */
  workspace_id: string
  user_agent: string
  /** The IP address of the sign-in; null: not recorded. */
  address: Generated<string | null>
  /** How the user signed in (`SIGN_IN_METHODS`); null: not recorded. */
  signed_in_by: Generated<string | null>
  /** 1: signed in with two factors. */
  two_factors: Generated<number>
  /** When its person last confirmed it by the password; null: not since the sign-in. */
  confirmed_at: Generated<string | null>
  created_at: string
  /** At most two minutes behind. */
  last_used_at: string
  expires_at: string
}

/** A single-use link for choosing another password. */
export interface PasswordResetRow {
  hash: string
  user_id: string
  created_at: string
  expires_at: string
}

/** Failed password attempts, keyed by a hash of the subject for which they are counted. */
export interface SignInAttemptsRow {
  subject: string
  /** JSON array of milliseconds since 1970, in ascending order. */
  failed_at: string
  blocked_until: string
  kept_until: string
}

/** An invitation that is neither accepted nor revoked; at most one per email address. */
interface InvitationRow {
  workspace_id: string
  id: string
  email: string
  role: Role
  /** JSON array of the projects that a guest will join. */
  project_ids: string
  invited_by_id: string
  hash: string
  expires_at: string
  created_at: string
}

/** Requests of a credential in the minute that begins at `at`. */
export interface RequestCountRow {
  workspace_id: string
  at: string
  /** The id of the credential, or of many that are counted together (core/merged-credentials.ts). */
  credential_id: string
  credential_type: string
  name: string
  used: number
  /** Answered 429. */
  refused: number
}

/** A third-party application that acts for users with their consent. */
export interface ApplicationRow {
  id: string
  /** Null for an application of the whole installation. */
  workspace_id: string | null
  name: string
  description: string | null
  homepage_url: string | null
  type: 'confidential' | 'public'
  distribution: 'private' | 'public'
  /** JSON array, as given. */
  redirect_uris: string
  /** JSON array, sorted: the scopes that it may request. */
  scopes: string
  /** Only for confidential applications. */
  secret_hash: string | null
  secret_hint: string | null
  created_by_id: string | null
  created_at: string
  updated_at: string
}

/** A user's consent for an application to act in a workspace. */
export interface GrantRow {
  id: string
  workspace_id: string
  user_id: string
  application_id: string
  /** JSON array, sorted. */
  scopes: string
  created_at: string
  last_used_at: string | null
  /** When its last token expires; before the first token, a short time after its creation. */
  expires_at: string
  /** As of an API key. */
  supervision: Generated<string | null>
  allowed_until: Generated<string | null>
  paused_at: Generated<string | null>
}

/** A record of the authorization server, looked up by the hash of its value. */
export interface OAuthRecordRow {
  /** `Interaction`, `AuthorizationCode`, `AccessToken` or `RefreshToken`, as the library names it. */
  kind: string
  hash: string
  grant_id: string | null
  /** For a refresh token: the token that it replaces. */
  parent_hash: string | null
  /** For an interaction: the session in which the user answers it. */
  session_id: string | null
  /** JSON, without the value. */
  payload: string
  used_at: string | null
  /** 1: a refresh token that must not be used again, not even within its window. */
  ended: number
  expires_at: string
  /** When a refresh token was presented again although it was used or had ended. */
  repeated_at: string | null
  /** A hash of the network of the client that has used a refresh token first. */
  used_from: string | null
}

/* Rows of sign-in methods other than the password; `tables.ts` has the others. */

/** A user's second factor: time-based one-time passwords (RFC 6238). */
export interface SecondFactorRow {
  user_id: string
  sealed_secret: string
  /** The 30-second time step of the last accepted code; codes up to it are rejected. */
  last_step: number
  /** Null until the first code confirms the setup. */
  enabled_at: string | null
  created_at: string
}

/** A single-use code that replaces the second factor. */
export interface RecoveryCodeRow {
  user_id: string
  hash: string
}

/** A WebAuthn credential. */
export interface PasskeyRow {
  id: string
  user_id: string
  /** The credential id from the authenticator, in base64url. */
  credential: string
  /** COSE, in base64url. */
  public_key: string
  /** The authenticator's signature counter; 0 if it does not count. */
  counter: number
  /** JSON array of WebAuthn transports. */
  transports: string
  name: string
  created_at: string
  last_used_at: string | null
}

/** A user's identity at the company's OpenID Connect provider. */
export interface CompanyLinkRow {
  issuer: string
  subject: string
  user_id: string
  /** The address in the provider's last response. */
  email: string | null
  created_at: string
  last_used_at: string | null
}

/**
 * State between two requests of a sign-in; only the browser has the hashed value. `completed`: a
 * state that the browser kept itself, and that must not be used again.
 */
export interface SignInStepRow {
  hash: string
  kind: 'second_factor' | 'no_workspace' | 'link' | 'email' | 'completed'
  user_id: string | null
  /** JSON. */
  payload: string
  expires_at: string
}

/* Rows of tasks and of what belongs to a task; `tables.ts` has the others. */

export interface TaskRow {
  /** SQLite only: the row of the search index. */
  search_id: Generated<number>
  workspace_id: string
  id: string
  project_id: string
  number: number
  title: string
  description: string | null
  status: string
  status_category: 'backlog' | 'unstarted' | 'started' | 'completed' | 'canceled'
  completed_at: string | null
  completed_by_id: string | null
  canceled_at: string | null
  priority: 'none' | 'low' | 'medium' | 'high' | 'urgent'
  /** 0 none … 4 urgent, to sort by. */
  priority_rank: number
  /** JSON arrays in ascending order; task_assignees, task_tags and task_blocks index the same ids. */
  assignee_ids: string
  tag_ids: string
  blocked_by_ids: string
  blocking_ids: string
  start_date: string | null
  due_date: string | null
  due_at: string | null
  parent_id: string | null
  position: string
  estimate_seconds: number | null
  time_spent_seconds: number
  /** JSON of {rrule, basis}. */
  recurrence: string | null
  recurred_from_id: string | null
  custom_fields: string
  external_source: string | null
  external_id: string | null
  metadata: string
  comment_count: number
  attachment_count: number
  subtask_count: number
  completed_subtask_count: number
  version: number
  created_by_id: string
  created_at: string
  updated_at: string
  deleted_at: string | null
  /** The operation that deleted it: restoring also restores all tasks deleted by the same one. */
  deleted_by_operation_id: string | null
}

/** The search words of a task; on SQLite an FTS5 table with only `rowid` and `words`. */
interface TaskWordsRow {
  rowid: number
  workspace_id: string
  task_id: string
  words: string
}

/** The search words of a comment. */
interface CommentWordsRow {
  rowid: Generated<number>
  workspace_id: string
  comment_id: string
  words: string
}

export interface CommentRow {
  workspace_id: string
  id: string
  task_id: string
  author_id: string
  body: string
  parent_id: string | null
  /** JSON array of user ids. */
  mentions: string
  source: string
  edited_at: string | null
  created_at: string
  updated_at: string
}

/** A comment in the trash; `deleted_by_id` is null if the system deleted it. */
export interface DeletedCommentRow extends CommentRow {
  deleted_at: string
  deleted_by_id: string | null
}

interface ActivityRow {
  workspace_id: string
  id: string
  task_id: string
  kind: ActivityKind
  /** JSON of the changes, as in an event. */
  changes: string
  actor_type: Actor['type']
  actor_id: string | null
  credential_name: string | null
  /** Null before operations were kept. */
  operation_id: string | null
  created_at: string
}

/** One write, whose events are those of the log from `first_sequence` to `last_sequence`. */
export interface OperationRow {
  workspace_id: string
  id: string
  actor_type: Actor['type']
  user_id: string | null
  /** The API key or the application; null for a session and for the system. */
  credential_id: string | null
  import_id: string | null
  created_at: string
  /** An operation without events has an empty range: 1 to 0. */
  first_sequence: number
  last_sequence: number
  /** The operation that this one takes back, and the one that has taken this one back. */
  undoes_id: Generated<string | null>
  undone_by_id: Generated<string | null>
}

/** A request of a supervised credential that a person has to allow before it runs. */
export interface PendingOperationRow {
  workspace_id: string
  /** That of the operation that it becomes. */
  id: string
  user_id: string
  actor_type: 'api_key' | 'app'
  /** The API key or the application. */
  credential_id: string
  grant_id: string | null
  /** What has been decided. One that nobody has decided expires by its age. */
  status: 'pending' | 'done' | 'refused'
  /** Method and path of the endpoint, such as `DELETE /api/v1/tasks/:id`. */
  endpoint: string
  /** JSON of what was sent, and of the scopes that the credential had. */
  request: string
  /** Equal for equal requests. */
  fingerprint: string
  /** JSON array of what is supervised in it. */
  reasons: string
  /** How many records it would change. */
  record_count: number
  /** JSON array of what it would do, of the first records. */
  preview: string
  /** Of everything that it would do: another one says that something has changed since. */
  digest: string
  created_at: string
  decided_by_id: string | null
  decided_at: string | null
  /** What the program would have been answered; encrypted, as it may hold a secret. */
  reply_status: number | null
  reply: string | null
}

/** The types of what is kept in the trash: deleted records, and the long description that a change has replaced. */
export type TrashedType = 'time_entry' | 'tag' | 'attachment' | 'view' | 'template' | 'description'

/** What an operation has removed. */
export interface TrashRow {
  workspace_id: string
  operation_id: string
  /** The id of the record; of a description, the id of its task. */
  id: string
  type: TrashedType
  task_id: string | null
  /** The deleted row as JSON; of a description, its text. */
  record: string
  /** JSON array: of a tag, the tasks that had it. */
  task_ids: string
  /** Of an attachment, the size of its file. */
  size_bytes: number
  deleted_at: string
}

interface AttachmentRow {
  workspace_id: string
  id: string
  task_id: string
  filename: string
  content_type: string
  size_bytes: number
  /** Lower-case hex. */
  sha256: string
  created_by_id: string
  created_at: string
}

export interface TimeEntryRow {
  workspace_id: string
  id: string
  task_id: string
  user_id: string
  started_at: string | null
  ended_at: string | null
  /** Null while the timer runs. */
  duration_seconds: number | null
  spent_on: string
  note: string | null
  billable: number
  source: string
  created_by_id: string
  created_at: string
  updated_at: string
}

/** An import of another tool's file; `plan` and `made` are JSON (resources/imports). */
export interface ImportRow {
  workspace_id: string
  id: string
  created_by_id: string
  /** The stored file; null once it is deleted. */
  file_id: string | null
  filename: string
  size_bytes: number
  kind: string | null
  status: string
  plan: string
  made: string
  row_count: number
  done_count: number
  made_count: number
  failed_count: number
  /** Rows with a warning. */
  warned_count: number
  error: string | null
  created_at: string
  updated_at: string
}

/** One task of an imported file with its comments, as JSON. */
export interface ImportFileRow {
  workspace_id: string
  import_id: string
  number: number
  place: number | null
  key: string | null
  row: string
  task_id: string | null
  fault: string | null
  /** What of the row could not be imported as the file says it. */
  warning: string | null
}

/** An archive of the workspace that is being made, or can be downloaded for a day. */
export interface ExportRow {
  workspace_id: string
  id: string
  created_by_id: string
  status: string
  file_id: string | null
  filename: string
  size_bytes: number
  sha256: string | null
  progress: string
  error: string | null
  created_at: string
  updated_at: string
  expires_at: string | null
}

/* Rows of saved views and project templates; `tables.ts` has the others. */

export interface ViewRow {
  workspace_id: string
  id: string
  /** Null for a view of all projects. */
  project_id: string | null
  name: string
  view: 'list' | 'board' | 'timeline' | 'calendar'
  /** The filter as the user typed it. */
  filter: string
  sort: string
  grouping: string
  lanes: 'none' | 'assignee' | 'priority'
  /** The user who alone sees it; empty if it is shared. */
  only_for: string
  created_by_id: string
  created_at: string
  updated_at: string
}

export interface TemplateRow {
  workspace_id: string
  id: string
  project_id: string
  name: string
  /** JSON. */
  tasks: string
  task_count: number
  created_by_id: string
  created_at: string
  updated_at: string
}

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
  deleted_comments: DeletedCommentRow
  comment_words: CommentWordsRow
  /** SQLite only: the rowids of comments in the full-text index. */
  searched_comments: { search_id: Generated<number>; workspace_id: string; comment_id: string }
  activity: ActivityRow
  operations: OperationRow
  pending_operations: PendingOperationRow
  trash: TrashRow
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
  push_devices: PushDeviceRow
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

/** What becomes of a column with the id of a person. */
export type PersonRule =
  /** The row is deleted with the membership: it could give access that nobody gave to a new one. */
  | 'deleted'
  /** A statement of its own ends it with the membership. */
  | 'ends'
  /** It says who has made, changed or been assigned something, and gives no access. */
  | 'stays'
  /** It stays with a removed membership, and the row is deleted when the person is erased. */
  | 'erased'
  /** It belongs to the account, which may be a member of other workspaces. */
  | 'account'

/** How the rows of a table go when their workspace is purged. */
type PurgeRule =
  /** In batches, after the tables below that refer to them. */
  | 'rows'
  /** In batches of their task, of which one task may have any number. */
  | 'rows of a task'
  /** With their task, by a cascading foreign key or by a statement of its own. */
  | 'with a task'
  /** By the job that deletes a file or a member. */
  | 'alone'
  /** Never: they hold only ids, and expire by their own age. */
  | 'kept'

interface CommonRules<Column extends string> {
  people?: Partial<Record<Column, PersonRule>>
  /** The columns of the primary key after the workspace, if that is not `id`. */
  key?: readonly Column[]
  /** The columns that may be long. */
  texts?: readonly Column[]
  /**
   * What counts towards the storage of the workspace: of a `record` its texts and a KiB, of `history` the texts,
   * of a `file` its `size_bytes`.
   */
  counted?: 'record' | 'history' | 'file'
  /** Whether the `size_bytes` of a file count beside the texts of a record. */
  holdsFiles?: true
  /** The column that is null once the file of a row is deleted. */
  file?: Column
  /** Columns that no record of the feed of changes shows, or that change without an entry in the feed. */
  unnumbered?: readonly Column[]
  /** Whether a trigger leaves tombstones for deleted rows that are no record of the feed. */
  leavesTombstones?: true
}

/** The rules of a table. Those that its columns require cannot be left out. */
type TableRules<T extends keyof Tables> = CommonRules<keyof Tables[T] & string> &
  ('workspace_id' extends keyof Tables[T] ? { purge: PurgeRule } : { purge?: never }) &
  // These rows are the records of the feed of changes.
  (Tables[T] extends ChangeNumbered ? { numbered: true } : { numbered?: never })

/**
 * What is to be known of each table. Counting of storage, purges of workspaces, removal and erasure of people,
 * and change numbers follow from it. A table comes after those that its foreign keys refer to.
 */
const TABLE_RULES = {
  installation: {},
  attempts: {},
  dispatchers: {},
  users: {},
  password_resets: { people: { user_id: 'account' } },
  second_factors: { people: { user_id: 'account' } },
  recovery_codes: { people: { user_id: 'account' } },
  passkeys: { people: { user_id: 'account' } },
  company_links: { people: { user_id: 'account' } },
  sign_in_steps: { people: { user_id: 'account' } },
  workspaces: {},
  memberships: {
    purge: 'alone',
    numbered: true,
    unnumbered: ['last_active_at', 'name_key', 'name_words'],
    // The removed membership keeps the id, the name and the work of the person together.
    people: { user_id: 'stays' },
  },
  audit_entries: { purge: 'kept', people: { actor_id: 'stays' } },
  audit_heads: { purge: 'kept' },
  doomed_files: { purge: 'alone' },

  // Below it are the tables whose deleted rows leave tombstones, which are purged before it.
  // Readers of the feed of changes who are invited again learn from it what to forget.
  tombstones: { purge: 'rows', people: { user_id: 'stays' } },
  projects: {
    purge: 'rows',
    numbered: true,
    texts: ['name', 'description'],
    counted: 'record',
    people: { lead_id: 'ends', created_by_id: 'stays' },
  },
  project_prefixes: { purge: 'rows' },
  project_people: { purge: 'rows', leavesTombstones: true, people: { user_id: 'deleted' } },
  tags: { purge: 'rows', numbered: true, people: { created_by_id: 'stays' } },
  templates: {
    purge: 'rows',
    texts: ['tasks'],
    counted: 'record',
    people: { created_by_id: 'stays' },
  },
  views: {
    purge: 'rows',
    // A view shows only tasks that its viewer sees.
    people: { created_by_id: 'stays', only_for: 'stays' },
  },
  view_pins: { purge: 'rows', people: { user_id: 'deleted' } },
  tasks: {
    purge: 'with a task',
    numbered: true,
    texts: ['title', 'description', 'custom_fields', 'metadata'],
    counted: 'record',
    people: { assignee_ids: 'stays', created_by_id: 'stays', completed_by_id: 'stays' },
  },
  task_words: { purge: 'with a task' },
  task_numbers: { purge: 'with a task' },
  task_assignees: { purge: 'with a task', people: { user_id: 'stays' } },
  task_tags: { purge: 'with a task' },
  task_blocks: { purge: 'with a task' },
  comments: {
    purge: 'rows of a task',
    numbered: true,
    texts: ['body'],
    counted: 'record',
    people: { author_id: 'stays', mentions: 'stays' },
  },
  comment_words: { purge: 'with a task' },
  searched_comments: { purge: 'with a task' },
  trash: {
    purge: 'rows',
    key: ['operation_id', 'id'],
    texts: ['record', 'task_ids'],
    counted: 'record',
    holdsFiles: true,
  },
  deleted_comments: {
    purge: 'rows of a task',
    texts: ['body'],
    counted: 'record',
    // Owners and admins can still restore them.
    people: { author_id: 'stays', mentions: 'stays', deleted_by_id: 'stays' },
  },
  time_entries: {
    purge: 'rows of a task',
    numbered: true,
    texts: ['note'],
    counted: 'record',
    people: { user_id: 'stays', created_by_id: 'stays' },
  },
  activity: {
    purge: 'rows of a task',
    key: ['task_id', 'id'],
    texts: ['changes'],
    counted: 'history',
    people: { actor_id: 'stays' },
  },
  attachments: {
    purge: 'with a task',
    numbered: true,
    counted: 'file',
    people: { created_by_id: 'stays' },
  },

  // Webhooks and applications belong to the workspace.
  webhooks: { purge: 'rows', people: { created_by_id: 'stays' } },
  removed_webhooks: { purge: 'rows' },
  operations: { purge: 'rows', people: { user_id: 'stays' } },
  pending_operations: {
    purge: 'rows',
    texts: ['request', 'preview', 'reply'],
    counted: 'record',
    // It would run with a credential that has ended with the membership.
    people: { user_id: 'deleted', decided_by_id: 'stays' },
  },
  events: { purge: 'rows', key: ['sequence'], texts: ['payload'], counted: 'history' },
  deliveries: { purge: 'rows', texts: ['payload'] },
  delivery_attempts: { purge: 'rows', texts: ['response_body'] },
  replays: { purge: 'rows' },
  notifications: { purge: 'rows', people: { user_id: 'deleted', actor_id: 'stays' } },
  // It notifies only of tasks that its user sees.
  task_watches: { purge: 'rows', people: { user_id: 'erased' } },
  notification_settings: { purge: 'rows', people: { user_id: 'erased' } },
  push_devices: { purge: 'rows', people: { user_id: 'deleted' } },
  imports: {
    purge: 'rows',
    counted: 'file',
    file: 'file_id',
    people: { created_by_id: 'stays' },
  },
  import_rows: { purge: 'rows', texts: ['row'] },
  exports: {
    purge: 'rows',
    counted: 'file',
    file: 'file_id',
    people: { created_by_id: 'stays' },
  },
  request_counts: { purge: 'rows' },
  invitations: { purge: 'rows', people: { invited_by_id: 'ends' } },
  replies: {
    purge: 'rows',
    key: ['user_id', 'credential', 'key'],
    texts: ['body'],
    counted: 'history',
    // Stored replies are sent only to the credential that has asked, and last a day.
    people: { user_id: 'stays' },
  },
  jobs: { purge: 'rows' },
  applications: { purge: 'rows', people: { created_by_id: 'stays' } },
  grants: { purge: 'rows', people: { user_id: 'ends' } },
  oauth_records: {},
  api_keys: { purge: 'rows', people: { user_id: 'ends' } },
  sessions: { purge: 'rows', people: { user_id: 'ends' } },
} as const satisfies { [T in keyof Tables]: TableRules<T> }

interface AnyTableRules extends CommonRules<string> {
  purge?: PurgeRule
  numbered?: true
}

export const rulesOf = (table: keyof Tables): AnyTableRules => TABLE_RULES[table]

/** The tables with their rules, in order. */
export const TABLES = Object.entries(TABLE_RULES) as [keyof Tables, AnyTableRules][]

type Rules = typeof TABLE_RULES

/** The tables whose rules have a property with some value. */
export type TableWith<K extends string, V = unknown> = {
  [T in keyof Rules]: Rules[T] extends Record<K, V> ? T : never
}[keyof Rules]
