import { Type } from 'typebox'
import { Member } from '#resources/members/contract.ts'
import { Project } from '#resources/projects/contract.ts'
import { Session } from '#resources/sessions/contract.ts'
import { View } from '#resources/views/internal.ts'
import { endpoint } from '#wire/endpoint.ts'
import { Fields, Flag, Id, Line, List, OneOf, type Static, Whole } from '#wire/schema.ts'

/** More projects and members than these are not brought along. */
export const MOST_PROJECTS = 1_000
export const MOST_MEMBERS = 2_000

const Count = Whole(0, Number.MAX_SAFE_INTEGER)

/** What every screen of the web app needs, in one reply. */
export type Boot = Static<typeof Boot>
export const Boot = Type.Object(
  {
    session: Session,
    projects: List(Project, { description: 'All that the person sees, archived ones too.' }),
    members: List(Member),
    former: List(Fields({ id: Id('usr'), name: Line(1, 100) }), {
      description: 'Removed members: of what they were assigned and wrote.',
    }),
    views: List(View, { description: 'Those that the person has pinned, in their order.' }),
    mine: Fields({ open: Count, overdue: Count }, { description: 'Tasks assigned to the person.' }),
    inbox: Fields({ unread: Count }, { description: 'Notifications that are open and not read.' }),
    notice: Type.String({ description: 'The newest notice: live updates go on from here.' }),
    settings: Fields({
      max_attachment_bytes: Count,
      signup: OneOf(['open', 'invite']),
      mail: Flag({ description: 'Whether the installation can send mail.' }),
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
