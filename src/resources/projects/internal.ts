import { Member } from '#resources/members/contract.ts'
import { endpoint } from '#wire/endpoint.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'
import {
  CalendarDay,
  Color,
  Id,
  IdReference,
  Integer,
  List,
  ListQuery,
  MultilineText,
  Nullable,
  Optional,
  PageOf,
  RequestBody,
  SingleLineText,
  type Static,
  StrictObject,
  StringEnum,
} from '#wire/schema-builders.ts'
import {
  MAX_STATUSES,
  Project,
  ProjectParams,
  ProjectPrefix,
  STATUS_CATEGORIES,
  StatusKey,
} from './contract.ts'
import { validateStatuses } from './statuses.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'Projects' } as const

/**
 * A status in a request. The key defaults to one made from the name, the color to the category's.
 */
export type StatusInput = Static<typeof StatusInput>
export const StatusInput = StrictObject({
  key: Optional(StatusKey()),
  name: SingleLineText(1, 50),
  category: StringEnum(STATUS_CATEGORIES),
  color: Optional(Color()),
  position: Optional(
    Integer(0, MAX_STATUSES - 1, { description: 'Its place in the array, if it is said at all.' }),
  ),
})

const OPTIONAL_FIELDS = {
  prefix: Optional(ProjectPrefix({ description: 'Made from the name where it is absent.' })),
  description: Optional(Nullable(MultilineText(0, 65_536))),
  color: Optional(Color()),
  icon: Optional(Nullable(SingleLineText(1, 32))),
  lead_id: Optional(Nullable(IdReference('usr'))),
  visibility: Optional(StringEnum(['workspace', 'private'])),
  start_date: Optional(Nullable(CalendarDay())),
  target_date: Optional(Nullable(CalendarDay())),
  statuses: Optional(List(StatusInput, { minItems: 1, maxItems: MAX_STATUSES })),
}

export const createProject = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'POST',
  path: '/internal/projects',
  grantsLastingAccess: false,
  takesIdempotencyKey: true,
  summary: 'Create a project',
  body: RequestBody(
    { name: SingleLineText(1, 100), ...OPTIONAL_FIELDS },
    Project,
    [],
    [],
    validateDatesAndStatuses,
  ),
  reply: Project,
  status: 201,
})

export const updateProject = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'PATCH',
  path: '/internal/projects/:id',
  grantsLastingAccess: false,
  summary: 'Change a project',
  description: '`statuses` replaces the whole list.',
  params: ProjectParams,
  body: RequestBody(
    { name: Optional(SingleLineText(1, 100)), ...OPTIONAL_FIELDS },
    Project,
    [],
    [],
    validateDatesAndStatuses,
  ),
  reply: Project,
  conditions: 'compared',
})

export const archiveProject = endpoint({
  ...SESSION,
  method: 'POST',
  path: '/internal/projects/:id/archive',
  grantsLastingAccess: false,
  summary: 'Archive a project',
  params: ProjectParams,
  body: StrictObject({}),
  bodyOptional: true,
  reply: Project,
})

export const unarchiveProject = endpoint({
  ...SESSION,
  method: 'POST',
  path: '/internal/projects/:id/unarchive',
  grantsLastingAccess: false,
  summary: 'Unarchive a project',
  params: ProjectParams,
  body: StrictObject({}),
  bodyOptional: true,
  reply: Project,
})

export const listPeople = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/projects/:id/people',
  summary: 'List the members of a project',
  params: ProjectParams,
  query: ListQuery(['joined_at', 'name'], {}),
  reply: PageOf(Member),
})

const PersonParams = StrictObject({ id: Id('prj'), user_id: Id('usr') })

export const putPerson = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'PUT',
  path: '/internal/projects/:id/people/:user_id',
  grantsLastingAccess: false,
  summary: 'Add a member to a project',
  params: PersonParams,
})

export const removePerson = endpoint({
  ...SESSION,
  method: 'DELETE',
  path: '/internal/projects/:id/people/:user_id',
  grantsLastingAccess: false,
  summary: 'Remove a member from a project',
  params: PersonParams,
})

/** Cross-field rules of a project body, whose fields have not been validated yet. */
function validateDatesAndStatuses({
  start_date,
  target_date,
  statuses,
}: Readonly<Record<string, unknown>>) {
  const errors: FieldError[] = []
  const hasBothDates = typeof start_date === 'string' && typeof target_date === 'string'
  if (hasBothDates && start_date > target_date) {
    errors.push(fieldError('start_date', 'invalid_range', 'must not be after `target_date`'))
  }
  if (Array.isArray(statuses) && statuses.length <= MAX_STATUSES) {
    errors.push(...validateStatuses(statuses))
  }
  return errors
}
