import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import {
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
  Search,
  type Static,
  Text,
  Timestamp,
  Whole,
} from '#wire/schema.ts'

export const STATUS_CATEGORIES = [
  'backlog',
  'unstarted',
  'started',
  'completed',
  'canceled',
] as const
export type StatusCategory = (typeof STATUS_CATEGORIES)[number]

export const STATUS_KEY = '^[a-z][a-z0-9_]{0,39}$'
export const MOST_STATUSES = 30
export const PREFIX = '^[A-Z][A-Z0-9]{1,9}$'

export type Status = Static<typeof Status>
export const Status = Fields({
  key: Pattern(STATUS_KEY),
  name: Line(1, 50),
  category: OneOf(STATUS_CATEGORIES),
  color: Color(),
  position: Whole(0, MOST_STATUSES - 1),
})

const Count = Whole(0, Number.MAX_SAFE_INTEGER)

export type Project = Static<typeof Project>
export const Project = Type.Object(
  {
    id: Id('prj'),
    name: Line(1, 100),
    prefix: Pattern(PREFIX, { description: 'Prefix of the short ids of its tasks.' }),
    description: Nullable(Text(0, 65_536)),
    color: Color(),
    icon: Nullable(Line(1, 32)),
    status: OneOf(['active', 'archived']),
    archived_at: Nullable(Timestamp()),
    lead_id: Nullable(Id('usr')),
    visibility: OneOf(['workspace', 'private']),
    start_date: Nullable(Day()),
    target_date: Nullable(Day()),
    statuses: List(Status, { minItems: 1, maxItems: MOST_STATUSES }),
    task_counts: Fields({
      total: Count,
      backlog: Count,
      unstarted: Count,
      started: Count,
      completed: Count,
      canceled: Count,
    }),
    url: Type.String({ description: 'Its page in the web app.' }),
    created_by_id: Id('usr'),
    created_at: Timestamp(),
    updated_at: Timestamp({ description: 'Does not move with its tasks.' }),
  },
  { title: 'Project', additionalProperties: false },
)

export const OneProject = Fields({ id: Id('prj') })

export const listProjects = endpoint({
  method: 'GET',
  path: '/api/v1/projects',
  scope: 'projects:read',
  limit: 'workspace',
  tag: 'Projects',
  summary: 'List projects',
  query: ListQuery(['created_at', 'updated_at', 'name'], {
    status: Optional(OneOf(['active', 'archived'])),
    q: Search,
    lead_id: Optional(Id('usr')),
    updated_since: Optional(Timestamp()),
  }),
  reply: PageOf(Project),
})

export const getProject = endpoint({
  method: 'GET',
  path: '/api/v1/projects/:id',
  scope: 'projects:read',
  limit: 'workspace',
  tag: 'Projects',
  summary: 'Get a project',
  params: OneProject,
  reply: Project,
  conditions: 'compared',
})
