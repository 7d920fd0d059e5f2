import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import {
  Id,
  ListQuery,
  Nullable,
  PageOf,
  PathId,
  type Static,
  StrictObject,
  Timestamp,
} from '#wire/schema-builders.ts'
import { Comment } from './contract.ts'

const COMMON = { scope: 'session', limit: 'session', tag: 'Comments' } as const

/** A deleted comment that can still be restored. */
export type DeletedComment = Static<typeof DeletedComment>
export const DeletedComment = Type.Object(
  {
    id: Id('cmt'),
    task_id: Id('tsk'),
    task_short_id: Type.String(),
    project_id: Id('prj'),
    author_id: Id('usr'),
    excerpt: Type.String({ description: 'How it begins.' }),
    deleted_at: Timestamp(),
    deleted_by_id: Nullable(Id('usr'), { description: 'Null if the system deleted it.' }),
    purged_at: Timestamp({ description: 'Until then it can be restored.' }),
  },
  { title: 'DeletedComment', additionalProperties: false },
)

export const listDeletedComments = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/internal/trash/comments',
  summary: 'List the deleted comments that you can restore',
  description:
    'The last deleted first. Owners and admins restore the comments of everybody, others their own.',
  query: ListQuery(['-deleted_at'], {}),
  reply: PageOf(DeletedComment),
})

export const restoreComment = endpoint({
  ...COMMON,
  method: 'POST',
  path: '/internal/comments/:id/restore',
  grantsLastingAccess: false,
  summary: 'Restore a deleted comment',
  description: 'A comment that is not deleted stays as it is.',
  params: PathId('cmt'),
  body: StrictObject({}),
  bodyOptional: true,
  reply: Comment,
})
