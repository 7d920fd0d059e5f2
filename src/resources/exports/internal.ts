import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { Download, Filename } from '#wire/file.ts'
import { Fields, Id, List, Nullable, OneOf, type Static, Timestamp, Whole } from '#wire/schema.ts'

export const STATES = ['running', 'ready', 'failed', 'expired'] as const
export type State = (typeof STATES)[number]

export type Export = Static<typeof Export>
export const Export = Type.Object(
  {
    id: Id('exp'),
    status: OneOf(STATES),
    filename: Filename,
    size_bytes: Whole(0, Number.MAX_SAFE_INTEGER),
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
  reply: Fields({ data: List(Export) }),
})

export const createExport = endpoint({
  ...SESSION,
  method: 'POST',
  path: '/internal/exports',
  summary: 'Make an archive of the workspace',
  description: 'In the background; it can be downloaded for 24 hours. `docket import` reads it.',
  body: Fields({}),
  bodyOptional: true,
  reply: Export,
  status: 201,
})

export const getExportContent = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/exports/:id/content',
  summary: 'Download an archive of the workspace',
  params: Fields({ id: Id('exp') }),
  reply: Download,
  download: true,
  audited: 'export.downloaded',
  conditions: 'compared',
})
