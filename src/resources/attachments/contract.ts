import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { Download, Filename, Upload } from '#wire/file.ts'
import {
  Fields,
  Id,
  ListQuery,
  Optional,
  PageOf,
  type Static,
  Timestamp,
  Whole,
} from '#wire/schema.ts'

export type Attachment = Static<typeof Attachment>
export const Attachment = Type.Object(
  {
    id: Id('att'),
    task_id: Id('tsk'),
    project_id: Id('prj'),
    filename: Filename,
    content_type: Type.String({ description: 'As it was sent; nothing has looked at the bytes.' }),
    size_bytes: Whole(1, Number.MAX_SAFE_INTEGER),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of the bytes, in hex.' }),
    url: Type.String({ description: 'Where the bytes are; it needs a credential too.' }),
    created_by_id: Id('usr'),
    created_at: Timestamp(),
  },
  { title: 'Attachment', additionalProperties: false },
)

const OneTask = Fields({ id: Type.String() })
const OneAttachment = Fields({ id: Id('att') })
const common = { limit: 'workspace', tag: 'Attachments' } as const

export const listAttachments = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/tasks/:id/attachments',
  scope: 'attachments:read',
  summary: 'List the attachments of a task',
  params: OneTask,
  query: ListQuery(['created_at'], {}),
  reply: PageOf(Attachment),
})

export const createAttachment = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/tasks/:id/attachments',
  scope: 'attachments:write',
  summary: 'Attach a file to a task',
  description:
    'The file is the one part of a form, named `file`; or it is the whole body, and `filename` ' +
    'stands in the query. It can be 100 MiB unless the operator has set another limit.',
  params: OneTask,
  // Any text: what is wrong with a name is told as a fault of the field, wherever it stands.
  query: Fields({
    filename: Optional(
      Type.String({ format: 'raw', description: 'Required when the file is the whole body.' }),
    ),
  }),
  body: Upload,
  upload: true,
  reply: Attachment,
  status: 201,
  location: '/api/v1/attachments/:id',
})

export const getAttachment = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/attachments/:id',
  scope: 'attachments:read',
  summary: 'Get an attachment',
  params: OneAttachment,
  reply: Attachment,
  conditions: 'compared',
})

export const getContent = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/attachments/:id/content',
  scope: 'attachments:read',
  summary: 'Download an attachment',
  description: 'The bytes, or one range of them.',
  params: OneAttachment,
  reply: Download,
  download: true,
  conditions: 'compared',
})

export const deleteAttachment = endpoint({
  ...common,
  method: 'DELETE',
  path: '/api/v1/attachments/:id',
  scope: 'attachments:delete',
  summary: 'Delete an attachment',
  description: 'For good. Who attached it, owners and admins may.',
  params: OneAttachment,
  conditions: 'compared',
})
