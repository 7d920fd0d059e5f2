import { Type } from 'typebox'
import { bulkWritesEndpoint } from '#wire/bulk-endpoint.ts'
import { endpoint } from '#wire/endpoint.ts'
import { AVATAR_URL, CREATED_AT, RecordSource, UPDATED_AT } from '#wire/record-fields.ts'
import {
  CommaSeparated,
  FieldOf,
  Id,
  IdReference,
  List,
  ListQuery,
  MultilineText,
  Named,
  Nullable,
  Optional,
  PageOf,
  PathId,
  RecordId,
  RequestBody,
  RequestId,
  type Static,
  StrictObject,
  TaskPathId,
  Timestamp,
  WordOrId,
} from '#wire/schema-builders.ts'

export const MAX_COMMENT_LENGTH = 65_536
const Body = (description: string) => MultilineText(1, MAX_COMMENT_LENGTH, { description })

export type Comment = Static<typeof Comment>
export const Comment = Type.Object(
  {
    id: RecordId('cmt'),
    task_id: Id('tsk', { description: 'The task that it is about.' }),
    author_id: Id('usr', { description: 'The person who wrote it.' }),
    author: FieldOf(
      StrictObject(
        {
          id: Id('usr', { description: 'The id of the person.' }),
          name: Type.String({ description: 'The name that the person has now.' }),
          avatar_url: Nullable(Type.String(), { description: AVATAR_URL }),
        },
        { title: 'CommentAuthor', description: 'The author of a comment.' },
      ),
      'The person who wrote it, with name and picture.',
    ),
    body: Body('The text in Markdown, in which `<@usr_…>` mentions a member.'),
    parent_id: Nullable(Id('cmt'), {
      description:
        'The comment that it replies to, even if that one was deleted. Null if it is not a reply.',
    }),
    mentions: List(Id('usr'), {
      maxItems: 50,
      description:
        'The people mentioned in `body` outside of code, in that order: active members who can see the project.',
    }),
    source: RecordSource,
    edited_at: Nullable(Timestamp(), {
      description: 'When `body` was last changed. Null if it never was.',
    }),
    created_at: CREATED_AT,
    updated_at: UPDATED_AT,
  },
  { title: 'Comment', description: 'A comment on a task.', additionalProperties: false },
)

const CommentParams = PathId('cmt')
const COMMON = { limit: 'workspace', tag: 'Comments' } as const

/** The filters of every list of comments. */
const COMMENT_FILTERS = {
  author_id: Optional(
    WordOrId(['me'], 'usr', { description: 'Only comments of this person. `me` is you.' }),
  ),
  updated_since: Optional(
    Timestamp({ description: 'Only comments updated at this time or later.' }),
  ),
}

export const listComments = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/comments',
  scope: 'comments:read',
  operationId: 'listComments',
  summary: 'List the comments of the workspace',
  description: 'The comments and replies on all tasks that you can see.',
  query: ListQuery(['-created_at'], {
    ...COMMENT_FILTERS,
    created_after: Optional(
      Timestamp({ description: 'Only comments created at this time or later.' }),
    ),
    created_before: Optional(Timestamp({ description: 'Only comments created before this time.' })),
    task_id: Optional(RequestId('tsk', { description: 'Only comments on this task.' })),
    project_id: CommaSeparated(Id('prj'), {
      description: 'Only comments on tasks that are in one of these projects now.',
    }),
  }),
  reply: PageOf(Comment),
})

export const listTaskComments = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/tasks/:id/comments',
  scope: 'comments:read',
  operationId: 'listTaskComments',
  summary: 'List the comments of a task',
  description: 'Replies are in the same list; `parent_id` is the comment that they reply to.',
  params: TaskPathId,
  query: ListQuery(['created_at'], COMMENT_FILTERS),
  reply: PageOf(Comment),
})

export const createComment = endpoint({
  ...COMMON,
  method: 'POST',
  path: '/api/v1/tasks/:id/comments',
  grantsLastingAccess: false,
  scope: 'comments:write',
  operationId: 'createComment',
  summary: 'Add a comment to a task',
  description: 'To reply to a comment, send its id as `parent_id`. Mentioned members are notified.',
  params: TaskPathId,
  body: Named(
    'CommentCreate',
    RequestBody(
      {
        body: Body(
          'The text in Markdown, which is stored exactly as you send it. `<@usr_…>` mentions a member.',
        ),
        parent_id: Optional(
          Nullable(IdReference('cmt'), {
            description:
              'The comment of the same task to reply to, which must not be a reply itself. Default: null.',
          }),
        ),
      },
      Comment,
    ),
    { description: 'A new comment.' },
  ),
  reply: Comment,
  status: 201,
  location: '/api/v1/comments/:id',
  dryRun: true,
  errors: ['project_archived'],
})

export const getComment = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/comments/:id',
  scope: 'comments:read',
  operationId: 'getComment',
  summary: 'Get a comment',
  description: 'A comment or a reply, with its author.',
  params: CommentParams,
  reply: Comment,
  conditions: 'compared',
})

export const updateComment = endpoint({
  ...COMMON,
  method: 'PATCH',
  path: '/api/v1/comments/:id',
  grantsLastingAccess: false,
  scope: 'comments:write',
  operationId: 'updateComment',
  summary: 'Edit a comment',
  description: 'Changes the text, the mentions and `edited_at`.',
  params: CommentParams,
  body: Named(
    'CommentUpdate',
    RequestBody(
      {
        body: Optional(Body('The new text in Markdown. It also sets `mentions` and `edited_at`.')),
      },
      Comment,
    ),
    { description: 'The changes of a comment.' },
  ),
  reply: Comment,
  dryRun: true,
  conditions: 'compared',
  roles: 'The author of the comment.',
  errors: ['insufficient_role', 'project_archived'],
})

export const deleteComment = endpoint({
  ...COMMON,
  method: 'DELETE',
  path: '/api/v1/comments/:id',
  grantsLastingAccess: false,
  scope: 'comments:delete',
  operationId: 'deleteComment',
  summary: 'Delete a comment',
  description:
    'Replies to it stay. In the app it can be restored for 30 days, unless your operator set another time.',
  params: CommentParams,
  dryRun: true,
  conditions: 'compared',
  roles: 'The author of the comment, owners and admins.',
  errors: ['insufficient_role', 'project_archived'],
})

export const bulkComments = endpoint({
  ...COMMON,
  path: '/api/v1/comments/bulk',
  scope: 'comments:write',
  operationId: 'bulkComments',
  summary: 'Create, edit and delete comments in bulk',
  ...bulkWritesEndpoint(
    'cmt',
    { name: 'Comment', plural: 'Comments' },
    { create: createComment, update: updateComment, delete: deleteComment },
    { task_id: IdReference('tsk', { description: 'The id of the task, or its short id.' }) },
    {
      create: 'Adds a comment to a task.',
      update: 'Edits a comment.',
      delete: 'Deletes a comment.',
    },
  ),
})
