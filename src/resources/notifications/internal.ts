import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { fault } from '#wire/fault.ts'
import { MAIL_PACES, NOTIFICATION_KINDS } from '#wire/notifications.ts'
import {
  Body,
  Day,
  Fields,
  Flag,
  Id,
  List,
  ListQuery,
  Nullable,
  OneOf,
  Optional,
  PageOf,
  type Static,
  Timestamp,
  Whole,
} from '#wire/schema.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'Inbox' } as const

/** So many notifications one request changes. */
export const MOST_MARKED = 1_000

/** What a person is told of, as long as it sees what that is about. */
export type Notification = Static<typeof Notification>
export const Notification = Type.Object(
  {
    id: Id('ntf'),
    kind: OneOf(NOTIFICATION_KINDS),
    detail: Nullable(OneOf(['today', 'overdue', 'disabled', 'failing'])),
    actor: Nullable(Fields({ id: Id('usr'), name: Type.String() }), {
      description: 'Who did it; null: nobody did, it came to be.',
    }),
    task: Nullable(
      Fields({
        id: Id('tsk'),
        short_id: Type.String(),
        title: Type.String(),
        project_id: Id('prj'),
        due_date: Nullable(Day()),
      }),
    ),
    comment: Nullable(
      Fields({ id: Id('cmt'), excerpt: Type.String({ description: 'How it begins.' }) }),
    ),
    webhook: Nullable(Fields({ id: Id('whk'), url: Type.String() })),
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
  summary: 'List what the person is told of in this workspace',
  description:
    'The newest first. What is about a task or project that the person does not see any more is left out.',
  query: ListQuery(['-created_at'], {
    kind: Optional(OneOf(NOTIFICATION_KINDS)),
    state: Optional(
      OneOf(['open', 'snoozed', 'done'], {
        description: '`open` (the default) is neither done nor snoozed.',
      }),
    ),
  }),
  reply: PageOf(Notification),
})

export const markNotifications = endpoint({
  ...SESSION,
  method: 'PATCH',
  path: '/internal/notifications',
  summary: 'Mark notifications as read, done, or to come back later',
  description: 'Those of other persons, and unknown ones, are left alone.',
  body: Body(
    {
      ids: Optional(
        List(Id('ntf'), {
          minItems: 1,
          maxItems: MOST_MARKED,
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
        ? [fault('done', 'required', 'or read, or snoozed_until is required')]
        : [],
  ),
  reply: Fields({
    ids: List(Id('ntf'), { description: 'Those that it was about: to take it back by.' }),
    unread: Whole(0, MOST_MARKED),
  }),
})

/** How one person is told in this workspace. */
export type Wishes = Static<typeof Wishes>
const ways = Fields({ inbox: Flag(), mail: OneOf(MAIL_PACES) })
export const Wishes = Type.Object(
  {
    kinds: Fields({ mentioned: ways, assigned: ways, commented: ways, due: ways, webhook: ways }),
    digest_hour: Whole(0, 23, { description: 'When daily mails come, in the zone of the person.' }),
  },
  { title: 'NotificationSettings', additionalProperties: false },
)

export const getSettings = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/notification-settings',
  summary: 'Get how the person is told',
  reply: Wishes,
})

const some = Optional(Fields({ inbox: Optional(Flag()), mail: Optional(OneOf(MAIL_PACES)) }))

export const changeSettings = endpoint({
  ...SESSION,
  method: 'PATCH',
  path: '/internal/notification-settings',
  summary: 'Change how the person is told',
  body: Body(
    {
      kinds: Optional(
        Fields({ mentioned: some, assigned: some, commented: some, due: some, webhook: some }),
      ),
      digest_hour: Optional(Whole(0, 23)),
    },
    Wishes,
  ),
  reply: Wishes,
})

/** Whether a person is told of what is said about a task, and why. */
export type Watch = Static<typeof Watch>
export const Watch = Type.Object(
  {
    watching: Flag(),
    reason: Nullable(OneOf(['chosen', 'created', 'assigned']), {
      description: 'Null: it does not. `chosen` by commenting or being named, too.',
    }),
  },
  { title: 'Watch', additionalProperties: false },
)

export const getWatch = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/tasks/:id/watch',
  summary: 'Tell whether the person watches a task',
  params: Fields({ id: Type.String() }),
  reply: Watch,
})

export const changeWatch = endpoint({
  ...SESSION,
  method: 'PATCH',
  path: '/internal/tasks/:id/watch',
  summary: 'Watch a task, or hear nothing more of it',
  description: 'Who does not watch it is told only of being named, and of being given the task.',
  params: Fields({ id: Type.String() }),
  body: Body({ watching: Flag() }, Watch),
  reply: Watch,
})
