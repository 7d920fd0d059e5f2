import type { Step } from './scenario.ts'

/** One part of a form: a file when it has a `filename`, else a field. */
export interface FormPart {
  name: string
  filename?: string
  type?: string
  content: string | Uint8Array
}

const BOUNDARY = 'x----boundary'

/** A form as a browser sends it: what a step needs of it. */
export function form(...parts: FormPart[]): Required<Pick<Step, 'raw' | 'headers'>> {
  const pieces = parts.flatMap(({ name, filename, type, content }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`
    const kind = type === undefined ? '' : `Content-Type: ${type}\r\n`
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${kind}\r\n`
    return [Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')]
  })
  return asForm(Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]))
}

/** Bytes that say that they are a form. */
export const asForm = (raw: Uint8Array | string) => ({
  raw: Buffer.from(raw),
  headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
})

/** A form with the one file that it should have. */
export const formOf = (filename: string, content: string | Uint8Array = 'Hello', type?: string) =>
  form({ name: 'file', filename, content, ...(type !== undefined && { type }) })
