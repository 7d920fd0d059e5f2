import fc, { type Arbitrary } from 'fast-check'
import { asForm, form } from '../../support/form.ts'

/** Names of files, as they go into an address: good, bad, and none. */
export const FILENAMES: Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map(asked),
  fc
    .constantFrom('a.txt', '../a', 'a\0b', '\u202egnp.exe', 'é'.repeat(255), 'é'.repeat(256), ' ')
    .map(asked),
  fc.constantFrom('', 'filename=', 'filename=%ff', 'filename=a&filename=b', 'name=a'),
)

function asked(name: string): string {
  return `filename=${encodeURIComponent(name.toWellFormed())}`
}

/** What the body says that it is; most say that it is a form, which it may be or not. */
export const UPLOAD_TYPES: Arbitrary<Record<string, string>> = fc.constantFrom(
  ...[asForm('').headers, asForm('').headers, asForm('').headers],
  ...['text/plain', 'image/svg+xml; charset="x"', 'nothing', '', 'multipart/form-data'].map(
    (type): Record<string, string> => ({ 'content-type': type }),
  ),
)

const names = fc.constantFrom('file', 'file', 'note', '__proto__', '', 'é')
const part = fc
  .record({ name: names, isFile: fc.boolean(), filename: fc.constantFrom('a', '../b', '', 'ü') })
  .map(({ name, isFile, filename }) => ({
    ...{ name, content: 'Hello' },
    ...(isFile && { filename }),
  }))

/** Bytes of any kind, forms, and forms that are cut or have a byte changed. */
export const UPLOADS: Arbitrary<string | Buffer> = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom('', 'Hello', '{"a":1}', '--x----boundary', '--x----boundary--\r\n'),
  fc.constant(form({ name: 'file', filename: 'a', content: 'Hello' })).map(bytesOf),
  fc.array(part, { maxLength: 3 }).map((parts) => bytesOf(form(...parts))),
  fc
    .tuple(fc.array(part, { minLength: 1, maxLength: 2 }), fc.nat(), fc.nat({ max: 255 }))
    .map(([parts, at, byte]) => {
      const bytes = bytesOf(form(...parts))
      if (byte < 128) return bytes.subarray(0, at % bytes.length)
      bytes[at % bytes.length] = byte
      return bytes
    }),
)

function bytesOf({ raw }: { raw: Uint8Array }): Buffer {
  return Buffer.from(raw)
}
