import { Type } from 'typebox'
import { getTask, TASK_FILTERS } from '#resources/tasks/contract.ts'
import { endpoint } from '#wire/endpoint.ts'
import {
  CommaSeparated,
  Id,
  Integer,
  List,
  Nullable,
  Optional,
  PageOf,
  PagingQuery,
  type Static,
  StrictObject,
  StringEnum,
} from '#wire/schema-builders.ts'

/**
 * The fields that can be searched, and those in which a match can be, which include the short id.
 */
export const SEARCH_FIELDS = ['title', 'description', 'comments'] as const
export const MATCH_FIELDS = ['short_id', 'title', 'description', 'comment'] as const

const TextOffset = Integer(0, 200)

/** A matching task, and where the match is. */
export type SearchResult = Static<typeof SearchResult>
export const SearchResult = Type.Object(
  {
    task: getTask.reply,
    where: StringEnum(MATCH_FIELDS),
    comment_id: Nullable(Id('cmt'), { description: 'The newest comment that was found.' }),
    snippet: StrictObject({
      text: Type.String({
        maxLength: 200,
        description: 'Plain text around the first word found; an ellipsis where it was cut.',
      }),
      ranges: List(Type.Tuple([TextOffset, TextOffset]), {
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
    'hold every word as the beginning of one, or as a whole word if it is a single letter or digit; only ' +
    'the first eight words count. The newest change is first, each task is returned once. Of very common ' +
    'words only the newest tasks and comments are looked at: then `has_more` without a `next_cursor`.',
  query: StrictObject({
    ...PagingQuery.properties,
    q: TASK_FILTERS.q,
    in: CommaSeparated(StringEnum(SEARCH_FIELDS)),
    project_id: Optional(Id('prj')),
    assignee_id: TASK_FILTERS.assignee_id,
    author_id: TASK_FILTERS.created_by_id,
  }),
  reply: PageOf(SearchResult),
})
