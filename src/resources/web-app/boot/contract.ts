import { Type } from 'typebox'
import { Member } from '#resources/members/contract.ts'
import { Project } from '#resources/projects/contract.ts'
import { Session } from '#resources/sessions/contract.ts'
import { View } from '#resources/web-app/views/internal.ts'
import { endpoint } from '#wire/endpoint.ts'
import { RIGHT_NAMES, ROLES } from '#wire/rights.ts'
import {
  CalendarDay,
  FieldOf,
  Flag,
  Id,
  Integer,
  List,
  SingleLineText,
  type Static,
  StrictObject,
  StringEnum,
} from '#wire/schema-builders.ts'

/** The reply holds at most this many projects, members and due tasks. */
export const MAX_BOOT_PROJECTS = 1_000
export const MAX_BOOT_MEMBERS = 2_000
export const MAX_BOOT_DUE_TASKS = 1_000

const Count = Integer(0, Number.MAX_SAFE_INTEGER)

/** The data that every screen of the web app needs, in one reply. */
export type Boot = Static<typeof Boot>
export const Boot = Type.Object(
  {
    session: Session,
    roles: List(StrictObject({ role: StringEnum(ROLES), rights: List(StringEnum(RIGHT_NAMES)) }), {
      description: 'What each role may do, the one with the most rights first.',
    }),
    projects: List(Project, { description: 'All that the person sees, archived ones too.' }),
    members: List(Member),
    former: List(StrictObject({ id: Id('usr'), name: SingleLineText(1, 100) }), {
      description: 'Removed members: of what they were assigned and wrote.',
    }),
    views: List(View, { description: 'Those that the person has pinned, in their order.' }),
    mine: StrictObject({
      due: List(StrictObject({ id: Id('tsk'), due_date: CalendarDay() }), {
        description:
          'The open tasks assigned to the person that have a due date, the earliest first, at most 1,000.',
      }),
    }),
    inbox: StrictObject({
      unread: FieldOf(Count, 'Unread rows of the inbox, as its list counts them.'),
    }),
    position: Type.String({
      description: 'The position of the newest change: the changes go on from here.',
    }),
    settings: StrictObject({
      max_attachment_bytes: Count,
      signup: StringEnum(['open', 'invite']),
      mail: Flag({ description: 'Whether the installation can send mail.' }),
      offers_plans: Flag({ description: 'Whether owners can choose between plans that differ.' }),
    }),
  },
  { title: 'Boot', additionalProperties: false },
)

export const getBoot = endpoint({
  method: 'GET',
  path: '/internal/boot',
  scope: 'session',
  limit: 'session',
  tag: 'Web app',
  summary: 'Get what every screen needs',
  reply: Boot,
})
