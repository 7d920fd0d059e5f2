import fc, { type Arbitrary } from 'fast-check'
import { multipartForm, rawMultipartForm } from '../support/scenario/multipart-form.ts'

/** Query strings with file names: valid, invalid, and missing. */
export const UPLOAD_FILENAMES: Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map(filenameQuery),
  fc
    .constantFrom('a.txt', '../a', 'a\0b', '\u202egnp.exe', 'é'.repeat(255), 'é'.repeat(256), ' ')
    .map(filenameQuery),
  fc.constantFrom('', 'filename=', 'filename=%ff', 'filename=a&filename=b', 'name=a'),
)

function filenameQuery(name: string): string {
  return `filename=${encodeURIComponent(name.toWellFormed())}`
}

/** Content types of uploads. Most claim a form, whether the body is one or not. */
export const UPLOAD_TYPES: Arbitrary<Record<string, string>> = fc.constantFrom(
  rawMultipartForm('').headers,
  rawMultipartForm('').headers,
  rawMultipartForm('').headers,
  ...['text/plain', 'image/svg+xml; charset="x"', 'nothing', '', 'multipart/form-data'].map(
    (type): Record<string, string> => ({ 'content-type': type }),
  ),
)

const fieldNames = fc.constantFrom('file', 'file', 'note', '__proto__', '', 'é')
const formPart = fc
  .record({
    name: fieldNames,
    isFile: fc.boolean(),
    filename: fc.constantFrom('a', '../b', '', 'ü'),
  })
  .map(({ name, isFile, filename }) => ({
    name,
    content: 'Hello',
    ...(isFile && { filename }),
  }))

/** Random bytes, forms, and forms that are cut or have a changed byte. */
export const UPLOAD_BODIES: Arbitrary<string | Buffer> = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom('', 'Hello', '{"a":1}', '--x----boundary', '--x----boundary--\r\n'),
  fc.constant(multipartForm({ name: 'file', filename: 'a', content: 'Hello' })).map(bytesOf),
  fc.array(formPart, { maxLength: 3 }).map((parts) => bytesOf(multipartForm(...parts))),
  fc
    .tuple(fc.array(formPart, { minLength: 1, maxLength: 2 }), fc.nat(), fc.nat({ max: 255 }))
    .map(([parts, at, byte]) => {
      const bytes = bytesOf(multipartForm(...parts))
      if (byte < 128) return bytes.subarray(0, at % bytes.length)
      bytes[at % bytes.length] = byte
      return bytes
    }),
)

function bytesOf({ raw }: { raw: Uint8Array }): Buffer {
  return Buffer.from(raw)
}
