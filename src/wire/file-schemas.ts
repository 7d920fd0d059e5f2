import { Type } from 'typebox'
import { Id, Integer, Sha256, StrictObject } from './schema-builders.ts'

/** A filename from a user. Never use it in a path of the server. */
export const Filename = Type.String({
  format: 'filename',
  minLength: 1,
  maxLength: 255,
  description: 'The name of the file, without a path.',
})

const properties = {
  id: Id('att'),
  filename: Filename,
  content_type: Type.String(),
  size_bytes: Integer(1, Number.MAX_SAFE_INTEGER),
  sha256: Sha256(),
}

/** An upload as its operation receives it: the bytes are already stored under the id. */
export const UploadedFile = StrictObject(properties)

/** A file that an operation returns for download: its bytes are stored under the id. */
export const DownloadableFile = StrictObject(properties)
