// Generated from the endpoints of the server by tools/generate-client.ts.

import type {
  ConditionalOptions,
  Docket,
  DryRunOptions,
  FileContent,
  RequestOptions,
  WriteOptions,
} from './docket.ts'
import { toPath } from './docket.ts'
import { List } from './list.ts'
import type {
  Attachment,
  AttachmentPage,
  BulkCommentsReply,
  BulkCommentsRequest,
  BulkTagsReply,
  BulkTagsRequest,
  BulkTasksReply,
  BulkTasksRequest,
  BulkTimeEntriesReply,
  BulkTimeEntriesRequest,
  ChangePage,
  ChangeType,
  Comment,
  CommentCreate,
  CommentPage,
  CommentSort,
  CommentUpdate,
  DeletedTasks,
  DeliveredEventType,
  Delivery,
  DeliveryDetails,
  DeliveryPage,
  DeliveryStatus,
  Event,
  EventPage,
  EventPosition,
  EventReplay,
  EventReplayResult,
  EventType,
  Me,
  Member,
  MemberPage,
  MemberSort,
  Operation,
  OperationPage,
  OperationSort,
  Project,
  ProjectPage,
  ProjectSort,
  ProjectStatus,
  ProjectTagSort,
  ProjectTaskSort,
  RequestDetails,
  Role,
  StatusCategory,
  Tag,
  TagCreate,
  TagPage,
  TagUpdate,
  Task,
  TaskAttachmentSort,
  TaskCommentSort,
  TaskCreate,
  TaskOperationSort,
  TaskPage,
  TaskPriority,
  TaskSort,
  TaskTimeEntrySort,
  TaskUpdate,
  TimeEntry,
  TimeEntryCreate,
  TimeEntryPage,
  TimeEntrySort,
  TimeEntryUpdate,
  TimeGroup,
  TimeReport,
  UndoManyRequest,
  UndoManyResult,
  UndoResult,
  Webhook,
  WebhookCreate,
  WebhookDeliverySort,
  WebhookExplanation,
  WebhookPage,
  WebhookSecretRotation,
  WebhookSort,
  WebhookUpdate,
  WebhookWithSecret,
} from './types.ts'

/**
 * List projects.
 *
 * The projects that you can see, archived ones too.
 */
export function listProjects(
  docket: Docket,
  query: {
    /** The most records of a page. A page can have fewer, so rely on `has_more`. */
    limit?: number | undefined
    /** The `next_cursor` of the previous page. Send the same filters and the same order with it. */
    cursor?: string | undefined
    /** The key to sort by; `-` before it reverses the order. Ties are sorted by id, and null comes last. */
    sort?: ProjectSort | undefined
    /** Only active projects, or only archived ones. */
    status?: ProjectStatus | undefined
    /** Only projects with a name in which each of these words is the beginning of a word. A whole prefix finds its project. */
    q?: string | undefined
    /** Only projects that this person leads. */
    lead_id?: string | undefined
    /** Only projects updated at this time or later. */
    updated_since?: string | undefined
  } = {},
  options?: RequestOptions,
): List<Project, ProjectPage> {
  const path = toPath`/api/v1/projects`
  return new List(docket, path, query, options)
}

/**
 * Get a project.
 *
 * With its statuses and the number of tasks of each category.
 */
export function getProject(
  docket: Docket,
  projectId: string,
  options?: RequestOptions,
): Promise<Project> {
  const path = toPath`/api/v1/projects/${projectId}`
  return docket.send({ method: 'GET', path, options })
}

/**
 * List members.
 *
 * Only active members, unless you send `status`. Guests see no email address but their own.
 */
export function listMembers(
  docket: Docket,
  query: {
    /** The most records of a page. A page can have fewer, so rely on `has_more`. */
    limit?: number | undefined
    /** The `next_cursor` of the previous page. Send the same filters and the same order with it. */
    cursor?: string | undefined
    /** The key to sort by; `-` before it reverses the order. Ties are sorted by id, and null comes last. */
    sort?: MemberSort | undefined
    /** Only members with one of these roles. */
    role?: Role | ReadonlyArray<Role> | undefined
    /** Only active members, only removed ones, or all. */
    status?: 'active' | 'removed' | 'all' | undefined
    /** Only members with a name in which each of these words is the beginning of a word. A whole email address finds its member. */
    q?: string | undefined
  } = {},
  options?: RequestOptions,
): List<Member, MemberPage> {
  const path = toPath`/api/v1/workspace/members`
  return new List(docket, path, query, options)
}

/**
 * List webhooks.
 *
 * Roles: Owners and admins.
 */
export function listWebhooks(
  docket: Docket,
  query: {
    /** The most records of a page. A page can have fewer, so rely on `has_more`. */
    limit?: number | undefined
    /** The `next_cursor` of the previous page. Send the same filters and the same order with it. */
    cursor?: string | undefined
    /** The key to sort by; `-` before it reverses the order. Ties are sorted by id, and null comes last. */
    sort?: WebhookSort | undefined
    /** `true`: only webhooks that are sent events. `false`: only disabled ones. */
    is_active?: boolean | undefined
  } = {},
  options?: RequestOptions,
): List<Webhook, WebhookPage> {
  const path = toPath`/api/v1/webhooks`
  return new List(docket, path, query, options)
}

/**
 * Create a webhook.
 *
 * The webhook gets the events that happen from now on. Copy `secret` from the reply: no later reply shows it.
 *
 * Who may: Owners and admins.
 */
export function createWebhook(
  docket: Docket,
  body: WebhookCreate,
  options?: WriteOptions & DryRunOptions,
): Promise<WebhookWithSecret> {
  const path = toPath`/api/v1/webhooks`
  return docket.send({ method: 'POST', path, body, options })
}

/**
 * Get a webhook.
 *
 * Roles: Owners and admins.
 */
export function getWebhook(
  docket: Docket,
  webhookId: string,
  options?: RequestOptions,
): Promise<Webhook> {
  const path = toPath`/api/v1/webhooks/${webhookId}`
  return docket.send({ method: 'GET', path, options })
}

/**
 * Update a webhook.
 *
 * Changes only what you send. A webhook that you enable again does not get the events it missed: replay them.
 *
 * Who may: Owners and admins.
 */
export function updateWebhook(
  docket: Docket,
  webhookId: string,
  body: WebhookUpdate,
  options?: WriteOptions & DryRunOptions & ConditionalOptions<WebhookUpdate, Webhook>,
): Promise<Webhook> {
  const path = toPath`/api/v1/webhooks/${webhookId}`
  return docket.change({ method: 'PATCH', path, options }, body, path)
}

/**
 * Delete a webhook.
 *
 * Cancels its pending deliveries and removes all its deliveries. It cannot be restored.
 *
 * Who may: Owners and admins.
 */
export function deleteWebhook(
  docket: Docket,
  webhookId: string,
  options?: WriteOptions & DryRunOptions & ConditionalOptions<true, Webhook>,
): Promise<void> {
  const path = toPath`/api/v1/webhooks/${webhookId}`
  return docket.change({ method: 'DELETE', path, options }, true, path)
}

/**
 * Rotate a webhook secret.
 *
 * Gives the webhook a new secret. Until the overlap ends, requests are signed with the previous one, too. Copy `secret` from the reply: no later reply shows it.
 *
 * Who may: Owners and admins.
 */
export function rotateWebhookSecret(
  docket: Docket,
  webhookId: string,
  body: WebhookSecretRotation = {},
  options?: WriteOptions,
): Promise<WebhookWithSecret> {
  const path = toPath`/api/v1/webhooks/${webhookId}/rotate-secret`
  return docket.send({ method: 'POST', path, body, options })
}

/**
 * Explain whether an event goes to a webhook.
 *
 * Whether the event matches the webhook and by which filter it does not, each attempt to deliver it, and what it waits for. An event that was queued has matched, whatever the webhook is set to now; any other is compared with the present settings.
 *
 * Who may: Owners and admins.
 */
export function explainWebhook(
  docket: Docket,
  webhookId: string,
  query: {
    /** The event. */
    event_id: string | undefined
  },
  options?: RequestOptions,
): Promise<WebhookExplanation> {
  const path = toPath`/api/v1/webhooks/${webhookId}/why`
  return docket.send({ method: 'GET', path, query, options })
}

/**
 * List the deliveries of a webhook.
 *
 * Deliveries are kept for 30 days, and as long as they are pending.
 *
 * Who may: Owners and admins.
 */
export function listWebhookDeliveries(
  docket: Docket,
  webhookId: string,
  query: {
    /** The most records of a page. A page can have fewer, so rely on `has_more`. */
    limit?: number | undefined
    /** The `next_cursor` of the previous page. Send the same filters and the same order with it. */
    cursor?: string | undefined
    /** The key to sort by; `-` before it reverses the order. Ties are sorted by id, and null comes last. */
    sort?: WebhookDeliverySort | undefined
    /** Only deliveries with one of these statuses. */
    status?: DeliveryStatus | ReadonlyArray<DeliveryStatus> | undefined
    /** Only deliveries of events of these types. */
    event_type?: DeliveredEventType | ReadonlyArray<DeliveredEventType> | undefined
    /** Only deliveries of this event. */
    event_id?: string | undefined
  } = {},
  options?: RequestOptions,
): List<Delivery, DeliveryPage> {
  const path = toPath`/api/v1/webhooks/${webhookId}/deliveries`
  return new List(docket, path, query, options)
}

/**
 * Get a delivery and its attempts.
 *
 * Shows what was sent last, and what the receiver replied to each attempt.
 *
 * Who may: Owners and admins.
 */
export function getDelivery(
  docket: Docket,
  deliveryId: string,
  options?: RequestOptions,
): Promise<DeliveryDetails> {
  const path = toPath`/api/v1/deliveries/${deliveryId}`
  return docket.send({ method: 'GET', path, options })
}

/**
 * Redeliver an event.
 *
 * Creates a new delivery of the same event with the same body, even if the event log no longer has it.
 *
 * Who may: Owners and admins.
 */
export function redeliver(
  docket: Docket,
  deliveryId: string,
  options?: WriteOptions,
): Promise<Delivery> {
  const path = toPath`/api/v1/deliveries/${deliveryId}/redeliver`
  return docket.send({ method: 'POST', path, options })
}

/**
 * Send a test event.
 *
 * Sends an event of type `webhook.test` to the webhook, once and without retries. It is not in the event log.
 *
 * Who may: Owners and admins.
 */
export function testWebhook(
  docket: Docket,
  webhookId: string,
  options?: WriteOptions,
): Promise<Delivery> {
  const path = toPath`/api/v1/webhooks/${webhookId}/test`
  return docket.send({ method: 'POST', path, options })
}

/**
 * Replay events.
 *
 * Sends the events of a range again, in order, as far as the webhook wants them: at most 10,000. If the log does not go back that far, the reply is 410 `events_expired`; if it begins after the newest event, 422 `validation_failed`.
 *
 * Who may: Owners and admins.
 */
export function replayEvents(
  docket: Docket,
  webhookId: string,
  body: EventReplay,
  options?: WriteOptions,
): Promise<EventReplayResult> {
  const path = toPath`/api/v1/webhooks/${webhookId}/replay`
  return docket.send({ method: 'POST', path, body, options })
}

/**
 * List events.
 *
 * Reads the event log in order of `sequence`. To follow it, send the last `sequence` that you have as `after_sequence`, read on while `has_more` is true, and ask again later. With a filter, send the `newest_sequence` of the last page instead, because the log may not have a matching event for longer than it keeps events. If the log no longer has the events after that one, the reply is 410 `events_expired`. If that one is beyond the newest event, it is 400 `invalid_parameter`: the database was restored to an earlier state.
 *
 * Who may: Owners and admins.
 */
export function listEvents(
  docket: Docket,
  query: {
    /** The most records of a page. A page can have fewer, so rely on `has_more`. */
    limit?: number | undefined
    /** The `next_cursor` of the previous page. Send the same filters and the same order with it. */
    cursor?: string | undefined
    /** Only events after this `sequence`. Without it the log begins with its oldest event. */
    after_sequence?: number | undefined
    /** Only events of these types. */
    type?: EventType | ReadonlyArray<EventType> | undefined
    /** Only events about records that were in this project before or after the operation. */
    project_id?: string | undefined
  } = {},
  options?: RequestOptions,
): List<Event, EventPage> {
  const path = toPath`/api/v1/events`
  return new List(docket, path, query, options)
}

/**
 * Get the position of the event log.
 *
 * The oldest and the newest `sequence`. To follow only what happens from now on, list events with `after_sequence` set to `newest_sequence`.
 *
 * Who may: Owners and admins.
 */
export function getEventPosition(docket: Docket, options?: RequestOptions): Promise<EventPosition> {
  const path = toPath`/api/v1/events/position`
  return docket.send({ method: 'GET', path, options })
}

/**
 * List changes.
 *
 * Tells what a program needs to hold an exact copy of what it may read: first all records, and then only what changed. Apply the changes of each reply in order, keep its `position` with your copy, and send it as `after`. Whenever `has_more` is false, the copy equals what the lists and single reads tell this credential (except `last_active_at` of members).
 *
 * 410 `position_expired` means that the position is too old or of another database: begin again without `after`.
 *
 * With `Accept: text/event-stream` the changes come as server-sent events: `change` with the position as its id, `caught_up` with the position each time that there is no more, and `end` with an error when your rights end. `Last-Event-ID` stands for `after`.
 */
export function listChanges(
  docket: Docket,
  query: {
    /** The `position` of the last reply. Absent: from the beginning. `now`: only the present position. */
    after?: string | undefined
    /** The most changes of a reply. It can have fewer, so rely on `has_more`. */
    limit?: number | undefined
    /** Only this project and the records in it. */
    project_id?: string | undefined
    /** Only records of these types. Default: all whose `:read` scope the credential has. */
    types?: ChangeType | ReadonlyArray<ChangeType> | undefined
    /** With nothing new, the answer waits so many seconds for something. */
    wait?: number | undefined
  } = {},
  options?: RequestOptions,
): Promise<ChangePage> {
  const path = toPath`/api/v1/changes`
  return docket.send({ method: 'GET', path, query, options })
}

/**
 * Get the current user and workspace.
 *
 * Also shows the role of the user, and the scopes of the credential. Every credential may call it.
 */
export function getMe(docket: Docket, options?: RequestOptions): Promise<Me> {
  const path = toPath`/api/v1/me`
  return docket.send({ method: 'GET', path, options })
}

/**
 * List the tags of a project.
 *
 * With the number of tasks that have each tag.
 */
export function listProjectTags(
  docket: Docket,
  projectId: string,
  query: {
    /** The most records of a page. A page can have fewer, so rely on `has_more`. */
    limit?: number | undefined
    /** The `next_cursor` of the previous page. Send the same filters and the same order with it. */
    cursor?: string | undefined
    /** The key to sort by; `-` before it reverses the order. Ties are sorted by id, and null comes last. */
    sort?: ProjectTagSort | undefined
    /** Only tags with a name in which each of these words is the beginning of a word. */
    q?: string | undefined
  } = {},
  options?: RequestOptions,
): List<Tag, TagPage> {
  const path = toPath`/api/v1/projects/${projectId}/tags`
  return new List(docket, path, query, options)
}

/**
 * Create a tag.
 *
 * The tag can be given to the tasks of the project.
 *
 * Who may: Owners, admins and members.
 */
export function createTag(
  docket: Docket,
  projectId: string,
  body: TagCreate,
  options?: WriteOptions & DryRunOptions,
): Promise<Tag> {
  const path = toPath`/api/v1/projects/${projectId}/tags`
  return docket.send({ method: 'POST', path, body, options })
}

/**
 * Get a tag.
 *
 * With the number of tasks that have it.
 */
export function getTag(docket: Docket, tagId: string, options?: RequestOptions): Promise<Tag> {
  const path = toPath`/api/v1/tags/${tagId}`
  return docket.send({ method: 'GET', path, options })
}

/**
 * Update a tag.
 *
 * Roles: Owners, admins and members.
 */
export function updateTag(
  docket: Docket,
  tagId: string,
  body: TagUpdate,
  options?: WriteOptions & DryRunOptions & ConditionalOptions<TagUpdate, Tag>,
): Promise<Tag> {
  const path = toPath`/api/v1/tags/${tagId}`
  return docket.change({ method: 'PATCH', path, options }, body, path)
}

/**
 * Delete a tag.
 *
 * Removes the tag from all tasks, without events and without a new `version` of theirs. It cannot be restored.
 *
 * Who may: Owners, admins and members.
 */
export function deleteTag(
  docket: Docket,
  tagId: string,
  options?: WriteOptions & DryRunOptions & ConditionalOptions<true, Tag>,
): Promise<void> {
  const path = toPath`/api/v1/tags/${tagId}`
  return docket.change({ method: 'DELETE', path, options }, true, path)
}

/**
 * Create, update and delete tags in bulk.
 *
 * Runs up to 100 operations in order, which count as one request. If an operation deletes a tag, the credential also needs the scope `tags:delete`.
 *
 * Who may: Owners, admins and members.
 */
export function bulkTags(
  docket: Docket,
  body: BulkTagsRequest,
  options?: WriteOptions & DryRunOptions,
): Promise<BulkTagsReply> {
  const path = toPath`/api/v1/tags/bulk`
  return docket.send({ method: 'POST', path, body, options })
}

/**
 * List the tasks of a project.
 *
 * Subtasks and completed tasks are listed, too. Without `sort` the order is that of the project.
 */
export function listProjectTasks(
  docket: Docket,
  projectId: string,
  query: {
    /** The most records of a page. A page can have fewer, so rely on `has_more`. */
    limit?: number | undefined
    /** The `next_cursor` of the previous page. Send the same filters and the same order with it. */
    cursor?: string | undefined
    /** The key to sort by; `-` before it reverses the order. Ties are sorted by id, and null comes last. */
    sort?: ProjectTaskSort | undefined
    /** Only tasks in one of these statuses, by key. */
    status?: string | ReadonlyArray<string> | undefined
    /** Only tasks whose status is in one of these categories. */
    status_category?: StatusCategory | ReadonlyArray<StatusCategory> | undefined
    /** `true`: only tasks in the category `completed`. `false`: all others, canceled ones too. */
    completed?: boolean | undefined
    /** Only tasks assigned to one of these people. `me` is you, `none` means unassigned. */
    assignee_id?: string | ReadonlyArray<string> | undefined
    /** Only tasks that one of these people created. `me` is you. */
    created_by_id?: string | ReadonlyArray<string> | undefined
    /** Only tasks with one of these tags. `none` means without tags. */
    tag_id?: string | ReadonlyArray<string> | undefined
    /** Only tasks with one of these priorities. */
    priority?: TaskPriority | ReadonlyArray<TaskPriority> | undefined
    /** Only direct subtasks of this task. `none` means tasks at the top level. */
    parent_id?: string | undefined
    /** Only tasks that are due on this day or later. */
    due_after?: string | undefined
    /** Only tasks that are due before this day. */
    due_before?: string | undefined
    /** Only tasks created at this time or later. */
    created_after?: string | undefined
    /** Only tasks created before this time. */
    created_before?: string | undefined
    /** Only tasks updated at this time or later. */
    updated_since?: string | undefined
    /** Only tasks completed at this time or later. */
    completed_after?: string | undefined
    /** Only tasks completed before this time. */
    completed_before?: string | undefined
    /** Only tasks with exactly this `external_source`. */
    external_source?: string | undefined
    /** Only the task with exactly this `external_id`. Needs `external_source`, too. */
    external_id?: string | undefined
    /** Only tasks in which each of these words is the beginning of a word of the title or description, regardless of case. A single letter or digit must be a whole word, and only the first eight words count. A short id finds its task. */
    q?: string | undefined
    /** Whether deleted tasks are listed. */
    deleted?: DeletedTasks | undefined
  } = {},
  options?: RequestOptions,
): List<Task, TaskPage> {
  const path = toPath`/api/v1/projects/${projectId}/tasks`
  return new List(docket, path, query, options)
}

/**
 * List and search tasks.
 *
 * The tasks of all projects that you can see. Search their titles and descriptions with `q`.
 */
export function listTasks(
  docket: Docket,
  query: {
    /** The most records of a page. A page can have fewer, so rely on `has_more`. */
    limit?: number | undefined
    /** The `next_cursor` of the previous page. Send the same filters and the same order with it. */
    cursor?: string | undefined
    /** The key to sort by; `-` before it reverses the order. Ties are sorted by id, and null comes last. */
    sort?: TaskSort | undefined
    /** Only tasks in one of these statuses, by key. */
    status?: string | ReadonlyArray<string> | undefined
    /** Only tasks whose status is in one of these categories. */
    status_category?: StatusCategory | ReadonlyArray<StatusCategory> | undefined
    /** `true`: only tasks in the category `completed`. `false`: all others, canceled ones too. */
    completed?: boolean | undefined
    /** Only tasks assigned to one of these people. `me` is you, `none` means unassigned. */
    assignee_id?: string | ReadonlyArray<string> | undefined
    /** Only tasks that one of these people created. `me` is you. */
    created_by_id?: string | ReadonlyArray<string> | undefined
    /** Only tasks with one of these tags. `none` means without tags. */
    tag_id?: string | ReadonlyArray<string> | undefined
    /** Only tasks with one of these priorities. */
    priority?: TaskPriority | ReadonlyArray<TaskPriority> | undefined
    /** Only direct subtasks of this task. `none` means tasks at the top level. */
    parent_id?: string | undefined
    /** Only tasks that are due on this day or later. */
    due_after?: string | undefined
    /** Only tasks that are due before this day. */
    due_before?: string | undefined
    /** Only tasks created at this time or later. */
    created_after?: string | undefined
    /** Only tasks created before this time. */
    created_before?: string | undefined
    /** Only tasks updated at this time or later. */
    updated_since?: string | undefined
    /** Only tasks completed at this time or later. */
    completed_after?: string | undefined
    /** Only tasks completed before this time. */
    completed_before?: string | undefined
    /** Only tasks with exactly this `external_source`. */
    external_source?: string | undefined
    /** Only the task with exactly this `external_id`. Needs `external_source`, too. */
    external_id?: string | undefined
    /** Only tasks in which each of these words is the beginning of a word of the title or description, regardless of case. A single letter or digit must be a whole word, and only the first eight words count. A short id finds its task. */
    q?: string | undefined
    /** Whether deleted tasks are listed. */
    deleted?: DeletedTasks | undefined
    /** Only tasks of these projects. */
    project_id?: string | ReadonlyArray<string> | undefined
    /** Only these tasks. */
    id?: string | ReadonlyArray<string> | undefined
  } = {},
  options?: RequestOptions,
): List<Task, TaskPage> {
  const path = toPath`/api/v1/tasks`
  return new List(docket, path, query, options)
}

/**
 * Create a task.
 *
 * The task comes last in its project, unless you send `before_id` or `after_id`. All people who see the project can create tasks in it.
 */
export function createTask(
  docket: Docket,
  body: TaskCreate,
  options?: WriteOptions & DryRunOptions,
): Promise<Task> {
  const path = toPath`/api/v1/tasks`
  return docket.send({ method: 'POST', path, body, options })
}

/**
 * Get a task.
 *
 * By its id or a short id, present or earlier. A deleted task is not found.
 */
export function getTask(docket: Docket, taskId: string, options?: RequestOptions): Promise<Task> {
  const path = toPath`/api/v1/tasks/${taskId}`
  return docket.send({ method: 'GET', path, options })
}

/**
 * Update a task.
 *
 * Changes only what you send. A `status` completes, cancels or reopens the task; a `project_id` moves it.
 */
export function updateTask(
  docket: Docket,
  taskId: string,
  body: TaskUpdate,
  options?: WriteOptions & DryRunOptions & ConditionalOptions<TaskUpdate, Task>,
): Promise<Task> {
  const path = toPath`/api/v1/tasks/${taskId}`
  return docket.change({ method: 'PATCH', path, options }, body, path)
}

/**
 * Delete a task.
 *
 * Deletes its subtasks, too, and stops their timers. You can restore them for 30 days, unless your operator set another time.
 *
 * Who may: Owners, admins and members. Guests delete only tasks that they created.
 */
export function deleteTask(
  docket: Docket,
  taskId: string,
  options?: WriteOptions & DryRunOptions & ConditionalOptions<true, Task>,
): Promise<void> {
  const path = toPath`/api/v1/tasks/${taskId}`
  return docket.change({ method: 'DELETE', path, options }, true, path)
}

/**
 * Complete a task.
 *
 * Moves the task to the first status of category `completed`. If it repeats, the next task is created. Subtasks stay as they are, and so does a task that is completed already.
 */
export function completeTask(
  docket: Docket,
  taskId: string,
  options?: WriteOptions & DryRunOptions & ConditionalOptions<true, Task>,
): Promise<Task> {
  const path = toPath`/api/v1/tasks/${taskId}/complete`
  return docket.change(
    { method: 'POST', path, options },
    true,
    path.slice(0, path.lastIndexOf('/')),
  )
}

/**
 * Restore a deleted task.
 *
 * Restores the subtasks that were deleted with it, too. A task that is not deleted stays as it is.
 *
 * Who may: Owners, admins and members. Guests restore only tasks that they created.
 */
export function restoreTask(
  docket: Docket,
  taskId: string,
  options?: WriteOptions & DryRunOptions & ConditionalOptions<true, Task>,
): Promise<Task> {
  const path = toPath`/api/v1/tasks/${taskId}/restore`
  return docket.change(
    { method: 'POST', path, options },
    true,
    path.slice(0, path.lastIndexOf('/')),
  )
}

/**
 * Create, update and delete tasks in bulk.
 *
 * Runs up to 100 operations in order, which count as one request. `upsert` creates or updates the task of an external id. If an operation deletes a task, the credential also needs the scope `tasks:delete`.
 *
 * Who may: As for the endpoint of each operation.
 */
export function bulkTasks(
  docket: Docket,
  body: BulkTasksRequest,
  options?: WriteOptions & DryRunOptions,
): Promise<BulkTasksReply> {
  const path = toPath`/api/v1/tasks/bulk`
  return docket.send({ method: 'POST', path, body, options })
}

/**
 * List the comments of the workspace.
 *
 * The comments and replies on all tasks that you can see.
 */
export function listComments(
  docket: Docket,
  query: {
    /** The most records of a page. A page can have fewer, so rely on `has_more`. */
    limit?: number | undefined
    /** The `next_cursor` of the previous page. Send the same filters and the same order with it. */
    cursor?: string | undefined
    /** The key to sort by; `-` before it reverses the order. Ties are sorted by id, and null comes last. */
    sort?: CommentSort | undefined
    /** Only comments of this person. `me` is you. */
    author_id?: string | undefined
    /** Only comments updated at this time or later. */
    updated_since?: string | undefined
    /** Only comments created at this time or later. */
    created_after?: string | undefined
    /** Only comments created before this time. */
    created_before?: string | undefined
    /** Only comments on this task. */
    task_id?: string | undefined
    /** Only comments on tasks that are in one of these projects now. */
    project_id?: string | ReadonlyArray<string> | undefined
  } = {},
  options?: RequestOptions,
): List<Comment, CommentPage> {
  const path = toPath`/api/v1/comments`
  return new List(docket, path, query, options)
}

/**
 * List the comments of a task.
 *
 * Replies are in the same list; `parent_id` is the comment that they reply to.
 */
export function listTaskComments(
  docket: Docket,
  taskId: string,
  query: {
    /** The most records of a page. A page can have fewer, so rely on `has_more`. */
    limit?: number | undefined
    /** The `next_cursor` of the previous page. Send the same filters and the same order with it. */
    cursor?: string | undefined
    /** The key to sort by; `-` before it reverses the order. Ties are sorted by id, and null comes last. */
    sort?: TaskCommentSort | undefined
    /** Only comments of this person. `me` is you. */
    author_id?: string | undefined
    /** Only comments updated at this time or later. */
    updated_since?: string | undefined
  } = {},
  options?: RequestOptions,
): List<Comment, CommentPage> {
  const path = toPath`/api/v1/tasks/${taskId}/comments`
  return new List(docket, path, query, options)
}

/**
 * Add a comment to a task.
 *
 * To reply to a comment, send its id as `parent_id`. Mentioned members are notified.
 */
export function createComment(
  docket: Docket,
  taskId: string,
  body: CommentCreate,
  options?: WriteOptions & DryRunOptions,
): Promise<Comment> {
  const path = toPath`/api/v1/tasks/${taskId}/comments`
  return docket.send({ method: 'POST', path, body, options })
}

/**
 * Get a comment.
 *
 * A comment or a reply, with its author.
 */
export function getComment(
  docket: Docket,
  commentId: string,
  options?: RequestOptions,
): Promise<Comment> {
  const path = toPath`/api/v1/comments/${commentId}`
  return docket.send({ method: 'GET', path, options })
}

/**
 * Edit a comment.
 *
 * Changes the text, the mentions and `edited_at`.
 *
 * Who may: The author of the comment.
 */
export function updateComment(
  docket: Docket,
  commentId: string,
  body: CommentUpdate,
  options?: WriteOptions & DryRunOptions & ConditionalOptions<CommentUpdate, Comment>,
): Promise<Comment> {
  const path = toPath`/api/v1/comments/${commentId}`
  return docket.change({ method: 'PATCH', path, options }, body, path)
}

/**
 * Delete a comment.
 *
 * Replies to it stay. In the app it can be restored for 30 days, unless your operator set another time.
 *
 * Who may: The author of the comment, owners and admins.
 */
export function deleteComment(
  docket: Docket,
  commentId: string,
  options?: WriteOptions & DryRunOptions & ConditionalOptions<true, Comment>,
): Promise<void> {
  const path = toPath`/api/v1/comments/${commentId}`
  return docket.change({ method: 'DELETE', path, options }, true, path)
}

/**
 * Create, edit and delete comments in bulk.
 *
 * Runs up to 100 operations in order, which count as one request. If an operation deletes a comment, the credential also needs the scope `comments:delete`.
 *
 * Who may: As for the endpoint of each operation.
 */
export function bulkComments(
  docket: Docket,
  body: BulkCommentsRequest,
  options?: WriteOptions & DryRunOptions,
): Promise<BulkCommentsReply> {
  const path = toPath`/api/v1/comments/bulk`
  return docket.send({ method: 'POST', path, body, options })
}

/**
 * Report time.
 *
 * Sums the finished time entries of all tasks that you can see; running timers do not count. Days are those of `spent_on`, which is a day in the time zone of the person, so there is no time zone to choose. With `Accept: text/csv` the reply is `rows` as CSV. To group by `user`, `project`, `tag` or `task`, the credential also needs the scope `members:read`, `projects:read`, `tags:read` or `tasks:read`, since rows have their names. More than 10,000 rows are 400.
 */
export function getTimeReport(
  docket: Docket,
  query: {
    /** Up to three. Without it there is one row, or none without time. */
    group_by?: TimeGroup | ReadonlyArray<TimeGroup> | undefined
    /** Only time that counts for this day or a later one. Default: the first day of the month of the last day. */
    spent_after?: string | undefined
    /** Only time that counts for a day before this one, at most 1,096 days after `spent_after`. Default: the first day of next month, or of the month after `spent_after` if that is later. */
    spent_before?: string | undefined
    /** Only the time of these people. `me` is you. */
    user_id?: string | ReadonlyArray<string> | undefined
    /** Only time on tasks that are in one of these projects now. */
    project_id?: string | ReadonlyArray<string> | undefined
    /** Only time on tasks that have one of these tags now. */
    tag_id?: string | ReadonlyArray<string> | undefined
    /** `true`: only billable time. `false`: only time that is not. */
    billable?: boolean | undefined
  } = {},
  options?: RequestOptions,
): Promise<TimeReport> {
  const path = toPath`/api/v1/reports/time`
  return docket.send({ method: 'GET', path, query, options })
}

/**
 * List the time entries of the workspace.
 *
 * Of all tasks that you can see, running timers included. For sums, see `getTimeReport`.
 */
export function listTimeEntries(
  docket: Docket,
  query: {
    /** The most records of a page. A page can have fewer, so rely on `has_more`. */
    limit?: number | undefined
    /** The `next_cursor` of the previous page. Send the same filters and the same order with it. */
    cursor?: string | undefined
    /** The key to sort by; `-` before it reverses the order. Ties are sorted by id, and null comes last. */
    sort?: TimeEntrySort | undefined
    /** Only the time of this person. `me` is you. */
    user_id?: string | undefined
    /** Only time that counts for this day or a later one. */
    spent_after?: string | undefined
    /** Only time that counts for a day before this one. */
    spent_before?: string | undefined
    /** `true`: only billable time. `false`: only time that is not. */
    billable?: boolean | undefined
    /** `true`: only running timers. `false`: only finished entries. */
    running?: boolean | undefined
    /** Only the time of this task. */
    task_id?: string | undefined
    /** Only time on tasks that are in one of these projects now. */
    project_id?: string | ReadonlyArray<string> | undefined
  } = {},
  options?: RequestOptions,
): List<TimeEntry, TimeEntryPage> {
  const path = toPath`/api/v1/time-entries`
  return new List(docket, path, query, options)
}

/**
 * List the time entries of a task.
 *
 * Of all people, running timers included.
 */
export function listTaskTimeEntries(
  docket: Docket,
  taskId: string,
  query: {
    /** The most records of a page. A page can have fewer, so rely on `has_more`. */
    limit?: number | undefined
    /** The `next_cursor` of the previous page. Send the same filters and the same order with it. */
    cursor?: string | undefined
    /** The key to sort by; `-` before it reverses the order. Ties are sorted by id, and null comes last. */
    sort?: TaskTimeEntrySort | undefined
    /** Only the time of this person. `me` is you. */
    user_id?: string | undefined
    /** Only time that counts for this day or a later one. */
    spent_after?: string | undefined
    /** Only time that counts for a day before this one. */
    spent_before?: string | undefined
    /** `true`: only billable time. `false`: only time that is not. */
    billable?: boolean | undefined
    /** `true`: only running timers. `false`: only finished entries. */
    running?: boolean | undefined
  } = {},
  options?: RequestOptions,
): List<TimeEntry, TimeEntryPage> {
  const path = toPath`/api/v1/tasks/${taskId}/time-entries`
  return new List(docket, path, query, options)
}

/**
 * Log time or start a timer.
 *
 * To log time, send `duration_seconds`, or `started_at` with `ended_at` or `duration_seconds`. To start a timer, send `running: true`, `started_at` or both; it stops the timer that the person had.
 *
 * Who may: Everyone for themselves; owners and admins for others.
 */
export function createTimeEntry(
  docket: Docket,
  taskId: string,
  body: TimeEntryCreate,
  options?: WriteOptions & DryRunOptions,
): Promise<TimeEntry> {
  const path = toPath`/api/v1/tasks/${taskId}/time-entries`
  return docket.send({ method: 'POST', path, body, options })
}

/**
 * Get a time entry.
 *
 * A logged time, or a timer that runs.
 */
export function getTimeEntry(
  docket: Docket,
  timeEntryId: string,
  options?: RequestOptions,
): Promise<TimeEntry> {
  const path = toPath`/api/v1/time-entries/${timeEntryId}`
  return docket.send({ method: 'GET', path, options })
}

/**
 * Update a time entry or stop a timer.
 *
 * To stop a timer now, send `running: false`; to stop it at another time, `ended_at`.
 *
 * Who may: The person whose time it is, owners and admins.
 */
export function updateTimeEntry(
  docket: Docket,
  timeEntryId: string,
  body: TimeEntryUpdate,
  options?: WriteOptions & DryRunOptions & ConditionalOptions<TimeEntryUpdate, TimeEntry>,
): Promise<TimeEntry> {
  const path = toPath`/api/v1/time-entries/${timeEntryId}`
  return docket.change({ method: 'PATCH', path, options }, body, path)
}

/**
 * Delete a time entry.
 *
 * It cannot be restored, and no longer counts in `time_spent_seconds` of the task.
 *
 * Who may: The person whose time it is, owners and admins.
 */
export function deleteTimeEntry(
  docket: Docket,
  timeEntryId: string,
  options?: WriteOptions & DryRunOptions & ConditionalOptions<true, TimeEntry>,
): Promise<void> {
  const path = toPath`/api/v1/time-entries/${timeEntryId}`
  return docket.change({ method: 'DELETE', path, options }, true, path)
}

/**
 * Log, update and delete time entries in bulk.
 *
 * Runs up to 100 operations in order, which count as one request. If an operation deletes a time entry, the credential also needs the scope `time_entries:delete`.
 *
 * Who may: As for the endpoint of each operation.
 */
export function bulkTimeEntries(
  docket: Docket,
  body: BulkTimeEntriesRequest,
  options?: WriteOptions & DryRunOptions,
): Promise<BulkTimeEntriesReply> {
  const path = toPath`/api/v1/time-entries/bulk`
  return docket.send({ method: 'POST', path, body, options })
}

/**
 * List operations.
 *
 * Every write of the last 30 days that caused an event, or deleted a view or template: your own by default. Owners and admins can list those of other people.
 */
export function listOperations(
  docket: Docket,
  query: {
    /** The most records of a page. A page can have fewer, so rely on `has_more`. */
    limit?: number | undefined
    /** The `next_cursor` of the previous page. Send the same filters and the same order with it. */
    cursor?: string | undefined
    /** The key to sort by; `-` before it reverses the order. Ties are sorted by id, and null comes last. */
    sort?: OperationSort | undefined
    /** Whose operations. `all`: of the whole workspace. Default: `me`. */
    user_id?: string | undefined
    /** Only those of this API key or application. */
    credential_id?: string | undefined
    /** Only those of this import. */
    import_id?: string | undefined
    /** Only those since this time. */
    created_after?: string | undefined
  } = {},
  options?: RequestOptions,
): List<Operation, OperationPage> {
  const path = toPath`/api/v1/operations`
  return new List(docket, path, query, options)
}

/**
 * Get an operation.
 *
 * What it changed, field by field. Owners and admins can read those of other people.
 */
export function getOperation(
  docket: Docket,
  operationId: string,
  options?: RequestOptions,
): Promise<Operation> {
  const path = toPath`/api/v1/operations/${operationId}`
  return docket.send({ method: 'GET', path, options })
}

/**
 * List the operations of a task.
 *
 * The writes of the last 30 days that changed this task after its creation, by anybody: with what they changed in it and no other record. A program can find out so what it has overwritten.
 */
export function listTaskOperations(
  docket: Docket,
  taskId: string,
  query: {
    /** The most records of a page. A page can have fewer, so rely on `has_more`. */
    limit?: number | undefined
    /** The `next_cursor` of the previous page. Send the same filters and the same order with it. */
    cursor?: string | undefined
    /** The key to sort by; `-` before it reverses the order. Ties are sorted by id, and null comes last. */
    sort?: TaskOperationSort | undefined
  } = {},
  options?: RequestOptions,
): List<Operation, OperationPage> {
  const path = toPath`/api/v1/tasks/${taskId}/operations`
  return new List(docket, path, query, options)
}

/**
 * Undo several operations.
 *
 * Takes back the operations with some ids, or those since a time: of an API key or application, of a person, or of an import. The newest comes first, and up to 100 are taken in a request. Each is undone by an operation of its own; what has been changed since is left. Those undone already are left out, and without `ids` also what has undone something. Try it with `dry_run` first.
 */
export function undoOperations(
  docket: Docket,
  body: UndoManyRequest,
  options?: WriteOptions & DryRunOptions,
): Promise<UndoManyResult> {
  const path = toPath`/api/v1/operations/undo`
  return docket.send({ method: 'POST', path, body, options })
}

/**
 * Undo an operation.
 *
 * Takes back what the operation changed and nobody has changed since. It is an operation itself, with events of its own, and can be undone. If something has been changed since, the reply is 409 `changed_since` and nothing is undone, unless `only` is `unchanged`. Your rights are those of today: the credential needs the scope of each request that would take it back by hand. With `dry_run` you learn what would happen.
 */
export function undoOperation(
  docket: Docket,
  operationId: string,
  query: {
    /** `unchanged`: leave what has been changed since, and take back the rest. */
    only?: 'unchanged' | undefined
  } = {},
  options?: WriteOptions & DryRunOptions,
): Promise<UndoResult> {
  const path = toPath`/api/v1/operations/${operationId}/undo`
  return docket.send({ method: 'POST', path, query, options })
}

/**
 * Get what became of a request.
 *
 * Which check refused it, and how far it came: for a request to `/api/v1` that you sent with a valid credential, with any of yours. Owners and admins can read those of others. Nothing that was sent is kept, and the rest only in the memory of the process that replied: its newest 10,000 refused requests of the last 7 days, and as many others. For any other id the reply is 404.
 */
export function getRequest(
  docket: Docket,
  requestId: string,
  options?: RequestOptions,
): Promise<RequestDetails> {
  const path = toPath`/api/v1/requests/${requestId}`
  return docket.send({ method: 'GET', path, options })
}

/**
 * List the attachments of a task.
 *
 * Without their bytes: `url` of each is where to download them.
 */
export function listTaskAttachments(
  docket: Docket,
  taskId: string,
  query: {
    /** The most records of a page. A page can have fewer, so rely on `has_more`. */
    limit?: number | undefined
    /** The `next_cursor` of the previous page. Send the same filters and the same order with it. */
    cursor?: string | undefined
    /** The key to sort by; `-` before it reverses the order. Ties are sorted by id, and null comes last. */
    sort?: TaskAttachmentSort | undefined
  } = {},
  options?: RequestOptions,
): List<Attachment, AttachmentPage> {
  const path = toPath`/api/v1/tasks/${taskId}/attachments`
  return new List(docket, path, query, options)
}

/**
 * Upload an attachment.
 *
 * Send a form with one part named `file`, or the file itself as the body and its name as `filename`. A file has 1 byte to 100 MiB, unless your operator set another limit.
 */
export function uploadAttachment(
  docket: Docket,
  taskId: string,
  file: FileContent,
  query: {
    /** The name of the file: required if the file is the body, not accepted with a form. */
    filename?: string | undefined
  } = {},
  options?: WriteOptions,
): Promise<Attachment> {
  const path = toPath`/api/v1/tasks/${taskId}/attachments`
  return docket.send({ method: 'POST', path, query, file, options })
}

/**
 * Get an attachment.
 *
 * Returns its name, type and size. The file itself is at `url`.
 */
export function getAttachment(
  docket: Docket,
  attachmentId: string,
  options?: RequestOptions,
): Promise<Attachment> {
  const path = toPath`/api/v1/attachments/${attachmentId}`
  return docket.send({ method: 'GET', path, options })
}

/**
 * Delete an attachment.
 *
 * It cannot be restored.
 *
 * Who may: The person who attached the file, owners and admins.
 */
export function deleteAttachment(
  docket: Docket,
  attachmentId: string,
  options?: WriteOptions & ConditionalOptions<true, Attachment>,
): Promise<void> {
  const path = toPath`/api/v1/attachments/${attachmentId}`
  return docket.change({ method: 'DELETE', path, options }, true, path)
}

/**
 * Download an attachment.
 *
 * Returns the file, or the part of it that the header `Range` asks for.
 */
export function downloadAttachment(
  docket: Docket,
  attachmentId: string,
  options?: RequestOptions,
): Promise<Response> {
  const path = toPath`/api/v1/attachments/${attachmentId}/content`
  return docket.open({ method: 'GET', path, options })
}
