import { sql } from 'kysely'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import type { Dialect } from '#db/core/dialect.ts'
import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import { command, insertRow, memoizeByShape, query, type Scoped } from '#db/core/statement.ts'
import type { Attachment } from './contract.ts'

/** The JSON of an attachment. Needs its task joined. */
export const attachmentJson = ({ json }: Dialect, $: Scoped) =>
  json<Attachment>('attachments', {
    id: 'word',
    task_id: 'word',
    project_id: { word: [sql.ref('tasks.project_id')] },
    filename: 'plain',
    content_type: 'plain',
    size_bytes: 'whole',
    sha256: 'word',
    url: { word: [sql`${$.base_url}`, '/api/v1/attachments/', sql`attachments.id`, '/content'] },
    created_by_id: 'word',
    created_at: 'word',
  })

/** An attachment of a task that is not deleted, in a project that the actor sees. */
export const attachmentById = query((db, $: Scoped<{ id: string }>, dialect) =>
  db
    .selectFrom('attachments')
    .innerJoin('tasks', 'tasks.id', 'attachments.task_id')
    .innerJoin('projects', 'projects.id', 'tasks.project_id')
    .select([
      'attachments.id',
      'attachments.task_id',
      'attachments.filename',
      'attachments.content_type',
      'attachments.size_bytes',
      'attachments.sha256',
      'attachments.created_by_id',
      'attachments.created_at as revision',
      'tasks.project_id',
      'projects.archived_at',
      attachmentJson(dialect, $).as('json'),
    ])
    .where('attachments.id', '=', $.id)
    .where('tasks.deleted_at', 'is', null)
    .where(isProjectVisible($)),
)

/** The attachments of a task; the caller has checked that the actor sees it. */
export const attachmentsOfTask = memoizeByShape((order: ListOrder) =>
  query((db, $: Scoped<PageWindow & { task_id: string }>, dialect) =>
    paginate(
      db
        .selectFrom('attachments')
        .innerJoin('tasks', 'tasks.id', 'attachments.task_id')
        .select([
          'attachments.id',
          'attachments.created_at as key',
          attachmentJson(dialect, $).as('json'),
        ])
        .where('attachments.task_id', '=', $.task_id),
      $,
      'attachments.id',
      order,
    ),
  ),
)

/** What counts against the limits: attachments of the task, and bytes of the workspace. */
export const attachmentUsage = query((db, $: Scoped<{ task_id: string }>) =>
  db.selectFrom('workspaces').select((is) => [
    is('content_bytes', '+', is.ref('history_bytes')).as('stored'),
    is
      .selectFrom('attachments')
      .select((of) => of.fn.countAll<number>().as('count'))
      .where('task_id', '=', $.task_id)
      .$asScalar()
      .as('count'),
  ]),
)

export const insertAttachment = insertRow(
  'attachments',
  'id',
  'task_id',
  'filename',
  'content_type',
  'size_bytes',
  'sha256',
  'created_by_id',
  'created_at',
)

export const removeAttachment = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('attachments').where('id', '=', $.id),
)

/** Adjusts `attachment_count` of a task. The field is derived, so the task gets no new version. */
export const adjustAttachmentCount = command((db, $: Scoped<{ task_id: string; by: number }>) =>
  db
    .updateTable('tasks')
    .set((task) => ({ attachment_count: task('attachment_count', '+', $.by) }))
    .where('id', '=', $.task_id),
)
