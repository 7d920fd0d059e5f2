import { foldCase } from '#lib/fold-case.ts'
import type { ImportedTask } from '#resources/imports/imported-task.ts'
import { OMISSION_KINDS, type OmissionKind } from '#resources/imports/internal.ts'
import type { ImportPlan } from '#resources/imports/load.ts'
import { MAX_OBJECT_MEMBERS } from '#resources/tasks/custom-data.ts'

/** Counts what a file holds and no task gets. */
export interface OmissionCounter {
  add(what: OmissionKind, count?: number): void
  list(): ImportPlan['not_taken_over']
}

export function createOmissionCounter(): OmissionCounter {
  const counts = new Map<OmissionKind, number>()
  return {
    add(what, count = 1) {
      if (Number.isSafeInteger(count) && count > 0)
        counts.set(what, (counts.get(what) ?? 0) + count)
    },
    list: () =>
      OMISSION_KINDS.flatMap((what) => {
        const count = counts.get(what) ?? 0
        return count === 0 ? [] : { what, count }
      }),
  }
}

/** Tells projects of the same name apart: the second `Tasks` becomes `Tasks (2)`. */
export function createUniqueNames(): (name: string) => string {
  const counts = new Map<string, number>()
  return (name) => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count === 1 ? name : `${name} (${count})`
  }
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
  if (typeof value === 'string') return cleanText(value) || undefined
  const entries = [...new Set(value.flatMap((one) => cleanText(one) || []))]
  return entries.length === 0 ? undefined : entries
}

/** Without the characters that the API refuses in texts. */
const cleanText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/(?![\t\n\r])\p{Cc}/gu, '')
    .trim()

function fitsField(value: CleanValue): boolean {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER
  if (typeof value === 'string') return value.length <= MAX_TEXT_LENGTH
  if (!Array.isArray(value)) return true
  return value.length <= MAX_LIST_LENGTH && value.every((entry) => entry.length <= MAX_ENTRY_LENGTH)
}

const FIELD_KEY = /^[a-z][a-z0-9_]{0,39}$/

/** The key of a custom field for a name, such as `story_points`; undefined in other alphabets. */
function toFieldKey(name: string, taken: object): string | undefined {
  if (FIELD_KEY.test(name) && !Object.hasOwn(taken, name)) return name
  const stem = toStem(name)
  let key = stem
  for (let suffix = 2; stem !== undefined && Object.hasOwn(taken, key ?? ''); suffix += 1)
    key = `${stem}_${suffix}`
  return key
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
  // With room for a number.
  return (/^[a-z]/.test(words) ? words : `field_${words}`).slice(0, MAX_KEY_LENGTH - 3)
}

/** A number that is written as programs write it, otherwise the text: `1.10` stays a version. */
export const toNumberIfPlain = (text: string): string | number =>
  String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text

/** A line of the description that leads to a file or a page: `Attachment: [Plan.pdf](https://…)`. */
export function toLinkNote(label: string, name: string | null, url: string | null): string {
  const title = cleanText(name ?? '').replace(/\s+/g, ' ') || (url ?? '')
  // Only what ends the text or the address of a link would break it.
  const text = title.replace(/[[\]\\]/g, '\\$&')
  const target = url !== null && /^https?:\/\/\S+$/.test(url) ? url : null
  const encoded = target?.replaceAll('(', '%28').replaceAll(')', '%29')
  return encoded === undefined ? `${label}: ${text}` : `${label}: [${text}](${encoded})`
}
