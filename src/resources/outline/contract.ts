import { Type } from 'typebox'
import { OneProject } from '#resources/projects/contract.ts'
import { getTask, TASK_FILTERS } from '#resources/tasks/contract.ts'
import { endpoint } from '#wire/endpoint.ts'
import {
  Fields,
  Flag,
  List,
  OneOf,
  OneOrMore,
  Optional,
  Pattern,
  type Static,
  Whole,
} from '#wire/schema.ts'

export const GROUPS = ['status', 'assignee', 'priority', 'tag', 'due', 'parent', 'none'] as const
export const SORTS = [
  ...['position', 'priority', 'due_date', 'created_at', 'updated_at', 'title', 'number'],
] as const

const Count = Whole(0, Number.MAX_SAFE_INTEGER)
const IdOrNone = (prefix: string) => Pattern(`^(none|${prefix}_[0-9a-hjkmnp-tv-z]{26})$`)
const { deleted: _, ...FILTERS } = TASK_FILTERS

/** A view of a project: numbers of its tasks in their order, by group. */
export type Outline = Static<typeof Outline>
export const Outline = Type.Object(
  {
    total: Whole(0, Number.MAX_SAFE_INTEGER, { description: 'Each task counts once.' }),
    open: Whole(0, Number.MAX_SAFE_INTEGER, { description: 'Neither completed nor canceled.' }),
    overdue: Whole(0, Number.MAX_SAFE_INTEGER, {
      description: 'Open and due before today in the zone of the person.',
    }),
    estimate_seconds: Count,
    time_spent_seconds: Count,
    groups: List(
      Fields({
        key: Type.String({
          description:
            'A status, a priority, an id, the number of a parent, overdue, today, this_week, ' +
            'next_week or later; none; all where nothing is grouped.',
        }),
        count: Count,
        estimate_seconds: Count,
        time_spent_seconds: Count,
        numbers: List(Whole(1, Number.MAX_SAFE_INTEGER)),
      }),
    ),
    parents: Type.Record(Type.String(), Whole(1, Number.MAX_SAFE_INTEGER), {
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
      List(List(Whole(1, Number.MAX_SAFE_INTEGER), { minItems: 2, maxItems: 2 }), {
        description:
          'With them: the number of a task of the project, and of one that waits for it.',
      }),
    ),
    notice: Type.String({ description: 'The newest notice when this was read.' }),
    rows: Type.Optional(List(getTask.reply, { description: 'The first of them, if asked for.' })),
  },
  { title: 'Outline', additionalProperties: false },
)

const common = { scope: 'session', limit: 'session', tag: 'Web app', params: OneProject } as const

export const getOutline = endpoint({
  ...common,
  method: 'GET',
  path: '/internal/projects/:id/index',
  summary: 'Get the numbers of the tasks of a view, in order and by group',
  description: 'A task with several people or tags stands in the group of each.',
  query: Fields({
    ...FILTERS,
    not_assignee_id: OneOrMore(IdOrNone('usr')),
    not_created_by_id: OneOrMore(Pattern('^usr_[0-9a-hjkmnp-tv-z]{26}$')),
    not_tag_id: OneOrMore(IdOrNone('tag')),
    due: Optional(OneOf(['none', 'any'], { description: 'Without a due date, or with any.' })),
    group: Optional(OneOf(GROUPS, { default: 'none' })),
    rows: Optional(
      Whole(1, 100, { description: 'So many of the first tasks come along, in full.' }),
    ),
    spans: Optional(
      Flag({ description: 'When its tasks begin and are due, and what blocks them.' }),
    ),
    sort: Optional(OneOf([...SORTS, ...SORTS.map((sort) => `-${sort}` as const)])),
  }),
  reply: Outline,
})

export const getRows = endpoint({
  ...common,
  method: 'GET',
  path: '/internal/projects/:id/rows',
  summary: 'Get tasks of a project by their numbers',
  description: 'In the order asked; what is unknown or deleted is left out.',
  query: Fields({ numbers: OneOrMore(Pattern('^[1-9][0-9]{0,8}$'), 100) }),
  reply: Fields({ data: List(getTask.reply) }),
})
