// Generated from the endpoints of the server by tools/generate-client.ts.

/** One field, parameter or header that is wrong. */
export interface ApiErrorDetail {
  /** The path of a field, such as `assignee_ids[2]`, or the name of a parameter or header. Empty for the whole body. */
  field: string
  /** What is wrong with the field, for programs. More codes may be added. */
  code: string
  /** What is wrong and what is accepted, for people. The text may change. */
  message: string
  /** The id of the record that the request conflicts with, such as the tag that has the name. Absent if there is none, or if you cannot see it. */
  resource_id?: string
}

/** A file that is attached to a task. It never changes. */
export interface Attachment {
  /** The id of the attachment. */
  id: string
  /** The task that the file is attached to. */
  task_id: string
  /** The project of the task. */
  project_id: string
  /** The name of the file, without a path. */
  filename: string
  /** The media type that was sent with the file, or `application/octet-stream`. Docket does not check it. */
  content_type: string
  /** The size of the file in bytes. */
  size_bytes: number
  /** The SHA-256 hash of the file in lower-case hexadecimal. */
  sha256: string
  /** The address of the file itself. It needs a credential, like every address of the API. */
  url: string
  /** The person who attached it. */
  created_by_id: string
  /** When it was attached. */
  created_at: string
}

/** An event of type `attachment.created`. */
export type AttachmentCreatedEvent = Event & {
  /** The type of the event. */
  type?: 'attachment.created'
  /** The whole record after the operation. */
  data?: Attachment
}

/** An event of type `attachment.deleted`. */
export type AttachmentDeletedEvent = Event & {
  /** The type of the event. */
  type?: 'attachment.deleted'
  /** The whole record after the operation. */
  data?: Attachment
}

/** One page of a list of `Attachment`. */
export interface AttachmentPage {
  /** The records of this page, at most `limit`. */
  data: Array<Attachment>
  /** Send it as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there is another page. */
  has_more: boolean
}

/** Adds a comment to a task. */
export interface BulkCommentCreate {
  /** The kind of operation. */
  op: 'create'
  /** The id of the task, or its short id. */
  task_id: string
  /** The new comment. */
  data: CommentCreate
}

/** Deletes a comment. */
export interface BulkCommentDelete {
  /** The kind of operation. */
  op: 'delete'
  /** The id of the comment. */
  id: string
  /** The `updated_at` that the comment must have; otherwise the operation fails with 412. Default: any. */
  updated_at?: string
}

/** Why an operation of a bulk request failed. */
export interface BulkCommentError {
  /** The class of the error, which follows from the status. */
  type: string
  /** What is wrong, for programs. More codes may be added. */
  code: string
  /** What is wrong, for people and in English. The text may change. */
  message: string
  /** All fields, parameters or headers that are wrong. Often empty. */
  details: Array<ApiErrorDetail>
}

/** One operation on one comment. `op` says which one. */
export type BulkCommentOperation = BulkCommentCreate | BulkCommentUpdate | BulkCommentDelete

/** The result of one operation. */
export interface BulkCommentResult {
  /** The index of the operation in the request, from 0. */
  index: number
  /** The status that the endpoint of the operation would have returned. */
  status: number
  /** The `operation_id` of its events. Null if it changed nothing. */
  operation_id: string | null
  /** The comment after the operation. Null if it was deleted, or if the operation failed. */
  data: Comment | null
  /** Why the operation failed. Null if it succeeded. */
  error: BulkCommentError | null
}

/** Edits a comment. */
export interface BulkCommentUpdate {
  /** The kind of operation. */
  op: 'update'
  /** The id of the comment. */
  id: string
  /** The `updated_at` that the comment must have; otherwise the operation fails with 412. Default: any. */
  updated_at?: string
  /** The changes of the comment. */
  data: CommentUpdate
}

/** The results of a bulk request. */
export interface BulkCommentsReply {
  /** The results, one for each operation and in the same order. */
  results: Array<BulkCommentResult>
  /** How many operations succeeded. */
  succeeded: number
  /** How many operations failed: none with `atomic`. */
  failed: number
}

/** A bulk request: operations on comments. */
export interface BulkCommentsRequest {
  /** The operations, which run in this order. */
  operations: Array<BulkCommentOperation>
  /** `true`: if one operation fails, none has an effect, and the reply is its error. `false`: each is on its own. Default: `true`. */
  atomic?: boolean
}

/** Creates a tag. */
export interface BulkTagCreate {
  /** The kind of operation. */
  op: 'create'
  /** The project of the tag. */
  project_id: string
  /** The new tag. */
  data: TagCreate
}

/** Deletes a tag and removes it from all tasks. */
export interface BulkTagDelete {
  /** The kind of operation. */
  op: 'delete'
  /** The id of the tag. */
  id: string
  /** The `updated_at` that the tag must have; otherwise the operation fails with 412. Default: any. */
  updated_at?: string
}

/** Why an operation of a bulk request failed. */
export interface BulkTagError {
  /** The class of the error, which follows from the status. */
  type: string
  /** What is wrong, for programs. More codes may be added. */
  code: string
  /** What is wrong, for people and in English. The text may change. */
  message: string
  /** All fields, parameters or headers that are wrong. Often empty. */
  details: Array<ApiErrorDetail>
}

/** One operation on one tag. `op` says which one. */
export type BulkTagOperation = BulkTagCreate | BulkTagUpdate | BulkTagDelete

/** The result of one operation. */
export interface BulkTagResult {
  /** The index of the operation in the request, from 0. */
  index: number
  /** The status that the endpoint of the operation would have returned. */
  status: number
  /** The `operation_id` of its events. Null if it changed nothing. */
  operation_id: string | null
  /** The tag after the operation. Null if it was deleted, or if the operation failed. */
  data: Tag | null
  /** Why the operation failed. Null if it succeeded. */
  error: BulkTagError | null
}

/** Updates a tag. */
export interface BulkTagUpdate {
  /** The kind of operation. */
  op: 'update'
  /** The id of the tag. */
  id: string
  /** The `updated_at` that the tag must have; otherwise the operation fails with 412. Default: any. */
  updated_at?: string
  /** The changes of the tag. */
  data: TagUpdate
}

/** The results of a bulk request. */
export interface BulkTagsReply {
  /** The results, one for each operation and in the same order. */
  results: Array<BulkTagResult>
  /** How many operations succeeded. */
  succeeded: number
  /** How many operations failed: none with `atomic`. */
  failed: number
}

/** A bulk request: operations on tags. */
export interface BulkTagsRequest {
  /** The operations, which run in this order. */
  operations: Array<BulkTagOperation>
  /** `true`: if one operation fails, none has an effect, and the reply is its error. `false`: each is on its own. Default: `true`. */
  atomic?: boolean
}

/** Completes a task. */
export interface BulkTaskComplete {
  /** The kind of operation. */
  op: 'complete'
  /** The id of the task, or its short id. */
  id: string
  /** The `version` that the task must have; otherwise the operation fails with 412. Default: any. */
  version?: number
}

/** Creates a task. */
export interface BulkTaskCreate {
  /** The kind of operation. */
  op: 'create'
  /** The new task. */
  data: TaskCreate
}

/** Deletes a task and its subtasks. */
export interface BulkTaskDelete {
  /** The kind of operation. */
  op: 'delete'
  /** The id of the task, or its short id. */
  id: string
  /** The `version` that the task must have; otherwise the operation fails with 412. Default: any. */
  version?: number
}

/** Why an operation of a bulk request failed. */
export interface BulkTaskError {
  /** The class of the error, which follows from the status. */
  type: string
  /** What is wrong, for programs. More codes may be added. */
  code: string
  /** What is wrong, for people and in English. The text may change. */
  message: string
  /** All fields, parameters or headers that are wrong. Often empty. */
  details: Array<ApiErrorDetail>
}

/** One operation on one task. `op` says which one. */
export type BulkTaskOperation =
  | BulkTaskCreate
  | BulkTaskUpdate
  | BulkTaskUpsert
  | BulkTaskComplete
  | BulkTaskDelete
  | BulkTaskRestore

/** Restores a deleted task. */
export interface BulkTaskRestore {
  /** The kind of operation. */
  op: 'restore'
  /** The id of the task, or its short id. */
  id: string
  /** The `version` that the task must have; otherwise the operation fails with 412. Default: any. */
  version?: number
}

/** The result of one operation. */
export interface BulkTaskResult {
  /** The index of the operation in the request, from 0. */
  index: number
  /** The status that the endpoint of the operation would have returned. */
  status: number
  /** The `operation_id` of its events. Null if it changed nothing. */
  operation_id: string | null
  /** The task after the operation. Null if it was deleted, or if the operation failed. */
  data: Task | null
  /** Why the operation failed. Null if it succeeded. */
  error: BulkTaskError | null
}

/** Updates a task. */
export interface BulkTaskUpdate {
  /** The kind of operation. */
  op: 'update'
  /** The id of the task, or its short id. */
  id: string
  /** The `version` that the task must have; otherwise the operation fails with 412. Default: any. */
  version?: number
  /** The changes of the task. */
  data: TaskUpdate
}

/** Updates the task with this `external_source` and `external_id`, with status 200, or else creates it, with status 201. */
export interface BulkTaskUpsert {
  /** The kind of operation. */
  op: 'upsert'
  /** The `version` that the task must have; otherwise the operation fails with 412. Default: any. */
  version?: number
  /** The task, of which the external id is required. */
  data: TaskUpsert
}

/** The results of a bulk request. */
export interface BulkTasksReply {
  /** The results, one for each operation and in the same order. */
  results: Array<BulkTaskResult>
  /** How many operations succeeded. */
  succeeded: number
  /** How many operations failed: none with `atomic`. */
  failed: number
}

/** A bulk request: operations on tasks. */
export interface BulkTasksRequest {
  /** The operations, which run in this order. */
  operations: Array<BulkTaskOperation>
  /** `true`: if one operation fails, none has an effect, and the reply is its error. `false`: each is on its own. Default: `true`. */
  atomic?: boolean
}

/** The results of a bulk request. */
export interface BulkTimeEntriesReply {
  /** The results, one for each operation and in the same order. */
  results: Array<BulkTimeEntryResult>
  /** How many operations succeeded. */
  succeeded: number
  /** How many operations failed: none with `atomic`. */
  failed: number
}

/** A bulk request: operations on time entries. */
export interface BulkTimeEntriesRequest {
  /** The operations, which run in this order. */
  operations: Array<BulkTimeEntryOperation>
  /** `true`: if one operation fails, none has an effect, and the reply is its error. `false`: each is on its own. Default: `true`. */
  atomic?: boolean
}

/** Logs time on a task, or starts a timer. */
export interface BulkTimeEntryCreate {
  /** The kind of operation. */
  op: 'create'
  /** The id of the task, or its short id. */
  task_id: string
  /** The new time entry. */
  data: TimeEntryCreate
}

/** Deletes a time entry. */
export interface BulkTimeEntryDelete {
  /** The kind of operation. */
  op: 'delete'
  /** The id of the time entry. */
  id: string
  /** The `updated_at` that the time entry must have; otherwise the operation fails with 412. Default: any. */
  updated_at?: string
}

/** Why an operation of a bulk request failed. */
export interface BulkTimeEntryError {
  /** The class of the error, which follows from the status. */
  type: string
  /** What is wrong, for programs. More codes may be added. */
  code: string
  /** What is wrong, for people and in English. The text may change. */
  message: string
  /** All fields, parameters or headers that are wrong. Often empty. */
  details: Array<ApiErrorDetail>
}

/** One operation on one time entry. `op` says which one. */
export type BulkTimeEntryOperation = BulkTimeEntryCreate | BulkTimeEntryUpdate | BulkTimeEntryDelete

/** The result of one operation. */
export interface BulkTimeEntryResult {
  /** The index of the operation in the request, from 0. */
  index: number
  /** The status that the endpoint of the operation would have returned. */
  status: number
  /** The `operation_id` of its events. Null if it changed nothing. */
  operation_id: string | null
  /** The time entry after the operation. Null if it was deleted, or if the operation failed. */
  data: TimeEntry | null
  /** Why the operation failed. Null if it succeeded. */
  error: BulkTimeEntryError | null
}

/** Updates a time entry, or stops a timer. */
export interface BulkTimeEntryUpdate {
  /** The kind of operation. */
  op: 'update'
  /** The id of the time entry. */
  id: string
  /** The `updated_at` that the time entry must have; otherwise the operation fails with 412. Default: any. */
  updated_at?: string
  /** The changes of the time entry. */
  data: TimeEntryUpdate
}

/** What all changes have. */
export interface ChangeFields {
  /** `put`: keep `record` under `type` and `id`, in place of what you have. `delete`: forget that record, and of a task also the comments, time entries and attachments with its `task_id`. `reset`: forget that project and every record with its `project_id`; what still exists and may be read follows as `put`. A copy need not have what it is to forget. */
  op: 'put' | 'delete' | 'reset'
  /** The type of a record. More types may be added. */
  type: string
  /** The id of the record. */
  id: string
  /** The project of the record. Null for a member. */
  project_id?: string | null
}

/**
 * One step that brings a copy up to date.
 *
 * `op` and `type` tell what `record` is. Ignore a type that you do not know: more may be added.
 */
export type Change = ChangeFields &
  (
    | { op: 'put'; type: 'project'; record: Project }
    | { op: 'put'; type: 'task'; record: Task }
    | { op: 'put'; type: 'comment'; record: Comment }
    | { op: 'put'; type: 'time_entry'; record: TimeEntry }
    | { op: 'put'; type: 'tag'; record: Tag }
    | { op: 'put'; type: 'attachment'; record: Attachment }
    | { op: 'put'; type: 'member'; record: Member }
    | { op: 'delete' | 'reset'; type: ChangeType; record?: undefined }
  )

/** Changes, and the position after them. */
export interface ChangePage {
  /** The changes after `after`, in order. */
  data: Array<Change>
  /** Where this reply ends. Send it as `after` to get what follows. */
  position: string
  /** Whether more follows at once. If not, your copy is exact now. */
  has_more: boolean
}

/** The type of a record. More types may be added. */
export type ChangeType =
  | 'project'
  | 'task'
  | 'comment'
  | 'time_entry'
  | 'tag'
  | 'attachment'
  | 'member'

/** A comment on a task. */
export interface Comment {
  /** The id of the comment. */
  id: string
  /** The task that it is about. */
  task_id: string
  /** The person who wrote it. */
  author_id: string
  /** The person who wrote it, with name and picture. */
  author: CommentAuthor
  /** The text in Markdown, in which `<@usr_…>` mentions a member. */
  body: string
  /** The comment that it replies to, even if that one was deleted. Null if it is not a reply. */
  parent_id: string | null
  /** The people mentioned in `body` outside of code, in that order: active members who can see the project. */
  mentions: Array<string>
  /** How it was created: `web` in the web app, `api` by an API key, `app` by an OAuth application, `import` from a file. More values may be added. */
  source: string
  /** When `body` was last changed. Null if it never was. */
  edited_at: string | null
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
}

/** The author of a comment. */
export interface CommentAuthor {
  /** The id of the person. */
  id: string
  /** The name that the person has now. */
  name: string
  /** The address of the profile picture. Null if there is none. */
  avatar_url: string | null
}

/** A new comment. */
export interface CommentCreate {
  /** The text in Markdown, which is stored exactly as you send it. `<@usr_…>` mentions a member. */
  body: string
  /** The comment of the same task to reply to, which must not be a reply itself. Default: null. */
  parent_id?: string | null
}

/** An event of type `comment.created`. */
export type CommentCreatedEvent = Event & {
  /** The type of the event. */
  type?: 'comment.created'
  /** The whole record after the operation. */
  data?: Comment
}

/** An event of type `comment.deleted`. */
export type CommentDeletedEvent = Event & {
  /** The type of the event. */
  type?: 'comment.deleted'
  /** The whole record after the operation. */
  data?: Comment
}

/** One page of a list of `Comment`. */
export interface CommentPage {
  /** The records of this page, at most `limit`. */
  data: Array<Comment>
  /** Send it as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there is another page. */
  has_more: boolean
}

/** A key to sort by. `-` before it reverses the order. */
export type CommentSort = '-created_at' | 'created_at'

/** The changes of a comment. */
export interface CommentUpdate {
  /** The new text in Markdown. It also sets `mentions` and `edited_at`. */
  body?: string
}

/** An event of type `comment.updated`. */
export type CommentUpdatedEvent = Event & {
  /** The type of the event. */
  type?: 'comment.updated'
  /** The whole record after the operation. */
  data?: Comment
}

/** What a request is authenticated by. */
export interface Credential {
  /** The kind of credential. */
  type: CredentialType
  /** The id of the API key, the application or the session. */
  id: string
  /** The name of the API key or the application. Null for a session. */
  name: string | null
  /** What the credential may do, as far as your role allows it. */
  scopes: Array<Scope>
  /** When the credential expires. Null if it does not. */
  expires_at: string | null
}

/** `api_key`: an API key. `oauth`: an access token of an OAuth application. `session`: a session of the web app. */
export type CredentialType = 'api_key' | 'oauth' | 'session'

/** The new value of a custom field; null removes the field. */
export type CustomFieldChange = string | boolean | number | Array<string> | null

/** The custom fields to set, by key; null removes one. Those that are absent stay as they are. */
export type CustomFieldChanges = Record<string, CustomFieldChange>

/** A text, a number, true or false, or a list of texts. */
export type CustomFieldValue = string | boolean | number | Array<string>

/** Your own fields, by key. A value is a text, a number, true or false, or a list of texts. */
export type CustomFields = Record<string, CustomFieldValue>

/** `exclude`: no deleted tasks. `include`: deleted tasks, too. `only`: only deleted tasks. Deleted tasks are listed as long as they can be restored. */
export type DeletedTasks = 'exclude' | 'include' | 'only'

/** The type of the event; `webhook.test` for a test. More types may be added. */
export type DeliveredEventType =
  | 'task.created'
  | 'task.updated'
  | 'task.completed'
  | 'task.deleted'
  | 'task.assigned'
  | 'comment.created'
  | 'comment.updated'
  | 'comment.deleted'
  | 'attachment.created'
  | 'attachment.deleted'
  | 'time_entry.created'
  | 'time_entry.updated'
  | 'time_entry.deleted'
  | 'tag.created'
  | 'tag.updated'
  | 'tag.deleted'
  | 'project.created'
  | 'project.updated'
  | 'member.added'
  | 'member.updated'
  | 'member.removed'
  | 'webhook.test'

/** The delivery of one event to one webhook, by one or more attempts. */
export interface Delivery {
  /** The id of the delivery. */
  id: string
  /** The webhook that the event goes to. */
  webhook_id: string
  /** The event. It keeps its id when it is redelivered or replayed. */
  event_id: string
  /** The type of the event; `webhook.test` for a test. More types may be added. */
  event_type: string
  /** The `sequence` of the event. Null for a test. */
  sequence: number | null
  /** How far the delivery is. */
  status: DeliveryStatus
  /** How many attempts have ended. */
  attempt_count: number
  /** When the next attempt is due. Null if there is none, and while an earlier event about the same record goes first. */
  next_attempt_at: string | null
  /** When the last attempt began. Null before the first. */
  last_attempt_at: string | null
  /** The status of the last reply. Null if the last attempt got none. */
  response_status: number | null
  /** How long the last attempt took, in milliseconds. Null before the first. */
  duration_ms: number | null
  /** Why the last attempt failed. Null if it succeeded, and before the first. */
  error: DeliveryFailure | null
  /** Whether the event is a test. */
  is_test: boolean
  /** The earlier delivery that this one repeats. Null if it is not a redelivery. */
  redelivery_of_id: string | null
  /** When it was created. */
  created_at: string
  /** When it succeeded, failed or was canceled. Null while it is pending. */
  completed_at: string | null
}

/** One attempt to deliver an event. */
export interface DeliveryAttempt {
  /** The number of the attempt, from 1. */
  number: number
  /** When it began. */
  started_at: string
  /** How long it took, in milliseconds. */
  duration_ms: number
  /** The status of the reply. Null if there was none. */
  response_status: number | null
  /** The first 2 KiB of the reply. Null if there was none. */
  response_body: string | null
  /** Why it failed. Null if it succeeded. */
  error: DeliveryFailure | null
}

/** A delivery with its last request and all its attempts. */
export interface DeliveryDetails {
  /** The id of the delivery. */
  id: string
  /** The webhook that the event goes to. */
  webhook_id: string
  /** The event. It keeps its id when it is redelivered or replayed. */
  event_id: string
  /** The type of the event; `webhook.test` for a test. More types may be added. */
  event_type: string
  /** The `sequence` of the event. Null for a test. */
  sequence: number | null
  /** How far the delivery is. */
  status: DeliveryStatus
  /** How many attempts have ended. */
  attempt_count: number
  /** When the next attempt is due. Null if there is none, and while an earlier event about the same record goes first. */
  next_attempt_at: string | null
  /** When the last attempt began. Null before the first. */
  last_attempt_at: string | null
  /** The status of the last reply. Null if the last attempt got none. */
  response_status: number | null
  /** How long the last attempt took, in milliseconds. Null before the first. */
  duration_ms: number | null
  /** Why the last attempt failed. Null if it succeeded, and before the first. */
  error: DeliveryFailure | null
  /** Whether the event is a test. */
  is_test: boolean
  /** The earlier delivery that this one repeats. Null if it is not a redelivery. */
  redelivery_of_id: string | null
  /** When it was created. */
  created_at: string
  /** When it succeeded, failed or was canceled. Null while it is pending. */
  completed_at: string | null
  /** The request of the last attempt. Null before the first. */
  request: DeliveryRequest | null
  /** All attempts, in their order. */
  attempts: Array<DeliveryAttempt>
}

/** `timeout`: no reply in time. `connection_failed`: no connection, or it broke. `tls_error`: no valid certificate. `dns_failed`: the host name has no address. `blocked_address`: Docket does not send to its address. `redirect`: a status 3xx. `http_status`: any other status than 2xx. */
export type DeliveryFailure =
  | 'timeout'
  | 'connection_failed'
  | 'tls_error'
  | 'dns_failed'
  | 'blocked_address'
  | 'redirect'
  | 'http_status'

/** One page of a list of `Delivery`. */
export interface DeliveryPage {
  /** The records of this page, at most `limit`. */
  data: Array<Delivery>
  /** Send it as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there is another page. */
  has_more: boolean
}

/** A request to the URL of a webhook. */
export interface DeliveryRequest {
  /** The URL of the webhook at that time. */
  url: string
  /** The headers by name, with the signatures. */
  headers: Record<string, string>
  /** The exact text that was sent and signed. */
  body: string
}

/** `pending`: to be attempted, perhaps again. `succeeded`: the receiver replied 2xx. `failed`: Docket gave up. `canceled`: the webhook was disabled first. */
export type DeliveryStatus = 'pending' | 'succeeded' | 'failed' | 'canceled'

/** What a delivery waits for. */
export interface DeliveryWait {
  /** `queue`: to be queued. `replay`: to be queued by a replay under way. `earlier_delivery`: one about the same record goes first. `retry`: the next attempt is not due. `turn`: it is due, and sent as soon as others leave room. `cancellation`: the webhook was disabled, and it is about to be canceled. More values may be added. */
  reason: string
  /** Of `earlier_delivery`: the delivery that goes first. */
  delivery_id: string | null
  /** When the next attempt is due, of `earlier_delivery` that of the delivery that goes first. */
  next_attempt_at: string | null
}

/** Something that happened, as the event log has it and webhooks receive it. */
export interface Event {
  /** The id of the event. All its deliveries have the same: deduplicate by it. */
  id: string
  /** What happened to which kind of record. `task.updated` is every change of a task but completing and assigning it. More types may be added. */
  type: string
  /** When it happened. */
  timestamp: string
  /** The workspace in which it happened. */
  workspace_id: string
  /** The project of the record. Null for events about members. */
  project_id: string | null
  /** Numbers the events of the workspace without gaps, in the order in which they happened. */
  sequence: number
  /** The operation that caused it, the `X-Operation-Id` of its reply. An operation can cause several events. */
  operation_id: string
  /** The version of the API that `data` follows. */
  api_version: 'v1'
  /** Who caused it, and with which credential. */
  actor: EventActor
  /** The whole record after the operation, as an owner of the workspace sees it. */
  data: Record<string, unknown>
  /** The fields that the operation changed, by name. Empty except for `task.completed`, `task.assigned` and the types that end in `.updated`. */
  changes: Record<string, FieldChange>
}

/** Who caused an event. */
export interface EventActor {
  /** `user`: a person in the web app. `api_key`, `app`: an API key or an OAuth application of a person. `system`: the server or its command line. More values may be added. */
  type: string
  /** The person. Null for `system`. */
  user_id: string | null
  /** The name that the person had at that time; `Docket` for `system`. */
  name: string
  /** The API key or the OAuth application. Null for `user` and `system`. */
  credential_id: string | null
}

/** One page of a list of `Event`. */
export interface EventPage {
  /** The records of this page, at most `limit`. */
  data: Array<Event>
  /** Send it as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there is another page. */
  has_more: boolean
  /** The `sequence` of the newest event of the log, of any type and project, when this page was read. On the last page, the next `after_sequence`: all matching events up to it are behind you. */
  newest_sequence: number
}

/** Where the event log begins and ends. */
export interface EventPosition {
  /** The `sequence` of the oldest event in the log. Null if the log has none. */
  oldest_sequence: number | null
  /** The `sequence` of the newest event, also if the log no longer has it. 0 before the first event. */
  newest_sequence: number
}

/** The range of events to send again. */
export interface EventReplay {
  /** The `sequence` of the first event to send. */
  from_sequence: number
  /** The `sequence` of the last event to send. Default: that of the newest event. */
  to_sequence?: number
}

/** The events that will be sent again. */
export interface EventReplayResult {
  /** How many events will be sent. */
  queued: number
  /** The first `sequence` of the range. */
  from_sequence: number
  /** The last `sequence` of the range. */
  to_sequence: number
}

/** What happened to which kind of record. `task.updated` is every change of a task but completing and assigning it. More types may be added. */
export type EventType =
  | 'task.created'
  | 'task.updated'
  | 'task.completed'
  | 'task.deleted'
  | 'task.assigned'
  | 'comment.created'
  | 'comment.updated'
  | 'comment.deleted'
  | 'attachment.created'
  | 'attachment.deleted'
  | 'time_entry.created'
  | 'time_entry.updated'
  | 'time_entry.deleted'
  | 'tag.created'
  | 'tag.updated'
  | 'tag.deleted'
  | 'project.created'
  | 'project.updated'
  | 'member.added'
  | 'member.updated'
  | 'member.removed'

/** A delivery with its attempts and what it waits for. */
export interface ExplainedDelivery {
  /** The id of the delivery. */
  id: string
  /** The webhook that the event goes to. */
  webhook_id: string
  /** The event. It keeps its id when it is redelivered or replayed. */
  event_id: string
  /** The type of the event; `webhook.test` for a test. More types may be added. */
  event_type: string
  /** The `sequence` of the event. Null for a test. */
  sequence: number | null
  /** How far the delivery is. */
  status: DeliveryStatus
  /** How many attempts have ended. */
  attempt_count: number
  /** When the next attempt is due. Null if there is none, and while an earlier event about the same record goes first. */
  next_attempt_at: string | null
  /** When the last attempt began. Null before the first. */
  last_attempt_at: string | null
  /** The status of the last reply. Null if the last attempt got none. */
  response_status: number | null
  /** How long the last attempt took, in milliseconds. Null before the first. */
  duration_ms: number | null
  /** Why the last attempt failed. Null if it succeeded, and before the first. */
  error: DeliveryFailure | null
  /** Whether the event is a test. */
  is_test: boolean
  /** The earlier delivery that this one repeats. Null if it is not a redelivery. */
  redelivery_of_id: string | null
  /** When it was created. */
  created_at: string
  /** When it succeeded, failed or was canceled. Null while it is pending. */
  completed_at: string | null
  /** All attempts, in their order. */
  attempts: Array<DeliveryAttempt>
  /** What the next attempt waits for. Null if there is none. */
  waits_for: DeliveryWait | null
}

/** The value of a field before and after an operation. */
export interface FieldChange {
  /** The value before. */
  from: unknown
  /** The value after. */
  to: unknown
  /** `true` if a description of more than 2,048 characters was left out: that side is null. */
  truncated?: boolean
}

/** What an undo has left as it is. */
export interface LeftRecord {
  /** The operation that did it. */
  operation_id: string
  /** The type of the record. */
  record_type: string
  /** The id of the record. */
  record_id: string
  /** The field. Null: the whole record. */
  field: string | null
  /** Why. `changed_since`: somebody has changed it. `gone`: it is deleted, or you do not see it any more. `not_undoable`: nothing takes this back. Others are the code of the error that you would get. More codes may be added. */
  code: string
  /** Why, for people. */
  message: string
  /** Who has changed it since, if known. */
  changed_by_id: string | null
  /** When it was changed since, if known. */
  changed_at: string | null
}

/** Who calls the API, in which workspace and with which credential. */
export interface Me {
  /** You: the person to whom the credential belongs. */
  user: Member
  /** The workspace in which the credential is valid. */
  workspace: Workspace
  /** The credential that the request was sent with. */
  credential: Credential
}

/** A person as a member of the workspace. */
export interface Member {
  /** The id of the person, the same in all workspaces. */
  id: string
  /** The name of the person. */
  name: string
  /** The email address in lower case. Guests see only their own; for others it is null. */
  email: string | null
  /** The address of the profile picture. Null if there is none. */
  avatar_url: string | null
  /** What the person may do in the workspace. */
  role: Role
  /** Whether the person is still in the workspace. */
  status: MemberStatus
  /** The IANA name of the time zone of the person, which decides the days of their time entries. */
  timezone: string
  /** The language of the person, as a BCP 47 tag. */
  locale: string
  /** When the person joined, most recently. */
  joined_at: string
  /** When the person was last active, at most five minutes behind. Null if never. */
  last_active_at: string | null
}

/** An event of type `member.added`. */
export type MemberAddedEvent = Event & {
  /** The type of the event. */
  type?: 'member.added'
  /** The whole record after the operation. */
  data?: Member
}

/** One page of a list of `Member`. */
export interface MemberPage {
  /** The records of this page, at most `limit`. */
  data: Array<Member>
  /** Send it as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there is another page. */
  has_more: boolean
}

/** An event of type `member.removed`. */
export type MemberRemovedEvent = Event & {
  /** The type of the event. */
  type?: 'member.removed'
  /** The whole record after the operation. */
  data?: Member
}

/** A key to sort by. `-` before it reverses the order. */
export type MemberSort = 'joined_at' | '-joined_at' | 'name' | '-name'

/** `active`, or `removed`: the person has left, and what they created stays. */
export type MemberStatus = 'active' | 'removed'

/** An event of type `member.updated`. */
export type MemberUpdatedEvent = Event & {
  /** The type of the event. */
  type?: 'member.updated'
  /** The whole record after the operation. */
  data?: Member
}

/** Your own texts for programs, by key. The app does not show them. */
export type Metadata = Record<string, string>

/** The texts to set, by key; null removes one. Those that are absent stay as they are. */
export type MetadataChanges = Record<string, string | null>

/** One write, and what it has changed. */
export interface Operation {
  /** The `X-Operation-Id` of the reply, and of the events. */
  id: string
  /** When it happened. */
  created_at: string
  /** Who did it, and with which credential. */
  actor: OperationActor
  /** The import that did it. */
  import_id: string | null
  /** The operation that this one took back. */
  undoes_id: string | null
  /** The operation that took this one back. */
  undone_by_id: string | null
  /** How many events it caused; among the operations of a task, how many about it that you see. */
  event_count: number
  /** What it did, or would do, one for each event, in their order: the first in a list, up to 100 of a single read. What is in a project that you do not see, or that your credential may not read, is left out. */
  changes: Array<OperationChange>
  /** `done`: it has happened. `pending`: it waits for a person who allows it. `refused`: that person did not. `expired`: nobody decided within 7 days. More values may be added. */
  status: string
  /** Why it waits or has waited for a person. Otherwise empty. */
  reasons: Array<string>
  /** Until when a person can allow it. */
  expires_at: string | null
  /** What the request that had to wait was answered when it ran. Only for the credential that has sent it. */
  reply: OperationReply | null
}

/** Who did it. */
export interface OperationActor {
  /** `user`: a person in the web app. `api_key`, `app`: an API key or an OAuth application of a person. `system`: the server or its command line. More values may be added. */
  type: string
  /** The person. Null for `system`. */
  user_id: string | null
  /** The name of the person. Null for `system`. */
  name: string | null
  /** The API key or the OAuth application. Null for `user` and `system`. */
  credential_id: string | null
}

/** What an operation did to one record. */
export interface OperationChange {
  /** What happened to the record. */
  event_type: string
  /** The type of the record. */
  record_type: string
  /** The id of the record. */
  record_id: string
  /** The project in which it happened. Null for a member. */
  project_id: string | null
  /** What a person would call the record: the title of a task, the name of a tag or file. */
  name: string | null
  /** The fields that the operation changed, as in its event. */
  changes: Record<string, unknown>
}

/** One page of a list of `Operation`. */
export interface OperationPage {
  /** The records of this page, at most `limit`. */
  data: Array<Operation>
  /** Send it as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there is another page. */
  has_more: boolean
}

/** The reply to a request that had to wait. */
export interface OperationReply {
  /** The status. */
  status: number
  /** The body. Null if there is none. */
  body: unknown
}

/** A key to sort by. `-` before it reverses the order. */
export type OperationSort = '-created_at' | 'created_at'

/** The plan of a workspace: `free` or `paid`, which allows more requests. */
export type Plan = 'free' | 'paid'

/** A project, which contains tasks and tags and defines the statuses of its tasks. */
export interface Project {
  /** The id of the project. */
  id: string
  /** The name of the project. */
  name: string
  /** The beginning of the short ids of its tasks; unique in the workspace. */
  prefix: string
  /** Details in Markdown. Null if there are none. */
  description: string | null
  /** The color in the app. */
  color: string
  /** An emoji, or the name of an icon. Null if there is none. */
  icon: string | null
  /** Whether the project is archived. */
  status: ProjectStatus
  /** When the project was archived. Null if it is active. */
  archived_at: string | null
  /** The member who leads the project. Null if nobody does. */
  lead_id: string | null
  /** Who sees the project and everything in it. */
  visibility: ProjectVisibility
  /** The day on which the project begins. Null if there is none. */
  start_date: string | null
  /** The day on which the project should be done. Null if there is none. */
  target_date: string | null
  /** The statuses that its tasks can have, in their order. */
  statuses: Array<Status>
  /** The number of its tasks, by category of their status. */
  task_counts: TaskCounts
  /** The address of its page in the web app. */
  url: string
  /** The person who created it. */
  created_by_id: string
  /** When it was created. */
  created_at: string
  /** When the project itself was last changed. Changes of its tasks do not move it. */
  updated_at: string
}

/** An event of type `project.created`. */
export type ProjectCreatedEvent = Event & {
  /** The type of the event. */
  type?: 'project.created'
  /** The whole record after the operation. */
  data?: Project
}

/** One page of a list of `Project`. */
export interface ProjectPage {
  /** The records of this page, at most `limit`. */
  data: Array<Project>
  /** Send it as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there is another page. */
  has_more: boolean
}

/** A key to sort by. `-` before it reverses the order. */
export type ProjectSort =
  | 'created_at'
  | '-created_at'
  | 'updated_at'
  | '-updated_at'
  | 'name'
  | '-name'

/** `active`, or `archived`: it can be read, and nothing in it can be changed. */
export type ProjectStatus = 'active' | 'archived'

/** A key to sort by. `-` before it reverses the order. */
export type ProjectTagSort = 'name' | '-name' | 'created_at' | '-created_at'

/** A key to sort by. `-` before it reverses the order. */
export type ProjectTaskSort =
  | 'position'
  | '-position'
  | 'created_at'
  | '-created_at'
  | 'updated_at'
  | '-updated_at'
  | 'due_date'
  | '-due_date'
  | 'priority'
  | '-priority'
  | 'number'
  | '-number'

/** An event of type `project.updated`. */
export type ProjectUpdatedEvent = Event & {
  /** The type of the event. */
  type?: 'project.updated'
  /** The whole record after the operation. */
  data?: Project
}

/** `workspace`: visible to all members. `private`: only to owners, admins, the lead and the people who were added. Guests see only projects to which they were added. */
export type ProjectVisibility = 'workspace' | 'private'

/** How a task repeats: when it is completed, the next one is created. */
export interface Recurrence {
  /** The rule: an RFC 5545 RRULE in capitals and without its name. */
  rrule: string
  /** From which day the next due date is counted. */
  basis: RecurrenceBasis
}

/** `due_date`: the next task is due on the first day of the rule after the due date that is not in the past. `completion`: on the first day of the rule after the day of completion. */
export type RecurrenceBasis = 'due_date' | 'completion'

/** How a task repeats, as you send it. */
export interface RecurrenceInput {
  /** The rule: an RFC 5545 RRULE in capitals and without its name. */
  rrule: string
  /** From which day the next due date is counted. Default: `due_date`, for which the task must have one. */
  basis?: RecurrenceBasis
}

/** Who sent a request, as the server understood it. */
export interface RequestActor {
  /** A session, an API key or an application. More values may be added. */
  type: string
  /** The person for whom the credential acts. */
  user_id: string
  /** The role that the person had then. */
  role: string
  /** The API key or the application. Null for a session. */
  credential_id: string | null
}

/** A check of a request, and how it ended. */
export interface RequestCheck {
  /** What was checked. `credential`: it is valid. `origin`: the page of a session may send it. `rate_limit`: requests are left. `scope`: the credential may do it. `body`: it can be read. `parameters`: query and headers are valid. `action_limit`: it is not one of too many actions of its kind. `idempotency`: the key was not used before. `record`: it exists for this person. `role`: the person may do it. `precondition`: `If-Match`. `fields`: the body is valid. `state`: the records allow it. More may be added. */
  name: string
  /** `passed`: also if there was nothing to check. `refused`: the reply is its error. `replayed`: the reply is that of an earlier request with the same `Idempotency-Key`. `not_reached`: the request had ended before. `unknown`: the server failed, or the client left. More values may be added. */
  outcome: string
}

/** What the server did with a request. */
export interface RequestDetails {
  /** The id of the request. */
  id: string
  /** When it arrived. */
  created_at: string
  /** Its method. */
  method: string
  /** The pattern of its path. */
  route: string
  actor: RequestActor
  /** The status of the reply; 499 if the client left before it was complete. */
  status: number
  /** The code of the error reply. Null if there was no error. */
  error_code: string | null
  /** All checks, in their order. */
  checks: Array<RequestCheck>
  /** The limit that was nearest. Null if the request did not count. */
  rate_limit: RequestRateLimit | null
  /** What its `Idempotency-Key` did. */
  idempotency: string
  /** The operation, of a replay the one of the first request. Null if there is none. */
  operation_id: string | null
  /** How many events the operation caused. Null without an operation. */
  event_count: number | null
}

/** The limit that was nearest. */
export interface RequestRateLimit {
  /** `X-RateLimit-Limit` of the reply. */
  limit: number
  /** `X-RateLimit-Remaining` of the reply. */
  remaining: number
  /** When the window ended in which it counted. */
  resets_at: string
}

/** `owner`: everything. `admin`: everything but the plan and deleting the workspace. `member`: the projects they see, and creating projects. `guest`: only the projects they were added to. */
export type Role = 'owner' | 'admin' | 'member' | 'guest'

/** What a credential may do with records of one kind: `read` them, `write` (create and change) or `delete` them. */
export type Scope =
  | 'projects:read'
  | 'tasks:read'
  | 'tasks:write'
  | 'tasks:delete'
  | 'comments:read'
  | 'comments:write'
  | 'comments:delete'
  | 'time_entries:read'
  | 'time_entries:write'
  | 'time_entries:delete'
  | 'tags:read'
  | 'tags:write'
  | 'tags:delete'
  | 'attachments:read'
  | 'attachments:write'
  | 'attachments:delete'
  | 'members:read'
  | 'webhooks:read'
  | 'webhooks:write'
  | 'webhooks:delete'
  | 'events:read'

/** A status that the tasks of a project can have. */
export interface Status {
  /** What tasks have as their `status`; unique in the project. */
  key: string
  /** The name that people see. */
  name: string
  /** What the status means. */
  category: StatusCategory
  /** The color in the app. */
  color: string
  /** The place in the order of the statuses, from 0. */
  position: number
}

/** What a status means in every project. `backlog`: not planned yet. `unstarted`: planned. `started`: in progress. `completed`: done. `canceled`: will not be done. */
export type StatusCategory = 'backlog' | 'unstarted' | 'started' | 'completed' | 'canceled'

/** A tag, which labels tasks of its project. */
export interface Tag {
  /** The id of the tag. */
  id: string
  /** The project for whose tasks it is. */
  project_id: string
  /** The name of the tag, unique in its project regardless of case. */
  name: string
  /** The color in the app. */
  color: string
  /** The number of tasks that have the tag, without deleted ones. */
  task_count: number
  /** The person who created it. */
  created_by_id: string
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
}

/** A new tag. */
export interface TagCreate {
  /** The name of the tag, unique in its project regardless of case. */
  name: string
  /** The color in the app. Default: `#6b7280`, a gray. */
  color?: string
}

/** An event of type `tag.created`. */
export type TagCreatedEvent = Event & {
  /** The type of the event. */
  type?: 'tag.created'
  /** The whole record after the operation. */
  data?: Tag
}

/** An event of type `tag.deleted`. */
export type TagDeletedEvent = Event & {
  /** The type of the event. */
  type?: 'tag.deleted'
  /** The whole record after the operation. */
  data?: Tag
}

/** One page of a list of `Tag`. */
export interface TagPage {
  /** The records of this page, at most `limit`. */
  data: Array<Tag>
  /** Send it as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there is another page. */
  has_more: boolean
}

/** The changes of a tag. Fields that you leave out stay as they are. */
export interface TagUpdate {
  /** The name of the tag, unique in its project regardless of case. All its tasks show the new one. */
  name?: string
  /** The color in the app. */
  color?: string
}

/** An event of type `tag.updated`. */
export type TagUpdatedEvent = Event & {
  /** The type of the event. */
  type?: 'tag.updated'
  /** The whole record after the operation. */
  data?: Tag
}

/** A task of a project, with a short id such as `ENG-42`. */
export interface Task {
  /** The id of the task. */
  id: string
  /** The project that contains the task. */
  project_id: string
  /** The number of the task in its project. It changes when the task moves to another one. */
  number: number
  /** The prefix of the project and `number`. Earlier short ids still lead to the task. */
  short_id: string
  /** The address of its page in the web app. */
  url: string
  /** What is to be done, in one line. */
  title: string
  /** Details in Markdown, exactly as they were sent. Null if there are none. */
  description: string | null
  /** The key of a status of the project. Each project has statuses of its own. */
  status: string
  /** The category of `status`, which means the same in every project: `completed` is done. */
  status_category: StatusCategory
  /** When the task was completed. Null unless `status_category` is `completed`. */
  completed_at: string | null
  /** The person who completed it. Null unless `status_category` is `completed`. */
  completed_by_id: string | null
  /** When the task was canceled. Null unless `status_category` is `canceled`. */
  canceled_at: string | null
  /** How urgent the task is. */
  priority: TaskPriority
  /** The people who work on the task, in ascending order. Former members stay assigned. */
  assignee_ids: Array<string>
  /** The tags of the task, in ascending order. They belong to its project. */
  tag_ids: Array<string>
  /** The day on which work begins, never after `due_date`. Null if there is none. */
  start_date: string | null
  /** The day on which the task is due. Null if there is none. */
  due_date: string | null
  /** The time at which the task is due, which falls on `due_date` in the time zone of the workspace. Null if only the day counts. */
  due_at: string | null
  /** The task of which this is a subtask. Null at the top level. */
  parent_id: string | null
  /** The rank of the task in its project. Compare it byte by byte to sort tasks. */
  position: string
  /** The estimated work in seconds. Null if there is no estimate. */
  estimate_seconds: number | null
  /** The time spent in seconds: the sum of the finished time entries of the task. */
  time_spent_seconds: number
  /** The tasks to be done before this one, in ascending order. You can complete a blocked task all the same. */
  blocked_by_ids: Array<string>
  /** The tasks that this one blocks: those that have it in `blocked_by_ids`. */
  blocking_ids: Array<string>
  /** How the task repeats when it is completed. Null if it does not, or no longer. */
  recurrence: Recurrence | null
  /** The completed task of which this is the next occurrence. Null if there is none. */
  recurred_from_id: string | null
  /** Your own fields, which the app shows to people. */
  custom_fields: CustomFields
  /** The other system that `external_id` comes from. Null if there is none. */
  external_source: string | null
  /** The id of the task in another system. Null if there is none. */
  external_id: string | null
  /** Your own texts for programs, which the app does not show. */
  metadata: Metadata
  /** The number of comments, with replies. */
  comment_count: number
  /** The number of attachments. */
  attachment_count: number
  /** The number of direct subtasks, without deleted ones. */
  subtask_count: number
  /** The number of direct subtasks that are in the category `completed`, without deleted ones. */
  completed_subtask_count: number
  /** Rises by 1 with each change of the fields of the task itself. Counts, sums and `blocking_ids` do not move it. */
  version: number
  /** The person who created it, or who completed the task from which it recurred. */
  created_by_id: string
  /** When it was created. */
  created_at: string
  /** When the fields of the task itself were last changed. Moves exactly with `version`. */
  updated_at: string
  /** When the task was deleted. Null except in lists of deleted tasks and in events of type `task.deleted`. */
  deleted_at: string | null
}

/** An event of type `task.assigned`. */
export type TaskAssignedEvent = Event & {
  /** The type of the event. */
  type?: 'task.assigned'
  /** The whole record after the operation. */
  data?: Task
}

/** A key to sort by. `-` before it reverses the order. */
export type TaskAttachmentSort = 'created_at' | '-created_at'

/** A key to sort by. `-` before it reverses the order. */
export type TaskCommentSort = 'created_at' | '-created_at'

/** An event of type `task.completed`. */
export type TaskCompletedEvent = Event & {
  /** The type of the event. */
  type?: 'task.completed'
  /** The whole record after the operation. */
  data?: Task
}

/** Numbers of tasks, with subtasks and without deleted tasks. */
export interface TaskCounts {
  /** All tasks. */
  total: number
  /** Tasks in the category `backlog`. */
  backlog: number
  /** Tasks in the category `unstarted`. */
  unstarted: number
  /** Tasks in the category `started`. */
  started: number
  /** Tasks in the category `completed`. */
  completed: number
  /** Tasks in the category `canceled`. */
  canceled: number
}

/** A new task. Fields that you leave out get their defaults. */
export interface TaskCreate {
  /** The project in which to create the task. */
  project_id: string
  /** What is to be done, in one line. White space at both ends is removed. */
  title: string
  /** Details in Markdown, which are stored exactly as you send them. Default: null. */
  description?: string | null
  /** The key of a status of the project; one of category `completed` sets `completed_at`, too. Default: the first status of category `unstarted`, else `backlog`, else `started`. */
  status?: string
  /** How urgent the task is. Default: `none`. */
  priority?: TaskPriority
  /** The people who work on the task: active members who can see the project. Default: `[]`. */
  assignee_ids?: Array<string>
  /** The tags of the task, from its project. Default: `[]`. */
  tag_ids?: Array<string>
  /** The day on which work begins, not after `due_date`. Default: null. */
  start_date?: string | null
  /** The day on which the task is due. Default: the day of `due_at`, or null. */
  due_date?: string | null
  /** The time at which the task is due; sets `due_date` to its day in the time zone of the workspace. If you send both, it must fall on that day. Default: null. */
  due_at?: string | null
  /** The task of the same project of which this is a subtask, at most five levels deep. Default: null. */
  parent_id?: string | null
  /** Places the task directly before this one of the project. Not together with `after_id`. Default: the end of the project. */
  before_id?: string
  /** Places the task directly after this one of the project. Not together with `before_id`. Default: the end of the project. */
  after_id?: string
  /** The estimated work in seconds. Default: null. */
  estimate_seconds?: number | null
  /** Tasks of any project to be done before this one, without cycles. Default: `[]`. */
  blocked_by_ids?: Array<string>
  /** How the task repeats when it is completed. Default: null, it does not. */
  recurrence?: RecurrenceInput | null
  /** Your own fields, which the app shows to people; at most 16 KiB as JSON. Default: `{}`. */
  custom_fields?: CustomFieldChanges
  /** The other system that `external_id` comes from. Send both or neither. Default: null. */
  external_source?: string | null
  /** The id of the task in another system. No other task of the workspace may have the same one from the same `external_source`. Default: null. */
  external_id?: string | null
  /** Your own texts for programs, which the app does not show; at most 16 KiB as JSON. Default: `{}`. */
  metadata?: MetadataChanges
}

/** An event of type `task.created`. */
export type TaskCreatedEvent = Event & {
  /** The type of the event. */
  type?: 'task.created'
  /** The whole record after the operation. */
  data?: Task
}

/** An event of type `task.deleted`. */
export type TaskDeletedEvent = Event & {
  /** The type of the event. */
  type?: 'task.deleted'
  /** The whole record after the operation. */
  data?: Task
}

/** A key to sort by. `-` before it reverses the order. */
export type TaskOperationSort = '-created_at' | 'created_at'

/** One page of a list of `Task`. */
export interface TaskPage {
  /** The records of this page, at most `limit`. */
  data: Array<Task>
  /** Send it as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there is another page. */
  has_more: boolean
}

/** From the least to the most urgent: `none`, `low`, `medium`, `high`, `urgent`. */
export type TaskPriority = 'none' | 'low' | 'medium' | 'high' | 'urgent'

/** A key to sort by. `-` before it reverses the order. */
export type TaskSort =
  | '-created_at'
  | 'created_at'
  | 'updated_at'
  | '-updated_at'
  | 'due_date'
  | '-due_date'
  | 'priority'
  | '-priority'

/** A key to sort by. `-` before it reverses the order. */
export type TaskTimeEntrySort = '-spent_on' | 'spent_on' | 'created_at' | '-created_at'

/** The changes of a task. Fields that you leave out stay as they are. */
export interface TaskUpdate {
  /** Moves the task with its subtasks to another project, where it gets a new `number`. Unless you send them too, status and tags are matched by key and name, and `parent_id` becomes null. */
  project_id?: string
  /** What is to be done, in one line. White space at both ends is removed. */
  title?: string
  /** Details in Markdown, which are stored exactly as you send them. Null removes them. */
  description?: string | null
  /** The key of a status of the project; `completed_at`, `completed_by_id` and `canceled_at` follow its category. Entering the category `completed` is the same as completing the task. */
  status?: string
  /** How urgent the task is. */
  priority?: TaskPriority
  /** Replaces all assignees. New ones must be active members who can see the project. */
  assignee_ids?: Array<string>
  /** Replaces all tags, by tags of the project. */
  tag_ids?: Array<string>
  /** The day on which work begins, not after `due_date`. Null clears it. */
  start_date?: string | null
  /** The day on which the task is due. A new day sets `due_at` to null unless you send both; null clears both. */
  due_date?: string | null
  /** The time at which the task is due; sets `due_date` to its day in the time zone of the workspace. Null clears the time and keeps `due_date`. */
  due_at?: string | null
  /** Makes the task a subtask of this one of the same project. Null moves it to the top level. */
  parent_id?: string | null
  /** Moves the task directly before this one of the project. Not together with `after_id`. */
  before_id?: string
  /** Moves the task directly after this one of the project. Not together with `before_id`. */
  after_id?: string
  /** The estimated work in seconds. Null removes the estimate. */
  estimate_seconds?: number | null
  /** Replaces the tasks to be done before this one. They can be of any project, without cycles. */
  blocked_by_ids?: Array<string>
  /** Replaces how the task repeats when it is completed. Null ends the repetition. */
  recurrence?: RecurrenceInput | null
  /** The custom fields to set, by key; null removes one. All together have at most 16 KiB as JSON. */
  custom_fields?: CustomFieldChanges
  /** The other system that `external_id` comes from. Null if `external_id` is null, too. */
  external_source?: string | null
  /** The id of the task in another system. No other task of the workspace may have the same one from the same `external_source`. */
  external_id?: string | null
  /** The texts to set, by key; null removes one. All together have at most 16 KiB as JSON. */
  metadata?: MetadataChanges
  /** People to assign; those who are assigned already stay. Not together with `assignee_ids`. */
  add_assignee_ids?: Array<string>
  /** People to unassign; those who are not assigned are ignored. Not together with `assignee_ids`. */
  remove_assignee_ids?: Array<string>
  /** Tags to add; those that it has already stay. Not together with `tag_ids`. */
  add_tag_ids?: Array<string>
  /** Tags to remove; those that it does not have are ignored. Not together with `tag_ids`. */
  remove_tag_ids?: Array<string>
}

/** An event of type `task.updated`. */
export type TaskUpdatedEvent = Event & {
  /** The type of the event. */
  type?: 'task.updated'
  /** The whole record after the operation. */
  data?: Task
}

/** A task to create or update. Of an existing task, fields that you leave out stay as they are; a new one gets their defaults. */
export interface TaskUpsert {
  /** The project in which to create a new task, which needs it. Moves an existing task of another project; without it, that stays where it is. */
  project_id?: string
  /** What is to be done, in one line. A new task needs it. */
  title?: string
  /** Details in Markdown, which are stored exactly as you send them. Null removes them. */
  description?: string | null
  /** The key of a status of the project; `completed_at`, `completed_by_id` and `canceled_at` follow its category. Entering the category `completed` is the same as completing the task. */
  status?: string
  /** How urgent the task is. */
  priority?: TaskPriority
  /** Replaces all assignees. New ones must be active members who can see the project. */
  assignee_ids?: Array<string>
  /** Replaces all tags, by tags of the project. */
  tag_ids?: Array<string>
  /** The day on which work begins, not after `due_date`. Null clears it. */
  start_date?: string | null
  /** The day on which the task is due. A new day sets `due_at` to null unless you send both; null clears both. */
  due_date?: string | null
  /** The time at which the task is due; sets `due_date` to its day in the time zone of the workspace. Null clears the time and keeps `due_date`. */
  due_at?: string | null
  /** Makes the task a subtask of this one of the same project. Null moves it to the top level. */
  parent_id?: string | null
  /** Moves the task directly before this one of the project. Not together with `after_id`. */
  before_id?: string
  /** Moves the task directly after this one of the project. Not together with `before_id`. */
  after_id?: string
  /** The estimated work in seconds. Null removes the estimate. */
  estimate_seconds?: number | null
  /** Replaces the tasks to be done before this one. They can be of any project, without cycles. */
  blocked_by_ids?: Array<string>
  /** Replaces how the task repeats when it is completed. Null ends the repetition. */
  recurrence?: RecurrenceInput | null
  /** The custom fields to set, by key; null removes one. All together have at most 16 KiB as JSON. */
  custom_fields?: CustomFieldChanges
  /** The other system. */
  external_source: string
  /** The id of the task in the other system. */
  external_id: string
  /** The texts to set, by key; null removes one. All together have at most 16 KiB as JSON. */
  metadata?: MetadataChanges
}

/** Time that a person has spent on a task, or a running timer. */
export interface TimeEntry {
  /** The id of the time entry. */
  id: string
  /** The task that the time was spent on. */
  task_id: string
  /** The project in which the task is now. */
  project_id: string
  /** The person whose time it is. */
  user_id: string
  /** When the work began. Null if only a duration was logged. */
  started_at: string | null
  /** When the work ended. Null if only a duration was logged, and while the timer runs. */
  ended_at: string | null
  /** The time spent in seconds. Null while the timer runs. */
  duration_seconds: number | null
  /** Whether it is a timer that runs. */
  is_running: boolean
  /** The day that the time counts for. */
  spent_on: string
  /** What was done, in Markdown. Null if there is no note. */
  note: string | null
  /** Whether the time is to be billed. Docket only stores it. */
  billable: boolean
  /** How it was created: `web` in the web app, `api` by an API key, `app` by an OAuth application, `import` from a file. More values may be added. */
  source: string
  /** The person who logged it, for themselves or for somebody else. */
  created_by_id: string
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
}

/** A new time entry, or a timer to start. */
export interface TimeEntryCreate {
  /** The person whose time it is. Only owners and admins log the time of others. Default: you. */
  user_id?: string
  /** When the work began, at most 5 minutes from now. Without an end and a duration it starts a timer, at most 24 hours ago. */
  started_at?: string | null
  /** When the work ended, at most 5 minutes from now and 24 hours after `started_at`, which it needs. */
  ended_at?: string | null
  /** The time spent in seconds. With `started_at` it sets `ended_at`. */
  duration_seconds?: number | null
  /** `true` starts a timer, at `started_at` or now. `false` is not accepted. */
  running?: boolean
  /** The day that the time counts for. Default: the day of `started_at`, else today, in the time zone of the person. */
  spent_on?: string
  /** What was done, in Markdown. Default: null. */
  note?: string | null
  /** Whether the time is to be billed. Docket only stores it. Default: `false`. */
  billable?: boolean
}

/** An event of type `time_entry.created`. */
export type TimeEntryCreatedEvent = Event & {
  /** The type of the event. */
  type?: 'time_entry.created'
  /** The whole record after the operation. */
  data?: TimeEntry
}

/** An event of type `time_entry.deleted`. */
export type TimeEntryDeletedEvent = Event & {
  /** The type of the event. */
  type?: 'time_entry.deleted'
  /** The whole record after the operation. */
  data?: TimeEntry
}

/** One page of a list of `TimeEntry`. */
export interface TimeEntryPage {
  /** The records of this page, at most `limit`. */
  data: Array<TimeEntry>
  /** Send it as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there is another page. */
  has_more: boolean
}

/** A key to sort by. `-` before it reverses the order. */
export type TimeEntrySort = '-spent_on' | 'spent_on'

/** The changes of a time entry. Fields that you leave out stay as they are. */
export interface TimeEntryUpdate {
  /** When the work began, which also changes the duration. An entry without times needs `ended_at`, too. */
  started_at?: string
  /** When the work ended, which also changes the duration and stops a timer. An entry without times needs `started_at`, too. */
  ended_at?: string
  /** The time spent in seconds, which moves `ended_at` if there is one. Not for a running timer. */
  duration_seconds?: number
  /** `false` stops the timer now. `true` is accepted only while it runs. */
  running?: boolean
  /** The day that the time counts for. A change of the times does not move it. */
  spent_on?: string
  /** What was done, in Markdown. Null removes the note. */
  note?: string | null
  /** Whether the time is to be billed. Docket only stores it. */
  billable?: boolean
}

/** An event of type `time_entry.updated`. */
export type TimeEntryUpdatedEvent = Event & {
  /** The type of the event. */
  type?: 'time_entry.updated'
  /** The whole record after the operation. */
  data?: TimeEntry
}

/** `user`: the person whose time it is. `project`: the project in which the task is now. `tag`: each tag that the task has now. `day`: `spent_on`. `week`: from Monday to Sunday. */
export type TimeGroup = 'user' | 'project' | 'tag' | 'task' | 'day' | 'week' | 'month'

/** Sums of time entries. */
export interface TimeReport {
  /** The first day of the report. */
  spent_after: string
  /** The day after the last one. */
  spent_before: string
  /** What the rows are grouped by. */
  group_by: Array<TimeGroup>
  /** The sums of all entries. An entry that counts in several rows, because its task has several tags, counts once. */
  total: TimeTotal
  /** A row for each group that has time: by day, week or month, and then the longest first. */
  rows: Array<TimeReportRow>
}

/** The sums of one group, with the fields of what the report is grouped by, and no others. */
export interface TimeReportRow {
  /** The person whose time it is. */
  user_id?: string
  /** The name that the person has now. */
  user_name?: string
  /** The project in which the tasks are now. */
  project_id?: string
  /** The name of the project. */
  project_name?: string
  /** A tag of the tasks. Null for the time on tasks without tags. */
  tag_id?: string | null
  /** The name of the tag. Null for the time on tasks without tags. */
  tag_name?: string | null
  /** The task that the time was spent on. */
  task_id?: string
  /** The short id of the task. */
  task_short_id?: string
  /** The title of the task. */
  task_title?: string
  /** The day that the time counts for. */
  day?: string
  /** The Monday of the week. */
  week?: string
  /** The first day of the month. */
  month?: string
  /** The time spent in seconds. */
  seconds: number
  /** How many of them are billable. */
  billable_seconds: number
  /** The number of time entries. */
  entries: number
}

/** The sums of time entries, each counted once. */
export interface TimeTotal {
  /** The time spent in seconds. */
  seconds: number
  /** How many of them are billable. */
  billable_seconds: number
  /** The number of time entries. */
  entries: number
}

/** Which operations to take back. */
export interface UndoManyRequest {
  /** These operations, and no other member. */
  ids?: Array<string>
  /** Operations at this time or later. Required without `ids`. */
  since?: string
  /** Only those of this API key or application. */
  credential_id?: string
  /** The person for whom they were done. Default: you; with `credential_id` or `import_id`, the person behind it. */
  user_id?: string
  /** Only those of this import. */
  import_id?: string
  /** Only operations before this one: `next_before_id`. */
  before_id?: string
}

/** What was taken back of several operations. */
export interface UndoManyResult {
  /** How many records it took back. */
  undone_count: number
  /** How much it left as it is. */
  left_count: number
  /** The first 100 records that it took back. */
  undone: Array<UndoneRecord>
  /** The first 100 that it left. */
  left: Array<LeftRecord>
  /** How many operations this request has looked at. */
  operation_count: number
  /** The operations that took something back; undo them to redo it. */
  operation_ids: Array<string>
  /** Send it as `before_id` to go on with earlier operations. Null: there are no more. */
  next_before_id: string | null
}

/** What an undo took back, and what it left. */
export interface UndoResult {
  /** How many records it took back. */
  undone_count: number
  /** How much it left as it is. */
  left_count: number
  /** The first 100 records that it took back. */
  undone: Array<UndoneRecord>
  /** The first 100 that it left. */
  left: Array<LeftRecord>
}

/** A record that an undo has taken back. */
export interface UndoneRecord {
  /** The type of the record. */
  record_type: string
  /** The id of the record. */
  record_id: string
  /** The fields that are as before. Empty if the record itself was deleted or restored. */
  fields: Array<string>
}

/** A webhook: an address to which Docket sends events. */
export interface Webhook {
  /** The id of the webhook. */
  id: string
  /** The address that events are sent to. */
  url: string
  /** A note for people. Null if there is none. */
  description: string | null
  /** The types of events that are sent, or `["*"]`: all types, future ones too. */
  events: Array<string>
  /** The projects whose events are sent. Null means those of all projects and of members. */
  project_ids: Array<string> | null
  /** Whether events are sent. */
  is_active: boolean
  /** Whether events are sent, and arrive. */
  status: WebhookStatus
  /** Why no events are sent; null if they are. `manual`: somebody disabled it. `gone`: the receiver replied 410. `failures`: no attempt succeeded for 72 hours. More values may be added. */
  disabled_reason: string | null
  /** How many attempts have failed since the last that succeeded. */
  failure_count: number
  /** When the last attempt began. Null before the first. */
  last_delivery_at: string | null
  /** When the last attempt that succeeded began. Null if none did. */
  last_success_at: string | null
  /** When the last attempt that failed began. Null if none did. */
  last_failure_at: string | null
  /** The last four characters of the secret. */
  secret_hint: string
  /** Until when the previous secret also signs what is sent. Null if it does not. */
  previous_secret_expires_at: string | null
  /** The person who created it. */
  created_by_id: string
  /** When it was created. */
  created_at: string
  /** When somebody last changed the webhook. Attempts do not move it. */
  updated_at: string
}

/** A check of whether an event goes to a webhook. */
export interface WebhookCheck {
  /** What was checked. `event`: the log or a delivery has it. `enabled`: it happened after the webhook was last enabled. `type`: `events` names its type. `project`: `project_ids` has its project, before or after the operation. `active`: the webhook is not disabled. `delivery`: it has arrived. More may be added. */
  name: string
  /** `passed`, `refused`, or `waiting`: it will be decided. `not_reached`: a check before it has refused. More values may be added. */
  outcome: string
  /** Why, for people. Empty if it was not reached. */
  message: string
}

/** A new webhook. */
export interface WebhookCreate {
  /** The address to send events to: `https`, without user name and fragment. Private networks are rejected, unless your operator allows them. */
  url: string
  /** The types of events to send, or only `["*"]`: all types, future ones too. */
  events: Array<WebhookEventType>
  /** A note for people. Default: null. */
  description?: string | null
  /** The projects whose events to send; with a list, events about members are left out. Default: null, all projects and members. */
  project_ids?: Array<string> | null
  /** Whether events are sent. Default: `true`. */
  is_active?: boolean
  /** The secret that signs what is sent, taken literally. Default: a new one that begins with `whsec_`. */
  secret?: string
}

/** A key to sort by. `-` before it reverses the order. */
export type WebhookDeliverySort = '-created_at' | 'created_at'

/** A type of event, or `*` for all types. More types may be added. */
export type WebhookEventType =
  | 'task.created'
  | 'task.updated'
  | 'task.completed'
  | 'task.deleted'
  | 'task.assigned'
  | 'comment.created'
  | 'comment.updated'
  | 'comment.deleted'
  | 'attachment.created'
  | 'attachment.deleted'
  | 'time_entry.created'
  | 'time_entry.updated'
  | 'time_entry.deleted'
  | 'tag.created'
  | 'tag.updated'
  | 'tag.deleted'
  | 'project.created'
  | 'project.updated'
  | 'member.added'
  | 'member.updated'
  | 'member.removed'
  | '*'

/** Whether an event goes to a webhook, and why. */
export interface WebhookExplanation {
  /** The webhook. */
  webhook_id: string
  /** The event. */
  event_id: string
  /** The type of the event. Null if no such event is kept. */
  event_type: string | null
  /** The `sequence` of the event. Null for a test, and if no such event is kept. */
  sequence: number | null
  /** Whether the webhook wants the event. */
  is_matched: boolean
  /** All checks, in their order. */
  checks: Array<WebhookCheck>
  /** What its first delivery waits for. Null if there is one, or will be none. */
  waits_for: DeliveryWait | null
  /** Its deliveries to this webhook, the newest first, at most 20. */
  deliveries: Array<ExplainedDelivery>
}

/** One page of a list of `Webhook`. */
export interface WebhookPage {
  /** The records of this page, at most `limit`. */
  data: Array<Webhook>
  /** Send it as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there is another page. */
  has_more: boolean
}

/** How to rotate the secret of a webhook. */
export interface WebhookSecretRotation {
  /** The new secret, taken literally. Default: a new one that begins with `whsec_`. */
  secret?: string
  /** For how many seconds the previous secret signs, too; 0 ends it at once. Default: 86,400, one day. */
  overlap_seconds?: number
}

/** A key to sort by. `-` before it reverses the order. */
export type WebhookSort = 'created_at' | '-created_at'

/** `active`: events are sent. `failing`: they are sent, and the last attempt failed. `disabled`: no events are sent. */
export type WebhookStatus = 'active' | 'failing' | 'disabled'

/** The event that tests a webhook. It is not in the event log. */
export interface WebhookTestEvent {
  /** The id of the event. All its deliveries have the same: deduplicate by it. */
  id: string
  /** The type of the event. */
  type: 'webhook.test'
  /** When it happened. */
  timestamp: string
  /** The workspace in which it happened. */
  workspace_id: string
  /** Null, because a test is about no project. */
  project_id: string | null
  /** Null, because a test is not in the event log. */
  sequence: number | null
  /** Null, because a test changes nothing. */
  operation_id: string | null
  /** The version of the API that `data` follows. */
  api_version: 'v1'
  /** Who caused it, and with which credential. */
  actor: EventActor
  /** Empty, because a test is about no record. */
  data: Record<string, never>
  /** Empty, because a test changes nothing. */
  changes: Record<string, never>
}

/** The changes of a webhook. Fields that you leave out stay as they are. */
export interface WebhookUpdate {
  /** The address to send events to, also at the next attempts of pending deliveries. */
  url?: string
  /** A note for people. Null removes it. */
  description?: string | null
  /** Replaces the types of events to send. `["*"]` means all, future ones too. */
  events?: Array<WebhookEventType>
  /** Replaces the projects whose events to send. Null means all projects and members. */
  project_ids?: Array<string> | null
  /** `false` disables the webhook and cancels its pending deliveries. `true` enables it again and resets `failure_count`. */
  is_active?: boolean
  /** A new secret, which replaces the present one at once. Rotate the secret to have both for a while. */
  secret?: string
}

/** A webhook with the secret that it has got. */
export interface WebhookWithSecret {
  /** The id of the webhook. */
  id: string
  /** The address that events are sent to. */
  url: string
  /** A note for people. Null if there is none. */
  description: string | null
  /** The types of events that are sent, or `["*"]`: all types, future ones too. */
  events: Array<string>
  /** The projects whose events are sent. Null means those of all projects and of members. */
  project_ids: Array<string> | null
  /** Whether events are sent. */
  is_active: boolean
  /** Whether events are sent, and arrive. */
  status: WebhookStatus
  /** Why no events are sent; null if they are. `manual`: somebody disabled it. `gone`: the receiver replied 410. `failures`: no attempt succeeded for 72 hours. More values may be added. */
  disabled_reason: string | null
  /** How many attempts have failed since the last that succeeded. */
  failure_count: number
  /** When the last attempt began. Null before the first. */
  last_delivery_at: string | null
  /** When the last attempt that succeeded began. Null if none did. */
  last_success_at: string | null
  /** When the last attempt that failed began. Null if none did. */
  last_failure_at: string | null
  /** The last four characters of the secret. */
  secret_hint: string
  /** Until when the previous secret also signs what is sent. Null if it does not. */
  previous_secret_expires_at: string | null
  /** The person who created it. */
  created_by_id: string
  /** When it was created. */
  created_at: string
  /** When somebody last changed the webhook. Attempts do not move it. */
  updated_at: string
  /** The secret that signs what is sent. No later reply has it. In a dry run it is `whsec_dry_run`. */
  secret: string
}

/** A workspace: people and their projects. */
export interface Workspace {
  /** The id of the workspace. */
  id: string
  /** The name of the workspace. */
  name: string
  /** The plan, which decides `requests_per_minute`. */
  plan: Plan
  /** The IANA name of the time zone that decides on which day `due_at` and today fall. */
  timezone: string
  /** The rate limit: how many requests all API keys and applications together may send in a minute. The web app may send as many. */
  requests_per_minute: number
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
}

/** What a webhook receives. Ignore a type that you do not know: more may be added. */
export type WebhookEvent =
  | TaskCreatedEvent
  | TaskUpdatedEvent
  | TaskCompletedEvent
  | TaskDeletedEvent
  | TaskAssignedEvent
  | CommentCreatedEvent
  | CommentUpdatedEvent
  | CommentDeletedEvent
  | AttachmentCreatedEvent
  | AttachmentDeletedEvent
  | TimeEntryCreatedEvent
  | TimeEntryUpdatedEvent
  | TimeEntryDeletedEvent
  | TagCreatedEvent
  | TagUpdatedEvent
  | TagDeletedEvent
  | ProjectCreatedEvent
  | ProjectUpdatedEvent
  | MemberAddedEvent
  | MemberUpdatedEvent
  | MemberRemovedEvent
  | WebhookTestEvent

/** The codes of errors of the API. More may be added. */
export type ErrorCode =
  | 'invalid_json'
  | 'invalid_parameter'
  | 'invalid_cursor'
  | 'invalid_header'
  | 'authentication_required'
  | 'invalid_token'
  | 'token_expired'
  | 'insufficient_scope'
  | 'insufficient_role'
  | 'credential_paused'
  | 'approval_unavailable'
  | 'not_found'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'tag_exists'
  | 'external_id_exists'
  | 'project_archived'
  | 'limit_reached'
  | 'webhook_disabled'
  | 'changed_since'
  | 'already_undone'
  | 'operation_expired'
  | 'events_expired'
  | 'position_expired'
  | 'version_mismatch'
  | 'payload_too_large'
  | 'uri_too_long'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'misdirected_request'
  | 'validation_failed'
  | 'idempotency_key_reused'
  | 'rate_limit_exceeded'
  | 'key_rate_limited'
  | 'too_many_unauthenticated_requests'
  | 'too_many_attempts'
  | 'internal_error'
  | 'unavailable'
