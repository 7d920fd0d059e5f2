import { sql } from 'kysely'
import { defineArchivePart, defineRecord, NullableTimestamp, UserId } from '#resources/noun.ts'
import { RecordSource } from '#wire/record-fields.ts'
import { Id, StrictObject, Timestamp } from '#wire/schema-builders.ts'
import { Comment } from './contract.ts'
import { commentJson } from './store.ts'

export const commentRecord = defineRecord('comment', {
  schema: Comment,
  events: {
    created: 'Somebody commented on a task.',
    updated: 'The text of a comment was changed.',
    deleted: 'A comment was deleted, other than with its task.',
  },
  table: 'comments',
  idPrefix: 'cmt',
  rank: 5,
  of: 'task',
  join: sql`join users on users.id = comments.author_id`,
  json: commentJson,
})

const comment = Comment.properties

export const archivedComments = defineArchivePart({
  line: StrictObject({
    id: Id('cmt'),
    task_id: Id('tsk'),
    author_id: UserId,
    body: comment.body,
    parent_id: comment.parent_id,
    mentions: comment.mentions,
    source: RecordSource,
    edited_at: NullableTimestamp,
    created_at: Timestamp(),
    updated_at: Timestamp(),
  }),
  table: 'comments',
  json: ['mentions'],
  people: ['author_id', 'mentions'],
})
