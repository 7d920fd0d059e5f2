import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ErrorCode, REPLY_ERROR_CODES } from '#wire/error-code.ts'

/** The code of an error reply, as docs/errors.md explains it. */
interface ErrorCodeEntry {
  readonly status: number
  readonly type: string
  readonly code: ErrorCode
  /** What the code says, in Markdown. */
  readonly meaning: string
}

/** docs/errors.md, which is also the page at `/docs/errors`: a section for each status, with a table of codes. */
export const ERRORS_MARKDOWN = readFileSync(
  join(import.meta.dirname, '../../../docs/errors.md'),
  'utf8',
)

const SECTIONS = ERRORS_MARKDOWN.split(/^## /m).slice(1)

/** The rows of the table in a section: code and meaning. */
const readRows = (section: string): [code: string, meaning: string][] =>
  [...section.matchAll(/^\| `(\w+)` \| (.+?) \| .+ \|$/gm)].map(([, code = '', meaning = '']) => [
    code,
    meaning.replaceAll('\\|', '|'),
  ])

/** The codes of all error replies, ordered by status. */
export const ERROR_CODES: readonly ErrorCodeEntry[] = SECTIONS.flatMap((section) => {
  const [, status] = /^(\d{3}) /.exec(section) ?? []
  const [, type = ''] = /^The `type` is `(\w+)`/m.exec(section) ?? []
  if (status === undefined) return []
  return readRows(section).map(([name, meaning]) => {
    const code = REPLY_ERROR_CODES.find((one) => one === name)
    if (code === undefined) throw new Error(`docs/errors.md explains no code of replies: ${name}`)
    return { status: Number(status), type, code, meaning }
  })
})

/** The codes in `details` of a 422, with what each of them means. */
export const FIELD_CODE_MEANINGS: Readonly<Record<string, string>> = Object.fromEntries(
  readRows(SECTIONS.find((section) => section.startsWith('Field errors')) ?? ''),
)
