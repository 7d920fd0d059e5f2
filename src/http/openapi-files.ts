import { HEADERS } from './openapi-common.ts'

const text = { schema: { type: 'string' } }
const bytes = { type: 'string', format: 'binary' }

/** How a file comes: in a form, or as the whole body with its own type (contract 7.3). */
export const UPLOAD = {
  required: true,
  content: {
    'multipart/form-data': {
      schema: { type: 'object', required: ['file'], properties: { file: bytes } },
    },
    '*/*': { schema: bytes },
  },
}

const content = { '*/*': { schema: bytes } }
const headers = {
  ...HEADERS,
  'Content-Disposition': text,
  'Content-Security-Policy': text,
  'Accept-Ranges': text,
  ETag: text,
}

/** How a file goes: whole, or the one range that was asked for. */
export const DOWNLOAD = {
  200: { description: 'The file.', headers, content },
  206: {
    description: 'The range of it.',
    headers: { ...headers, 'Content-Range': text },
    content,
  },
  416: {
    description: 'The file ends before the range.',
    headers: { ...HEADERS, 'Content-Range': text },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  },
}
