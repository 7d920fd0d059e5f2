import type { WriteTx } from '#core/transaction.ts'
import { addMs, nextFullHour } from '#lib/days.ts'
import { newId } from '#lib/id.ts'
import {
  DEFAULT_NOTIFICATION_PREFERENCES,
  type NotificationKind,
  type NotificationPreferences,
} from '#wire/notification-preferences.ts'
import { rolesWith } from '#wire/rights.ts'
import { memberSeesProject } from '../access/project-visibility.ts'
import { command, pickSlots, query, type Scoped } from '../core/statement.ts'
import type { NotificationRow } from '../schema/tables.ts'
import { enqueuePushes } from './push-devices.ts'

/** Delay of an email, so that ten comments in a row do not send ten emails. */
const EMAIL_DELAY_MS = 3 * 60 * 1000

/** A notification to insert; `key` identifies the occasion, so that nobody is notified twice. */
interface NotificationContent {
  kind: NotificationKind
  key: string
  subject_id: string
  task_id: string | null
  detail?: NotificationRow['detail']
}

/** A user to notify, with the JSON of their preferences or null. */
export interface NotificationRecipient {
  user_id: string
  timezone: string
  wishes: string | null
}

/** Parses notification preferences; missing ones are the defaults. */
export function parseNotificationPreferences(json: string | null): NotificationPreferences {
  if (json === null) return DEFAULT_NOTIFICATION_PREFERENCES
  const saved = JSON.parse(json) as NotificationPreferences
  return {
    ...DEFAULT_NOTIFICATION_PREFERENCES,
    ...saved,
    kinds: { ...DEFAULT_NOTIFICATION_PREFERENCES.kinds, ...saved.kinds },
  }
}

/** Notifies users in the inbox, by email, both or not at all, according to their preferences. */
export async function notify(
  tx: WriteTx,
  { detail = null, ...content }: NotificationContent,
  recipients: readonly NotificationRecipient[],
): Promise<void> {
  const pushed: Parameters<typeof enqueuePushes>[1][number][] = []
  const rows = recipients.flatMap(({ user_id, timezone, wishes }) => {
    const { kinds, digest_hour, quiet_hours } = parseNotificationPreferences(wishes)
    const { inbox, mail } = kinds[content.kind]
    // Notifications that a job creates are inserted even so: it would find the occasion again.
    if (!inbox && mail === 'never' && !CREATED_BY_JOBS.has(content.kind)) return []
    const soon = addMs(tx.now, EMAIL_DELAY_MS)
    const mail_at = mail === 'soon' ? soon : nextFullHour(timezone, tx.now, digest_hour)
    const id = newId('ntf', tx.nowMs)
    if (inbox) pushed.push({ id, user_id, timezone, quiet_hours })
    return {
      ...content,
      detail,
      id,
      user_id,
      actor_id: tx.actor.user_id,
      in_inbox: inbox ? 1 : 0,
      mail_at: mail === 'never' ? null : mail_at,
      created_at: tx.now,
    }
  })
  await tx.runEach(insertNotification, rows)
  await enqueuePushes(tx, pushed)
  for (const { id, user_id, in_inbox } of rows) {
    if (in_inbox === 1) noteNotificationChange(tx, id, user_id)
  }
}

const CREATED_BY_JOBS: ReadonlySet<NotificationKind> = new Set(['due', 'webhook'])

/** Announces a changed notification to its user alone. */
export const noteNotificationChange = (tx: WriteTx, id: string, user_id: string) =>
  tx.noteChange({ noun: 'notification', id, only_for: user_id })

/**
 * Announces to their recipients that the inbox shows notifications of tasks again, or no more: they, or a
 * comment, were deleted or restored.
 */
export async function noteNotificationsOf(tx: WriteTx, task_ids: readonly string[]): Promise<void> {
  const rows = await tx.all(notificationsOfTasks, { task_ids })
  // Grouped here: a statement that groups by user would read all notifications in the order of their users.
  for (const [user_id, id] of new Map(rows.map((row) => [row.user_id, row.id])))
    noteNotificationChange(tx, id, user_id)
}

const notificationsOfTasks = query((db, $: Scoped<{ task_ids: readonly string[] }>, { inList }) =>
  db
    .selectFrom('notifications')
    .select(['id', 'user_id'])
    .where(inList('task_id', $.task_ids))
    .where('in_inbox', '=', 1),
)

/**
 * Notifies those users who are active and see the project, except the actor. An import notifies
 * nobody: an inbox keeps only the newest notifications, and thousands of imported tasks would push
 * out all others.
 */
async function notifyUsersSeeingProject(
  tx: WriteTx,
  content: NotificationContent & { project_id: string },
  user_ids: readonly string[],
): Promise<void> {
  if (tx.actor.source === 'import') return
  const others = [...new Set(user_ids)].filter((id) => id !== tx.actor.user_id)
  if (others.length === 0) return
  const { project_id, ...notification } = content
  await notify(
    tx,
    notification,
    await tx.all(recipientsSeeingProject, { project_id, user_ids: others }),
  )
}

/** Notifies owners and admins of a webhook that was disabled or keeps failing. */
export async function notifyWebhookManagers(
  tx: WriteTx,
  { id, detail, since }: { id: string; detail: 'disabled' | 'failing'; since: string },
): Promise<void> {
  const key = `webhook ${detail} ${id} ${since}`
  const content = { kind: 'webhook', key, subject_id: id, task_id: null, detail } as const
  const managers = await tx.all(recipientsManagingWebhooks, {})
  await notify(
    tx,
    content,
    managers.filter(({ user_id }) => user_id !== tx.actor.user_id),
  )
}

interface PendingApproval {
  id: string
  /** The owner of the credential. */
  user_id: string
}

const approvalKey = ({ id }: PendingApproval): string => `approval ${id}`

/** Notifies the owner of a supervised credential, in whose name it acts, of a request that waits for them. */
export async function notifyOfApproval(tx: WriteTx, approval: PendingApproval): Promise<void> {
  const { id, user_id } = approval
  const key = approvalKey(approval)
  const content = { kind: 'approval', key, subject_id: id, task_id: null } as const
  await notify(tx, content, await tx.all(memberRecipient, { user_id }))
}

/** Takes the notification of a request that has been decided from the inbox. */
export async function endNotificationsOfApproval(
  tx: WriteTx,
  approval: PendingApproval,
): Promise<void> {
  const { id, user_id } = approval
  await tx.run(endNotification, { user_id, key: approvalKey(approval), now: tx.now })
  noteNotificationChange(tx, id, user_id)
}

const endNotification = command((db, $: Scoped<{ user_id: string; key: string; now: string }>) =>
  db
    .updateTable('notifications')
    .set({ read_at: $.now, done_at: $.now, mail_at: null })
    .where('user_id', '=', $.user_id)
    .where('key', '=', $.key),
)

const memberRecipient = query((db, $: Scoped<{ user_id: string }>) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .leftJoin('notification_settings as settings', 'settings.user_id', 'memberships.user_id')
    .select(['memberships.user_id', 'users.timezone', 'settings.wishes'])
    .where('memberships.user_id', '=', $.user_id)
    .where('memberships.removed_at', 'is', null),
)

const recipientsSeeingProject = query(
  (db, $: Scoped<{ project_id: string; user_ids: string[] }>, dialect) =>
    db
      .selectFrom('memberships')
      .innerJoin('projects', (join) => join.on('projects.id', '=', $.project_id))
      .innerJoin('users', 'users.id', 'memberships.user_id')
      .leftJoin('notification_settings as settings', 'settings.user_id', 'memberships.user_id')
      .select(['memberships.user_id', 'users.timezone', 'settings.wishes'])
      .where('memberships.removed_at', 'is', null)
      .where(dialect.inList('memberships.user_id', $.user_ids))
      .where(memberSeesProject($)),
)

const recipientsManagingWebhooks = query((db) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .leftJoin('notification_settings as settings', 'settings.user_id', 'memberships.user_id')
    .select(['memberships.user_id', 'users.timezone', 'settings.wishes'])
    .where('memberships.removed_at', 'is', null)
    .where('memberships.role', 'in', rolesWith('manage_workspace')),
)

type NotificationInsert = Omit<
  NotificationRow,
  'read_at' | 'done_at' | 'snoozed_until' | 'email_job_id'
>

const insertNotification = command((db, $: Scoped<NotificationInsert>) =>
  db
    .insertInto('notifications')
    .values(
      pickSlots(
        $,
        'workspace_id',
        'id',
        'user_id',
        'kind',
        'detail',
        'task_id',
        'subject_id',
        'key',
        'actor_id',
        'in_inbox',
        'mail_at',
        'created_at',
      ),
    )
    .onConflict((conflict) => conflict.columns(['workspace_id', 'user_id', 'key']).doNothing()),
)

/** A watched task. Its creator and its assignees watch it unless they mute it. */
interface WatchedTask {
  id: string
  project_id: string
}

/** Notifies users to whom a task was assigned. */
export const notifyAssignees = (
  tx: WriteTx,
  { id, project_id }: WatchedTask,
  addedUserIds: readonly string[],
) =>
  notifyUsersSeeingProject(
    tx,
    {
      kind: 'assigned',
      key: `assigned ${id} ${tx.operation_id}`,
      subject_id: id,
      task_id: id,
      project_id,
    },
    addedUserIds,
  )

/**
 * Notifies users whom a comment mentions, once each even if the comment is edited. They watch the task
 * from then on.
 */
export async function notifyMentionedUsers(
  tx: WriteTx,
  task: WatchedTask,
  comment_id: string,
  mentions: readonly string[],
): Promise<void> {
  await addWatchers(tx, task.id, mentions)
  const about = { key: `mentioned ${comment_id}`, subject_id: comment_id, task_id: task.id }
  await notifyUsersSeeingProject(
    tx,
    { ...about, kind: 'mentioned', project_id: task.project_id },
    mentions,
  )
}

/**
 * Notifies of a new comment: mentioned users of the mention, and watchers of the comment. Its author
 * watches the task from then on.
 */
export async function notifyCommentWatchers(
  tx: WriteTx,
  task: WatchedTask,
  { id: comment_id, author_id }: { id: string; author_id: string },
  mentions: readonly string[],
): Promise<void> {
  const rows = await tx.all(watchersOfTask, { task_id: task.id })
  const mutingUserIds = new Set(
    rows.filter(({ is_muted }) => is_muted === 1).map((one) => one.user_id),
  )
  const userIds = new Set(rows.map((one) => one.user_id))
  if (!userIds.has(author_id)) await addWatchers(tx, task.id, [author_id])
  if (mentions.length > 0) await notifyMentionedUsers(tx, task, comment_id, mentions)
  const watching = [...userIds].filter((id) => !mutingUserIds.has(id) && !mentions.includes(id))
  const about = { key: `commented ${comment_id}`, subject_id: comment_id, task_id: task.id }
  await notifyUsersSeeingProject(
    tx,
    { ...about, kind: 'commented', project_id: task.project_id },
    watching,
  )
}

/** Makes users watch a task, unless they watch or mute it already. */
const addWatchers = (tx: WriteTx, task_id: string, user_ids: readonly string[]) =>
  tx.runEach(
    insertWatcher,
    user_ids.map((user_id) => ({ task_id, user_id })),
  )

/** The creator and assignees of a task, and the users who watch or mute it. */
const watchersOfTask = query((db, $: Scoped<{ task_id: string }>) =>
  db
    .selectFrom('task_watches')
    .select(['user_id', 'is_muted'])
    .where('task_id', '=', $.task_id)
    .unionAll(
      db
        .selectFrom('task_assignees')
        .select((is) => ['user_id', is.lit(0).as('is_muted')])
        .where('task_id', '=', $.task_id),
    )
    .unionAll(
      db
        .selectFrom('tasks')
        .select((is) => ['created_by_id as user_id', is.lit(0).as('is_muted')])
        .where('id', '=', $.task_id),
    ),
)

type TaskWatcher = { task_id: string; user_id: string }

const insertWatcher = command((db, $: Scoped<TaskWatcher>) =>
  db
    .insertInto('task_watches')
    .values((is) => ({
      ...pickSlots($, 'workspace_id', 'task_id', 'user_id'),
      is_muted: is.lit(0),
    }))
    .onConflict((conflict) => conflict.doNothing()),
)

/** Saves a user's notification preferences in the transaction's workspace. */
export const saveNotificationPreferences = (
  tx: WriteTx,
  user_id: string,
  wishes: NotificationPreferences,
) => tx.run(upsertPreferences, { user_id, wishes: JSON.stringify(wishes) })

/**
 * Stops all notification emails of the workspace to a user, including those already queued; the inbox
 * settings stay. Returns whether the user is a member.
 */
export async function stopNotificationEmails(tx: WriteTx, user_id: string): Promise<boolean> {
  const member = await tx.one(memberPreferences, { user_id })
  if (!member) return false
  const { kinds, ...rest } = parseNotificationPreferences(member.wishes)
  const withoutMail = (name: keyof typeof kinds) => ({
    inbox: kinds[name].inbox,
    mail: 'never' as const,
  })
  await saveNotificationPreferences(tx, user_id, {
    kinds: {
      mentioned: withoutMail('mentioned'),
      assigned: withoutMail('assigned'),
      commented: withoutMail('commented'),
      due: withoutMail('due'),
      webhook: withoutMail('webhook'),
      approval: withoutMail('approval'),
    },
    ...rest,
  })
  await tx.run(cancelDueEmails, { user_id })
  return true
}

type NotificationUserParams = { user_id: string }

const memberPreferences = query((db, $: Scoped<NotificationUserParams>) =>
  db
    .selectFrom('memberships')
    .leftJoin('notification_settings as settings', 'settings.user_id', 'memberships.user_id')
    .select('settings.wishes')
    .where('memberships.user_id', '=', $.user_id)
    .where('memberships.removed_at', 'is', null),
)

const upsertPreferences = command((db, $: Scoped<NotificationUserParams & { wishes: string }>) =>
  db
    .insertInto('notification_settings')
    .values(pickSlots($, 'workspace_id', 'user_id', 'wishes'))
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'user_id']).doUpdateSet(pickSlots($, 'wishes')),
    ),
)

const cancelDueEmails = command((db, $: Scoped<NotificationUserParams>) =>
  db
    .updateTable('notifications')
    .set({ mail_at: null, email_job_id: null })
    .where('user_id', '=', $.user_id),
)
