import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { AVATAR_URL } from '#wire/record-fields.ts'
import { ROLES, type Role } from '#wire/rights.ts'
import {
  CommaSeparated,
  FieldOf,
  Id,
  ListQuery,
  Nullable,
  Optional,
  PageOf,
  SearchText,
  SingleLineText,
  type Static,
  StringEnum,
  Timestamp,
} from '#wire/schema-builders.ts'

const ROLE_DESCRIPTIONS: Record<Role, string> = {
  owner: 'everything',
  admin: 'everything but the plan and deleting the workspace',
  member: 'the projects they see, and creating projects',
  guest: 'only the projects they were added to',
}

const RoleName = StringEnum(ROLES, {
  title: 'Role',
  description: ROLES.map((role) => `\`${role}\`: ${ROLE_DESCRIPTIONS[role]}.`).join(' '),
})

/** A person as a member of the workspace (docs/spec/api.md#member). */
export type Member = Static<typeof Member>
export const Member = Type.Object(
  {
    id: Id('usr', { description: 'The id of the person, the same in all workspaces.' }),
    name: SingleLineText(1, 100, { description: 'The name of the person.' }),
    email: Nullable(Type.String(), {
      description:
        'The email address in lower case. Guests see only their own; for others it is null.',
    }),
    avatar_url: Nullable(Type.String(), { description: AVATAR_URL }),
    role: FieldOf(RoleName, 'What the person may do in the workspace.'),
    status: FieldOf(
      StringEnum(['active', 'removed'], {
        title: 'MemberStatus',
        description: '`active`, or `removed`: the person has left, and what they created stays.',
      }),
      'Whether the person is still in the workspace.',
    ),
    timezone: Type.String({
      description:
        'The IANA name of the time zone of the person, which decides the days of their time entries.',
      examples: ['Europe/Zurich'],
    }),
    locale: Type.String({
      description: 'The language of the person, as a BCP 47 tag.',
      examples: ['en'],
    }),
    joined_at: Timestamp({ description: 'When the person joined, most recently.' }),
    last_active_at: Nullable(Timestamp(), {
      description: 'When the person was last active, at most five minutes behind. Null if never.',
    }),
  },
  {
    title: 'Member',
    description: 'A person as a member of the workspace.',
    additionalProperties: false,
  },
)

export const listMembers = endpoint({
  method: 'GET',
  path: '/api/v1/workspace/members',
  scope: 'members:read',
  limit: 'workspace',
  tag: 'Members',
  operationId: 'listMembers',
  summary: 'List members',
  description:
    'Only active members, unless you send `status`. Guests see no email address but their own.',
  query: ListQuery(['joined_at', 'name'], {
    role: CommaSeparated(RoleName, { description: 'Only members with one of these roles.' }),
    status: Optional(
      StringEnum(['active', 'removed', 'all'], {
        default: 'active',
        description: 'Only active members, only removed ones, or all.',
      }),
    ),
    q: SearchText(
      'Only members with a name in which each of these words is the beginning of a word. ' +
        'A whole email address finds its member.',
    ),
  }),
  reply: PageOf(Member),
})
