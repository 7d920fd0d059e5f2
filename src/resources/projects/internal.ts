import { Member } from '#resources/members/contract.ts'
import { endpoint } from '#wire/endpoint.ts'
import { type Fault, fault } from '#wire/fault.ts'
import {
  Body,
  Color,
  Day,
  Fields,
  Id,
  Line,
  List,
  ListQuery,
  Nullable,
  OneOf,
  Optional,
  PageOf,
  Pattern,
  Reference,
  type Static,
  Text,
  Whole,
} from '#wire/schema.ts'
import {
  MOST_STATUSES,
  OneProject,
  PREFIX,
  Project,
  STATUS_CATEGORIES,
  STATUS_KEY,
} from './contract.ts'
import { faultsOfStatuses } from './status-rules.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'Projects' } as const

/** A status as it is asked for: a key is made from the name, a colour goes with the category. */
export type WantedStatus = Static<typeof WantedStatus>
export const WantedStatus = Fields({
  key: Optional(Pattern(STATUS_KEY)),
  name: Line(1, 50),
  category: OneOf(STATUS_CATEGORIES),
  color: Optional(Color()),
  position: Optional(
    Whole(0, MOST_STATUSES - 1, { description: 'Its place in the array, if it is said at all.' }),
  ),
})

const OTHERS = {
  prefix: Optional(Pattern(PREFIX, { description: 'Made from the name where it is absent.' })),
  description: Optional(Nullable(Text(0, 65_536))),
  color: Optional(Color()),
  icon: Optional(Nullable(Line(1, 32))),
  lead_id: Optional(Nullable(Reference('usr'))),
  visibility: Optional(OneOf(['workspace', 'private'])),
  start_date: Optional(Nullable(Day())),
  target_date: Optional(Nullable(Day())),
  statuses: Optional(List(WantedStatus, { minItems: 1, maxItems: MOST_STATUSES })),
}

export const createProject = endpoint({
  ...SESSION,
  method: 'POST',
  path: '/internal/projects',
  summary: 'Create a project',
  body: Body({ name: Line(1, 100), ...OTHERS }, Project, [], [], together),
  reply: Project,
  status: 201,
})

export const updateProject = endpoint({
  ...SESSION,
  method: 'PATCH',
  path: '/internal/projects/:id',
  summary: 'Change a project',
  description: '`statuses` replaces the whole list.',
  params: OneProject,
  body: Body({ name: Optional(Line(1, 100)), ...OTHERS }, Project, [], [], together),
  reply: Project,
  conditions: 'compared',
})

export const archiveProject = endpoint({
  ...SESSION,
  method: 'POST',
  path: '/internal/projects/:id/archive',
  summary: 'Archive a project',
  params: OneProject,
  body: Fields({}),
  bodyOptional: true,
  reply: Project,
})

export const unarchiveProject = endpoint({
  ...SESSION,
  method: 'POST',
  path: '/internal/projects/:id/unarchive',
  summary: 'Take a project out of the archive',
  params: OneProject,
  body: Fields({}),
  bodyOptional: true,
  reply: Project,
})

export const listPeople = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/projects/:id/people',
  summary: 'List the active members in the people list of a project',
  params: OneProject,
  query: ListQuery(['joined_at', 'name'], {}),
  reply: PageOf(Member),
})

const OnePerson = Fields({ id: Id('prj'), user_id: Id('usr') })

export const putPerson = endpoint({
  ...SESSION,
  method: 'PUT',
  path: '/internal/projects/:id/people/:user_id',
  summary: 'Put a member into the people list of a project',
  params: OnePerson,
})

export const removePerson = endpoint({
  ...SESSION,
  method: 'DELETE',
  path: '/internal/projects/:id/people/:user_id',
  summary: 'Take somebody out of the people list of a project',
  params: OnePerson,
})

/** What can be said of the fields of a project beside each other, as sent. */
function together({ start_date, target_date, statuses }: Readonly<Record<string, unknown>>) {
  const faults: Fault[] = []
  const isPeriod = typeof start_date === 'string' && typeof target_date === 'string'
  if (isPeriod && start_date > target_date) {
    faults.push(fault('start_date', 'invalid_range', 'must not be after target_date'))
  }
  if (Array.isArray(statuses) && statuses.length <= MOST_STATUSES) {
    faults.push(...faultsOfStatuses(statuses))
  }
  return faults
}
