import type { ScenarioStep } from './scenario.ts'

/** One part of a form: a file if it has a `filename`, otherwise a field. */
export interface FormPart {
  name: string
  filename?: string
  type?: string
  content: string | Uint8Array
}

const BOUNDARY = 'x----boundary'

/** A multipart form as a browser sends it, to be spread into a scenario step. */
export function multipartForm(
  ...parts: FormPart[]
): Required<Pick<ScenarioStep, 'raw' | 'headers'>> {
  const pieces = parts.flatMap(({ name, filename, type, content }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`
    const kind = type === undefined ? '' : `Content-Type: ${type}\r\n`
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${kind}\r\n`
    return [Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')]
  })
  return rawMultipartForm(Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]))
}

/** Arbitrary bytes declared as a multipart form. */
export const rawMultipartForm = (raw: Uint8Array | string) => ({
  raw: Buffer.from(raw),
  headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
})

/** A form with a single file in the field `file`. */
export const singleFileForm = (
  filename: string,
  content: string | Uint8Array = 'Hello',
  type?: string,
) => multipartForm({ name: 'file', filename, content, ...(type !== undefined && { type }) })
