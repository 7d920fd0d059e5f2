import { sql } from 'kysely'
import { Type } from 'typebox'
import { defineArchivePart, defineRecord, PositiveInteger, UserId } from '#resources/noun.ts'
import { Filename } from '#wire/file-schemas.ts'
import { Id, Sha256, StrictObject, StringEnum, Timestamp } from '#wire/schema-builders.ts'
import { Attachment } from './contract.ts'
import { attachmentJson } from './store.ts'

export const attachmentRecord = defineRecord('attachment', {
  schema: Attachment,
  events: {
    created: 'A file was attached to a task.',
    deleted: 'An attachment was deleted, other than with its task.',
  },
  table: 'attachments',
  idPrefix: 'att',
  rank: 7,
  of: 'task',
  // The index of attachments by task is not in this order. By the id alone, SQLite would read all of
  // the workspace for each task, to sort none.
  order: sql`attachments.id || ''`,
  json: attachmentJson,
})

/** `file` is `lost` if the bytes could not be read when the archive was made. */
export const archivedAttachments = defineArchivePart({
  line: StrictObject({
    id: Id('att'),
    task_id: Id('tsk'),
    filename: Filename,
    content_type: Type.String({ maxLength: 65_536 }),
    size_bytes: PositiveInteger,
    sha256: Sha256(),
    file: StringEnum(['here', 'lost']),
    created_by_id: UserId,
    created_at: Timestamp(),
  }),
  table: 'attachments',
  added: ['file'],
  people: ['created_by_id'],
})
