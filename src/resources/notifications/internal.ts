import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { fieldError } from '#wire/field-error.ts'
import { EMAIL_FREQUENCIES, NOTIFICATION_KINDS } from '#wire/notification-preferences.ts'
import {
  CalendarDay,
  Flag,
  Id,
  Integer,
  List,
  ListQuery,
  Nullable,
  Optional,
  PageOf,
  RequestBody,
  type Static,
  StrictObject,
  StringEnum,
  Timestamp,
} from '#wire/schema-builders.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'Inbox' } as const

/** One request changes at most this many notifications; the unread count stops there too. */
export const MAX_MARKED_NOTIFICATIONS = 1_000

const UnreadCount = Integer(0, MAX_MARKED_NOTIFICATIONS, {
  description:
    'Tasks and webhooks with open notifications that are not read: unread rows of the inbox.',
})

/** An entry in the inbox of a user. It is hidden while the user does not see its subject. */
export type Notification = Static<typeof Notification>
export const Notification = Type.Object(
  {
    id: Id('ntf'),
    kind: StringEnum(NOTIFICATION_KINDS),
    detail: Nullable(StringEnum(['today', 'overdue', 'disabled', 'failing'])),
    actor: Nullable(StrictObject({ id: Id('usr'), name: Type.String() }), {
      description: 'Who did it; null: nobody did, it came to be.',
    }),
    task: Nullable(
      StrictObject({
        id: Id('tsk'),
        short_id: Type.String(),
        title: Type.String(),
        project_id: Id('prj'),
        due_date: Nullable(CalendarDay()),
      }),
    ),
    comment: Nullable(
      StrictObject({ id: Id('cmt'), excerpt: Type.String({ description: 'How it begins.' }) }),
    ),
    webhook: Nullable(StrictObject({ id: Id('whk'), url: Type.String() })),
    approval: Nullable(
      StrictObject({
        id: Id('opr'),
        credential_name: Nullable(Type.String(), { description: 'Null once it is revoked.' }),
        endpoint: Type.String(),
        record_count: Integer(0, Number.MAX_SAFE_INTEGER),
      }),
      { description: 'The request that waits for the person, or has waited.' },
    ),
    read_at: Nullable(Timestamp()),
    done_at: Nullable(Timestamp()),
    snoozed_until: Nullable(Timestamp()),
    created_at: Timestamp(),
  },
  { title: 'Notification', additionalProperties: false },
)

export const listNotifications = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/notifications',
  summary: 'List notifications',
  description:
    'The newest first. What is about a task or project that the person does not see any more is left out.',
  query: ListQuery(['-created_at'], {
    kind: Optional(StringEnum(NOTIFICATION_KINDS)),
    state: Optional(
      StringEnum(['open', 'snoozed', 'done'], {
        description: '`open` (the default) is neither done nor snoozed.',
      }),
    ),
  }),
  reply: StrictObject({ ...PageOf(Notification).properties, unread: UnreadCount }),
})

export const markNotifications = endpoint({
  ...SESSION,
  method: 'PATCH',
  path: '/internal/notifications',
  grantsLastingAccess: false,
  summary: 'Mark notifications as read or done, or snooze them',
  description: 'Those of other persons, and unknown ones, are left alone.',
  body: RequestBody(
    {
      ids: Optional(
        List(Id('ntf'), {
          minItems: 1,
          maxItems: MAX_MARKED_NOTIFICATIONS,
          uniqueItems: true,
          description: 'Absent: all that are open.',
        }),
      ),
      read: Optional(Flag()),
      done: Optional(Flag()),
      snoozed_until: Optional(
        Nullable(Timestamp(), { description: 'It comes back then, unread. Null: now.' }),
      ),
    },
    Type.Object({}),
    [],
    [],
    ({ read, done, snoozed_until }) =>
      read === undefined && done === undefined && snoozed_until === undefined
        ? [fieldError('done', 'required', 'is required, unless you send `read` or `snoozed_until`')]
        : [],
  ),
  reply: StrictObject({
    ids: List(Id('ntf'), { description: 'Those that it was about: to take it back by.' }),
    unread: UnreadCount,
  }),
})

/** Where a user receives each kind of notification in this workspace. */
export type NotificationSettings = Static<typeof NotificationSettings>
const Channels = StrictObject({ inbox: Flag(), mail: StringEnum(EMAIL_FREQUENCIES) })
const QuietHours = StrictObject(
  { from: Integer(0, 23), to: Integer(0, 23) },
  {
    'x-together': ({ from, to }) =>
      from === to ? [fieldError('to', 'invalid_range', 'must differ from `from`')] : [],
  },
)
export const NotificationSettings = Type.Object(
  {
    kinds: StrictObject({
      mentioned: Channels,
      assigned: Channels,
      commented: Channels,
      due: Channels,
      webhook: Channels,
      approval: Channels,
    }),
    digest_hour: Integer(0, 23, {
      description: 'When daily mails come, in the zone of the person.',
    }),
    quiet_hours: Nullable(QuietHours, {
      description: 'When nothing is pushed to devices, in the zone of the person.',
    }),
  },
  { title: 'NotificationSettings', additionalProperties: false },
)

export const getNotificationSettings = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/notification-settings',
  summary: 'Get notification settings',
  reply: NotificationSettings,
})

const ChannelChanges = Optional(
  StrictObject({ inbox: Optional(Flag()), mail: Optional(StringEnum(EMAIL_FREQUENCIES)) }),
)

export const updateNotificationSettings = endpoint({
  ...SESSION,
  method: 'PATCH',
  path: '/internal/notification-settings',
  grantsLastingAccess: false,
  summary: 'Change notification settings',
  body: RequestBody(
    {
      kinds: Optional(
        StrictObject({
          mentioned: ChannelChanges,
          assigned: ChannelChanges,
          commented: ChannelChanges,
          due: ChannelChanges,
          webhook: ChannelChanges,
          approval: ChannelChanges,
        }),
      ),
      digest_hour: Optional(Integer(0, 23)),
      quiet_hours: Optional(Nullable(QuietHours)),
    },
    NotificationSettings,
  ),
  reply: NotificationSettings,
})

/** Whether a user watches a task, and so receives its comments, and why. */
export type TaskWatch = Static<typeof TaskWatch>
export const TaskWatch = Type.Object(
  {
    watching: Flag(),
    reason: Nullable(StringEnum(['chosen', 'created', 'assigned']), {
      description: 'Null: it does not. `chosen` by commenting or being named, too.',
    }),
  },
  { title: 'Watch', additionalProperties: false },
)

export const getTaskWatch = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/tasks/:id/watch',
  summary: 'Get whether you watch a task',
  params: StrictObject({ id: Type.String() }),
  reply: TaskWatch,
})

export const updateTaskWatch = endpoint({
  ...SESSION,
  method: 'PATCH',
  path: '/internal/tasks/:id/watch',
  grantsLastingAccess: false,
  summary: 'Watch or unwatch a task',
  description: 'Who does not watch it is told only of being named, and of being given the task.',
  params: StrictObject({ id: Type.String() }),
  body: RequestBody({ watching: Flag() }, TaskWatch),
  reply: TaskWatch,
})
