import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import {
  Id,
  List,
  ListQuery,
  Nullable,
  Optional,
  PageOf,
  Pattern,
  SingleLineText,
  type Static,
  StrictObject,
  Timestamp,
} from '#wire/schema-builders.ts'

const NUMBER = '[1-9][0-9]*$'
const id = Id('tsk')
const SHORT_ID_IN_WORDS = 'a short id, such as ENG-42'
const short_id = Pattern(`^[A-Z][A-Z0-9]{1,9}-${NUMBER}`, SHORT_ID_IN_WORDS)
const title = SingleLineText(1, 500)
const COMMON = {
  method: 'GET',
  scope: 'session',
  limit: 'session',
  tag: 'Web app',
} as const

const DELETED_TASK = {
  id,
  short_id,
  title,
  project_id: Id('prj'),
  created_by_id: Id('usr'),
  deleted_at: Timestamp(),
  deleted_by_id: Nullable(Id('usr'), {
    description: 'Null where it was nobody, or is not known.',
  }),
  purged_at: Timestamp({ description: 'Until then it can be restored.' }),
}

/** A deleted task that can still be restored. */
export type DeletedTask = Static<typeof DeletedTask>
export const DeletedTask = Type.Object(DELETED_TASK, {
  title: 'Trashed',
  additionalProperties: false,
})

/** A deleted task in the list of the trash. */
export type ListedDeletedTask = Static<typeof ListedDeletedTask>
export const ListedDeletedTask = StrictObject({
  ...DELETED_TASK,
  subtask_count: Type.Integer({
    minimum: 0,
    description: 'The number of direct subtasks that were deleted with it, and come back with it.',
  }),
})

export const getDeletedTask = endpoint({
  ...COMMON,
  path: '/internal/tasks/:id/trash',
  summary: 'Get a deleted task that can be restored',
  params: StrictObject({ id: Type.String() }),
  reply: DeletedTask,
})

export const listDeletedTasks = endpoint({
  ...COMMON,
  path: '/internal/trash',
  summary: 'List the deleted tasks that can be restored',
  description:
    'The last deleted first. A subtask that was deleted with its parent is left out: it comes back with it.',
  query: ListQuery(['-deleted_at'], {}),
  reply: PageOf(ListedDeletedTask),
})

export const listSimilarTasks = endpoint({
  ...COMMON,
  path: '/internal/near',
  summary: 'Find tasks with similar short ids',
  query: StrictObject({
    short_id: Optional(Pattern(`^[A-Za-z][A-Za-z0-9]{1,9}-${NUMBER}`, SHORT_ID_IN_WORDS)),
  }),
  reply: StrictObject({ data: List(StrictObject({ id, short_id, title }), { maxItems: 5 }) }),
})
