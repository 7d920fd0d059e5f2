import { Type } from 'typebox'
import { getTask, TASK_FILTERS } from '#resources/tasks/contract.ts'
import { endpoint } from '#wire/endpoint.ts'
import {
  Fields,
  Id,
  List,
  Nullable,
  OneOf,
  OneOrMore,
  Optional,
  PageOf,
  PagingOnly,
  type Static,
  Whole,
} from '#wire/schema.ts'

/** Where one can search, and where something was found: the same, and by its short id. */
export const PLACES = ['title', 'description', 'comments'] as const
export const FOUND_IN = ['short_id', 'title', 'description', 'comment'] as const

const Place = Whole(0, 200)

/** A task that was found, and by what. */
export type FoundTask = Static<typeof FoundTask>
export const FoundTask = Type.Object(
  {
    task: getTask.reply,
    where: OneOf(FOUND_IN),
    comment_id: Nullable(Id('cmt'), { description: 'The newest comment that was found.' }),
    snippet: Fields({
      text: Type.String({
        maxLength: 200,
        description: 'Plain text around the first word found; an ellipsis where it was cut.',
      }),
      ranges: List(Type.Tuple([Place, Place]), {
        description: 'Where words found stand in it: from, and to (exclusive), in UTF-16 units.',
      }),
    }),
  },
  { title: 'FoundTask', additionalProperties: false },
)

export const searchTasks = endpoint({
  method: 'GET',
  path: '/internal/search',
  scope: 'session',
  limit: 'session',
  tag: 'Web app',
  summary: 'Find tasks by words of their title, description or comments',
  description:
    'The task of exactly this short id, then titles, descriptions (with the title) and comments that ' +
    'hold every word as the beginning of one; the newest change first. Each task once. Of very common ' +
    'words only the newest tasks and comments are looked at: then `has_more` without a `next_cursor`.',
  query: Fields({
    ...PagingOnly.properties,
    q: TASK_FILTERS.q,
    in: OneOrMore(OneOf(PLACES)),
    project_id: Optional(Id('prj')),
    assignee_id: TASK_FILTERS.assignee_id,
    author_id: TASK_FILTERS.created_by_id,
  }),
  reply: PageOf(FoundTask),
  far: true,
})
