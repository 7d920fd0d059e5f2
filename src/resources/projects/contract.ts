import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { CREATED_AT, CREATED_BY_ID, WEB_APP_URL } from '#wire/record-fields.ts'
import {
  CalendarDay,
  Color,
  FieldOf,
  Id,
  Integer,
  List,
  ListQuery,
  MultilineText,
  Nullable,
  Optional,
  PageOf,
  PathId,
  Pattern,
  RecordId,
  type SchemaOptions,
  SearchText,
  SingleLineText,
  type Static,
  StrictObject,
  StringEnum,
  Timestamp,
} from '#wire/schema-builders.ts'

export const STATUS_CATEGORIES = [
  'backlog',
  'unstarted',
  'started',
  'completed',
  'canceled',
] as const

export type StatusCategory = Static<typeof StatusCategory>
export const StatusCategory = StringEnum(STATUS_CATEGORIES, {
  title: 'StatusCategory',
  description:
    'What a status means in every project. `backlog`: not planned yet. `unstarted`: planned. ' +
    '`started`: in progress. `completed`: done. `canceled`: will not be done.',
})

export const STATUS_KEY_PATTERN = '^[a-z][a-z0-9_]{0,39}$'

/** The key of a status, such as `in_progress`. */
export const StatusKey = (rules: SchemaOptions = {}) =>
  Pattern(STATUS_KEY_PATTERN, 'a status key, such as in_progress', rules)
export const MAX_STATUSES = 30

/** The prefix of the short ids of a project's tasks. */
export const ProjectPrefix = (rules: SchemaOptions = {}) =>
  Pattern('^[A-Z][A-Z0-9]{1,9}$', '2 to 10 capital letters and digits, such as ENG', rules)

export type Status = Static<typeof Status>
export const Status = StrictObject(
  {
    key: StatusKey({ description: 'What tasks have as their `status`; unique in the project.' }),
    name: SingleLineText(1, 50, { description: 'The name that people see.' }),
    category: FieldOf(StatusCategory, 'What the status means.'),
    color: Color({ description: 'The color in the app.' }),
    position: Integer(0, MAX_STATUSES - 1, {
      description: 'The place in the order of the statuses, from 0.',
    }),
  },
  { title: 'Status', description: 'A status that the tasks of a project can have.' },
)

const count = (description: string) => Integer(0, Number.MAX_SAFE_INTEGER, { description })

const ProjectStatus = StringEnum(['active', 'archived'], {
  title: 'ProjectStatus',
  description: '`active`, or `archived`: it can be read, and nothing in it can be changed.',
})
const ProjectVisibility = StringEnum(['workspace', 'private'], {
  title: 'ProjectVisibility',
  description:
    '`workspace`: visible to all members. `private`: only to owners, admins, the lead and the people who were added. ' +
    'Guests see only projects to which they were added.',
})

const TaskCounts = StrictObject(
  {
    total: count('All tasks.'),
    backlog: count('Tasks in the category `backlog`.'),
    unstarted: count('Tasks in the category `unstarted`.'),
    started: count('Tasks in the category `started`.'),
    completed: count('Tasks in the category `completed`.'),
    canceled: count('Tasks in the category `canceled`.'),
  },
  {
    title: 'TaskCounts',
    description: 'Numbers of tasks, with subtasks and without deleted tasks.',
  },
)

export type Project = Static<typeof Project>
export const Project = Type.Object(
  {
    id: RecordId('prj'),
    name: SingleLineText(1, 100, { description: 'The name of the project.' }),
    prefix: ProjectPrefix({
      description: 'The beginning of the short ids of its tasks; unique in the workspace.',
    }),
    description: Nullable(MultilineText(0, 65_536), {
      description: 'Details in Markdown. Null if there are none.',
    }),
    color: Color({ description: 'The color in the app.' }),
    icon: Nullable(SingleLineText(1, 32), {
      description: 'An emoji, or the name of an icon. Null if there is none.',
    }),
    status: FieldOf(ProjectStatus, 'Whether the project is archived.'),
    archived_at: Nullable(Timestamp(), {
      description: 'When the project was archived. Null if it is active.',
    }),
    lead_id: Nullable(Id('usr'), {
      description: 'The member who leads the project. Null if nobody does.',
    }),
    visibility: FieldOf(ProjectVisibility, 'Who sees the project and everything in it.'),
    start_date: Nullable(CalendarDay(), {
      description: 'The day on which the project begins. Null if there is none.',
    }),
    target_date: Nullable(CalendarDay(), {
      description: 'The day on which the project should be done. Null if there is none.',
    }),
    statuses: List(Status, {
      minItems: 1,
      maxItems: MAX_STATUSES,
      description: 'The statuses that its tasks can have, in their order.',
    }),
    task_counts: FieldOf(TaskCounts, 'The number of its tasks, by category of their status.'),
    url: Type.String({ description: WEB_APP_URL }),
    created_by_id: CREATED_BY_ID,
    created_at: CREATED_AT,
    updated_at: Timestamp({
      description: 'When the project itself was last changed. Changes of its tasks do not move it.',
    }),
  },
  {
    title: 'Project',
    description: 'A project, which contains tasks and tags and defines the statuses of its tasks.',
    additionalProperties: false,
  },
)

export const ProjectParams = PathId('prj')

export const listProjects = endpoint({
  method: 'GET',
  path: '/api/v1/projects',
  scope: 'projects:read',
  limit: 'workspace',
  tag: 'Projects',
  operationId: 'listProjects',
  summary: 'List projects',
  description: 'The projects that you can see, archived ones too.',
  query: ListQuery(['created_at', 'updated_at', 'name'], {
    status: Optional(FieldOf(ProjectStatus, 'Only active projects, or only archived ones.')),
    q: SearchText(
      'Only projects with a name in which each of these words is the beginning of a word. ' +
        'A whole prefix finds its project.',
    ),
    lead_id: Optional(Id('usr', { description: 'Only projects that this person leads.' })),
    updated_since: Optional(
      Timestamp({ description: 'Only projects updated at this time or later.' }),
    ),
  }),
  reply: PageOf(Project),
})

export const getProject = endpoint({
  method: 'GET',
  path: '/api/v1/projects/:id',
  scope: 'projects:read',
  limit: 'workspace',
  tag: 'Projects',
  operationId: 'getProject',
  summary: 'Get a project',
  description: 'With its statuses and the number of tasks of each category.',
  params: ProjectParams,
  reply: Project,
  conditions: 'compared',
})
