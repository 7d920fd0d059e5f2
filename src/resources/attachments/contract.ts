import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { DownloadableFile, Filename, UploadedFile } from '#wire/file-schemas.ts'
import {
  Id,
  Integer,
  ListQuery,
  Optional,
  PageOf,
  PathId,
  RecordId,
  Sha256,
  type Static,
  StrictObject,
  TaskPathId,
  Timestamp,
} from '#wire/schema-builders.ts'

export type Attachment = Static<typeof Attachment>
export const Attachment = Type.Object(
  {
    id: RecordId('att'),
    task_id: Id('tsk', { description: 'The task that the file is attached to.' }),
    project_id: Id('prj', { description: 'The project of the task.' }),
    filename: Filename,
    content_type: Type.String({
      description:
        'The media type that was sent with the file, or `application/octet-stream`. Docket does not check it.',
    }),
    size_bytes: Integer(1, Number.MAX_SAFE_INTEGER, {
      description: 'The size of the file in bytes.',
    }),
    sha256: Sha256({ description: 'The SHA-256 hash of the file in lower-case hexadecimal.' }),
    url: Type.String({
      description:
        'The address of the file itself. It needs a credential, like every address of the API.',
    }),
    created_by_id: Id('usr', { description: 'The person who attached it.' }),
    created_at: Timestamp({ description: 'When it was attached.' }),
  },
  {
    title: 'Attachment',
    description: 'A file that is attached to a task. It never changes.',
    additionalProperties: false,
  },
)

const AttachmentParams = PathId('att')
const COMMON = { limit: 'workspace', tag: 'Attachments' } as const

export const listTaskAttachments = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/tasks/:id/attachments',
  scope: 'attachments:read',
  operationId: 'listTaskAttachments',
  summary: 'List the attachments of a task',
  description: 'Without their bytes: `url` of each is where to download them.',
  params: TaskPathId,
  query: ListQuery(['created_at'], {}),
  reply: PageOf(Attachment),
})

export const uploadAttachment = endpoint({
  ...COMMON,
  method: 'POST',
  path: '/api/v1/tasks/:id/attachments',
  grantsLastingAccess: false,
  scope: 'attachments:write',
  operationId: 'uploadAttachment',
  summary: 'Upload an attachment',
  description:
    'Send a form with one part named `file`, or the file itself as the body and its name as `filename`. ' +
    'A file has 1 byte to 100 MiB, unless your operator set another limit.',
  params: TaskPathId,
  // Any text: a bad name becomes an error of the field `filename`, in the query as in a form.
  query: StrictObject({
    filename: Optional(
      Type.String({
        format: 'raw',
        description:
          'The name of the file: required if the file is the body, not accepted with a form.',
      }),
    ),
  }),
  body: UploadedFile,
  upload: true,
  reply: Attachment,
  status: 201,
  location: '/api/v1/attachments/:id',
  errors: ['project_archived', 'limit_reached'],
})

export const getAttachment = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/attachments/:id',
  scope: 'attachments:read',
  operationId: 'getAttachment',
  summary: 'Get an attachment',
  description: 'Returns its name, type and size. The file itself is at `url`.',
  params: AttachmentParams,
  reply: Attachment,
  conditions: 'compared',
})

export const downloadAttachment = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/attachments/:id/content',
  scope: 'attachments:read',
  operationId: 'downloadAttachment',
  summary: 'Download an attachment',
  description: 'Returns the file, or the part of it that the header `Range` asks for.',
  params: AttachmentParams,
  reply: DownloadableFile,
  download: true,
  conditions: 'compared',
})

export const deleteAttachment = endpoint({
  ...COMMON,
  method: 'DELETE',
  path: '/api/v1/attachments/:id',
  grantsLastingAccess: false,
  scope: 'attachments:delete',
  operationId: 'deleteAttachment',
  summary: 'Delete an attachment',
  description: 'It cannot be restored.',
  params: AttachmentParams,
  conditions: 'compared',
  roles: 'The person who attached the file, owners and admins.',
  errors: ['insufficient_role', 'project_archived'],
})
