import { Type } from 'typebox'
import { Fields, Id, Whole } from './schema.ts'

/** The name of a file, as people gave it: never part of a path of ours. */
export const Filename = Type.String({ format: 'filename', minLength: 1, maxLength: 255 })

const properties = {
  id: Id('att'),
  filename: Filename,
  content_type: Type.String(),
  size_bytes: Whole(1, Number.MAX_SAFE_INTEGER),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
}

/** What an operation is handed of an upload: the bytes lie in their place already, under the id. */
export const Upload = Fields(properties)

/** What an operation gives to be downloaded: the bytes that lie under the id. */
export const Download = Fields(properties)
