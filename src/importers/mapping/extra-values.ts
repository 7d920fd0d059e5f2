import { foldCase } from '#lib/fold-case.ts'
import { emptyImportedTask, type ImportedTask } from '#resources/imports/imported-task.ts'
import type { ImportWarning } from '#resources/imports/internal.ts'
import { MAX_OBJECT_MEMBERS } from '#resources/tasks/custom-data.ts'
import type { ParsedRow, SourceRow } from '../sources/source.ts'
import { createLossNoter, fitText } from './fit-row.ts'

/** The task of a row: what the source leaves out is unset, and values without a field have a place. */
export function toParsedRow({
  tags = [],
  extra = [],
  losses = [],
  ...fields
}: SourceRow & { number: number }): ParsedRow {
  const colors = tags.flatMap(({ name, color }) => (name && color ? [[name, color] as const] : []))
  const notes = [...(fields.notes ?? [])]
  const warnings: ImportWarning[] = []
  const lose = createLossNoter(notes, warnings)
  for (const { field, text, code } of losses) lose(field, text, code)
  const row = {
    ...emptyImportedTask(fields.number),
    ...fields,
    tags: tags.flatMap(({ name }) => name ?? []),
    ...(colors.length > 0 && { tag_colors: Object.fromEntries(colors) }),
    notes,
  }
  return { row: withExtraValues(row, extra), warnings }
}

/** A value that no field of a task is made for, with the name that the other tool gives it. */
export type ExtraValue = readonly [
  name: string,
  value: string | number | boolean | readonly string[] | null | undefined,
]

const MAX_TEXT_LENGTH = 1_000
const MAX_LIST_LENGTH = 20
const MAX_ENTRY_LENGTH = 200
/** In bytes of JSON: all custom fields of a task. */
const MAX_FIELDS_BYTES = 16_384
const MAX_KEY_LENGTH = 40
/** Further values would only take time: a table has no more columns. */
const MAX_VALUES = 500

/**
 * The row with values that have no field of their own as custom fields. What custom fields cannot
 * hold becomes a line of the description: longer texts, and names in other alphabets.
 */
export function withExtraValues(row: ImportedTask, values: readonly ExtraValue[]): ImportedTask {
  const fields: NonNullable<ImportedTask['custom_fields']> = { ...row.custom_fields }
  const notes = [...(row.notes ?? [])]
  for (const [name, given] of values.slice(0, MAX_VALUES)) {
    const value = cleanValue(given)
    if (value === undefined) continue
    const key = toFieldKey(name, fields)
    if (key !== undefined && fitsField(value) && hasRoom({ ...fields, [key]: value }))
      fields[key] = value
    else notes.push(`${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`)
  }
  return {
    ...row,
    ...(Object.keys(fields).length > 0 && { custom_fields: fields }),
    ...(notes.length > 0 && { notes }),
  }
}

const hasRoom = (fields: object): boolean =>
  Object.keys(fields).length <= MAX_OBJECT_MEMBERS &&
  Buffer.byteLength(JSON.stringify(fields)) <= MAX_FIELDS_BYTES

type CleanValue = string | number | boolean | string[]

function cleanValue(value: ExtraValue[1]): CleanValue | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value === 'boolean') return value
  if (typeof value === 'string') return fitText(value) || undefined
  const entries = [...new Set(value.flatMap((one) => fitText(one) || []))]
  return entries.length === 0 ? undefined : entries
}

function fitsField(value: CleanValue): boolean {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER
  if (typeof value === 'string') return value.length <= MAX_TEXT_LENGTH
  if (!Array.isArray(value)) return true
  return value.length <= MAX_LIST_LENGTH && value.every((entry) => entry.length <= MAX_ENTRY_LENGTH)
}

/** The key of a custom field for a name, such as `story_points`; undefined in other alphabets. */
function toFieldKey(name: string, taken: object): string | undefined {
  const stem = /^[a-z][a-z0-9_]{0,39}$/.test(name) ? name : toStem(name)
  if (stem === undefined || !Object.hasOwn(taken, stem)) return stem
  // With room for a number.
  const beginning = stem.slice(0, MAX_KEY_LENGTH - 3)
  for (let suffix = 2; ; suffix += 1) {
    const key = `${beginning}_${suffix}`
    if (!Object.hasOwn(taken, key)) return key
  }
}

function toStem(name: string): string | undefined {
  const folded = foldCase(name.slice(0, 200))
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
  if (/\p{L}/u.test(folded.replace(/[a-z]/g, ''))) return undefined
  const words = folded
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join('_')
  if (words === '') return undefined
  return (/^[a-z]/.test(words) ? words : `field_${words}`).slice(0, MAX_KEY_LENGTH - 3)
}
