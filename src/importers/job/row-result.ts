import type { ImportedTask, RowWarning } from '#resources/imports/imported-task.ts'
import { MAX_IMPORT_FAULTS } from '#resources/imports/internal.ts'

const MAX_TITLE_LENGTH = 200
const MAX_MESSAGE_LENGTH = 500

/** The columns that hold what became of a row. */
export interface RowResult {
  number: number
  place: number | null
  row: string
  task_id: string | null
  fault: string | null
  warning: string | null
}

type RowIdentity = Pick<ImportedTask, 'number' | 'title'>

/**
 * A row that becomes no task. No quota counts it, and a file may unpack to a hundred times its size:
 * so only what the list of faults shows is stored. Beyond the length of that list nothing is, if
 * `failedBefore` rows have failed before.
 */
export function failedRow(
  { number, title }: RowIdentity,
  fault: string,
  failedBefore: number,
): RowResult {
  const result = { number, place: null, task_id: null, warning: null }
  if (failedBefore >= MAX_IMPORT_FAULTS) return { ...result, row: '', fault: null }
  const row = JSON.stringify({ title: shortenTitle({ title }) })
  return { ...result, row, fault: cut(fault, MAX_MESSAGE_LENGTH) }
}

/**
 * The warnings of a row with further ones. A sentence that is there already is not repeated. Null if
 * there are none; the earlier ones if `warnedBefore` rows fill the list that is shown.
 */
export function addWarnings(
  before: string | null,
  { title }: Pick<RowIdentity, 'title'>,
  messages: readonly string[],
  warnedBefore: number,
): string | null {
  const isListed = before !== null || warnedBefore < MAX_IMPORT_FAULTS
  if (messages.length === 0 || !isListed) return before
  const earlier = before === null ? undefined : (JSON.parse(before) as RowWarning)
  const all = new Set(earlier?.messages)
  let length = [...all].reduce((sum, message) => sum + message.length, 0)
  for (const message of messages) {
    if (all.has(message) || length >= MAX_MESSAGE_LENGTH) continue
    const fitted = cut(message, MAX_MESSAGE_LENGTH - length)
    all.add(fitted)
    length += fitted.length
  }
  const warning: RowWarning = {
    title: earlier?.title ?? shortenTitle({ title }),
    messages: [...all],
  }
  return JSON.stringify(warning)
}

/** The title of a row as messages about it show it. */
export const shortenTitle = ({ title }: Pick<RowIdentity, 'title'>): string =>
  cut(title, MAX_TITLE_LENGTH)

const cut = (text: string, length: number) => text.slice(0, length).toWellFormed()
