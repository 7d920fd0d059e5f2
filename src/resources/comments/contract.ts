import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import {
  Body,
  Fields,
  Id,
  List,
  ListQuery,
  Nullable,
  Optional,
  PageOf,
  Pattern,
  Reference,
  type Static,
  Text,
  Timestamp,
} from '#wire/schema.ts'
import { Source } from '#wire/source.ts'

export type Comment = Static<typeof Comment>
export const Comment = Type.Object(
  {
    id: Id('cmt'),
    task_id: Id('tsk'),
    author_id: Id('usr'),
    author: Fields({
      id: Id('usr'),
      name: Type.String(),
      avatar_url: Nullable(Type.String()),
    }),
    body: Text(1, 65_536, { description: 'Markdown; `<@usr_…>` mentions a member.' }),
    parent_id: Nullable(Id('cmt'), {
      description: 'The comment that it replies to; kept when that one is deleted.',
    }),
    mentions: List(Id('usr'), {
      maxItems: 50,
      description: 'Active members who see the project and are named in `body`, in that order.',
    }),
    source: Source,
    edited_at: Nullable(Timestamp({ description: 'Last change of `body`.' })),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  { title: 'Comment', additionalProperties: false },
)

const { body } = Comment.properties
const OneTask = Fields({ id: Type.String() })
const OneComment = Fields({ id: Id('cmt') })
const common = { limit: 'workspace', tag: 'Comments' } as const

export const listComments = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/tasks/:id/comments',
  scope: 'comments:read',
  summary: 'List the comments of a task',
  description: 'Replies included.',
  params: OneTask,
  query: ListQuery(['created_at'], {
    author_id: Optional(Pattern('^(me|usr_[0-9a-hjkmnp-tv-z]{26})$')),
    updated_since: Optional(Timestamp()),
  }),
  reply: PageOf(Comment),
})

export const createComment = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/tasks/:id/comments',
  scope: 'comments:write',
  summary: 'Comment on a task',
  params: OneTask,
  body: Body(
    {
      body,
      parent_id: Optional(
        Nullable(Reference('cmt'), { description: 'The comment to reply to: one level only.' }),
      ),
    },
    Comment,
  ),
  reply: Comment,
  status: 201,
  location: '/api/v1/comments/:id',
  dryRun: true,
})

export const getComment = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/comments/:id',
  scope: 'comments:read',
  summary: 'Get a comment',
  params: OneComment,
  reply: Comment,
  conditions: 'compared',
})

export const updateComment = endpoint({
  ...common,
  method: 'PATCH',
  path: '/api/v1/comments/:id',
  scope: 'comments:write',
  summary: 'Edit a comment',
  description: 'Only its author may.',
  params: OneComment,
  body: Body({ body: Optional(body) }, Comment),
  reply: Comment,
  dryRun: true,
  conditions: 'compared',
})

export const deleteComment = endpoint({
  ...common,
  method: 'DELETE',
  path: '/api/v1/comments/:id',
  scope: 'comments:delete',
  summary: 'Delete a comment',
  description: 'For good. Its author, owners and admins may; replies to it stay.',
  params: OneComment,
  dryRun: true,
  conditions: 'compared',
})
