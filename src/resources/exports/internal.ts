import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { DownloadableFile, Filename } from '#wire/file-schemas.ts'
import {
  Id,
  Integer,
  List,
  Nullable,
  type Static,
  StrictObject,
  StringEnum,
  Timestamp,
} from '#wire/schema-builders.ts'

const EXPORT_STATUSES = ['running', 'ready', 'failed', 'expired'] as const
export type ExportStatus = (typeof EXPORT_STATUSES)[number]

export type Export = Static<typeof Export>
export const Export = Type.Object(
  {
    id: Id('exp'),
    status: StringEnum(EXPORT_STATUSES),
    filename: Filename,
    size_bytes: Integer(0, Number.MAX_SAFE_INTEGER),
    progress: Type.String({ description: 'What was written last, while it runs.' }),
    error: Nullable(Type.String({ description: 'Why it failed, as a sentence.' })),
    created_by_id: Id('usr'),
    created_at: Timestamp(),
    expires_at: Nullable(Timestamp({ description: 'Until when it can be downloaded.' })),
  },
  { title: 'Export', additionalProperties: false },
)

const SESSION = { scope: 'session', limit: 'session', tag: 'Exports' } as const

export const listExports = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/exports',
  summary: 'List the latest archives of the workspace',
  reply: StrictObject({ data: List(Export) }),
})

export const createExport = endpoint({
  ...SESSION,
  limit: 'transfer',
  method: 'POST',
  path: '/internal/exports',
  grantsLastingAccess: true,
  summary: 'Create an archive of the workspace',
  description: 'In the background; it can be downloaded for 24 hours. `docket import` reads it.',
  body: StrictObject({}),
  bodyOptional: true,
  reply: Export,
  status: 201,
})

export const getExportContent = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'GET',
  path: '/internal/exports/:id/content',
  grantsLastingAccess: true,
  summary: 'Download an archive of the workspace',
  params: StrictObject({ id: Id('exp') }),
  reply: DownloadableFile,
  download: true,
  auditAction: 'export.downloaded',
  conditions: 'compared',
})
