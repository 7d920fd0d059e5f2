import { Type } from 'typebox'
import { ProjectParams } from '#resources/projects/contract.ts'
import { getTask, TASK_FILTERS } from '#resources/tasks/contract.ts'
import { endpoint } from '#wire/endpoint.ts'
import {
  CommaSeparated,
  Flag,
  Id,
  Integer,
  List,
  Optional,
  Pattern,
  type Static,
  StrictObject,
  StringEnum,
  WordOrId,
} from '#wire/schema-builders.ts'

export const TASK_GROUPS = [
  'status',
  'assignee',
  'priority',
  'tag',
  'due',
  'parent',
  'none',
] as const
export const TASK_SORTS = [
  'position',
  'priority',
  'due_date',
  'created_at',
  'updated_at',
  'title',
  'number',
] as const

/** The page of a project knows the prefix from its address before it knows the id. */
const ProjectIdOrPrefix = StrictObject({
  id: Type.String({
    description: 'The id of the project, or its prefix, such as `ENG`.',
    examples: ['ENG'],
  }),
})

const Count = Integer(0, Number.MAX_SAFE_INTEGER)
const IdOrNone = (prefix: string) => WordOrId(['none'], prefix)
const { deleted: _, ...TASK_LIST_FILTERS } = TASK_FILTERS

/** The tasks of a project as sorted lists of task numbers, one for each group. */
export type ProjectTaskIndex = Static<typeof ProjectTaskIndex>
export const ProjectTaskIndex = Type.Object(
  {
    project_id: Id('prj'),
    total: Integer(0, Number.MAX_SAFE_INTEGER, { description: 'Each task counts once.' }),
    open: Integer(0, Number.MAX_SAFE_INTEGER, { description: 'Neither completed nor canceled.' }),
    overdue: Integer(0, Number.MAX_SAFE_INTEGER, {
      description: 'Open and due before today in the zone of the person.',
    }),
    estimate_seconds: Count,
    time_spent_seconds: Count,
    groups: List(
      StrictObject({
        key: Type.String({
          description:
            'A status, a priority, an id, the number of a parent, overdue, today, this_week, ' +
            'next_week or later; none; all where nothing is grouped.',
        }),
        count: Count,
        estimate_seconds: Count,
        time_spent_seconds: Count,
        numbers: List(Integer(1, Number.MAX_SAFE_INTEGER)),
      }),
    ),
    parents: Type.Record(Type.String(), Integer(1, Number.MAX_SAFE_INTEGER), {
      description: 'Of the subtasks among them: the number of the parent, by their own.',
    }),
    spans: Type.Optional(
      List(List(Type.Union([Type.Integer(), Type.Null()]), { minItems: 3, maxItems: 3 }), {
        description:
          'If asked for: number, start and due of the tasks that have one of these, and of those that ' +
          'block them, as days since 1970-01-01.',
      }),
    ),
    blocks: Type.Optional(
      List(List(Integer(1, Number.MAX_SAFE_INTEGER), { minItems: 2, maxItems: 2 }), {
        description:
          'With them: the number of a task of the project, and of one that waits for it.',
      }),
    ),
    finished: Type.Optional(
      List(Integer(1, Number.MAX_SAFE_INTEGER), {
        description: 'With them: those that block another one, but are completed or canceled.',
      }),
    ),
    notice: Type.String({ description: 'The newest notice when this was read.' }),
    rows: Type.Optional(List(getTask.reply, { description: 'The first of them, if asked for.' })),
  },
  { title: 'Outline', additionalProperties: false },
)

const COMMON = {
  scope: 'session',
  limit: 'session',
  tag: 'Web app',
} as const

export const getProjectIndex = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/internal/projects/:id/index',
  summary: 'Get the numbers of the tasks of a view, in order and by group',
  description: 'A task with several people or tags stands in the group of each.',
  params: ProjectIdOrPrefix,
  query: StrictObject({
    ...TASK_LIST_FILTERS,
    not_assignee_id: CommaSeparated(IdOrNone('usr')),
    not_created_by_id: CommaSeparated(Id('usr')),
    not_tag_id: CommaSeparated(IdOrNone('tag')),
    due: Optional(StringEnum(['none', 'any'], { description: 'Without a due date, or with any.' })),
    group: Optional(StringEnum(TASK_GROUPS, { default: 'none' })),
    rows: Optional(
      Integer(1, 100, { description: 'So many of the first tasks come along, in full.' }),
    ),
    spans: Optional(
      Flag({ description: 'When its tasks begin and are due, and what blocks them.' }),
    ),
    sort: Optional(StringEnum([...TASK_SORTS, ...TASK_SORTS.map((sort) => `-${sort}` as const)])),
  }),
  reply: ProjectTaskIndex,
})

export const getProjectRows = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/internal/projects/:id/rows',
  summary: 'Get tasks of a project by their numbers',
  description: 'In the order asked; what is unknown or deleted is left out.',
  params: ProjectParams,
  query: StrictObject({
    numbers: CommaSeparated(Pattern('^[1-9][0-9]{0,8}$', 'a task number, such as 42'), {
      maxItems: 100,
    }),
  }),
  reply: StrictObject({ data: List(getTask.reply) }),
})
