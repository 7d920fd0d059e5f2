import type { ImportedTask } from '#resources/imports/imported-task.ts'
import {
  type ImportWarning,
  type LossCode,
  OMISSION_KINDS,
  type OmissionKind,
} from '#resources/imports/internal.ts'
import type { ImportPlan, ProjectDetails } from '#resources/imports/load.ts'
import type { StatusCategory } from '#resources/projects/contract.ts'
import { UnreadableFileError } from '../formats/unreadable-file-error.ts'
import type { ExtraValue } from '../mapping/extra-values.ts'

/** An uploaded file. */
export interface ImportFile {
  filename: string
  size: number
  /** All bytes, or those from `start` up to but not including `end`. */
  bytes(start?: number, end?: number): AsyncIterable<Uint8Array>
}

/**
 * A task as a source has it. Its number is its place in the order that people see in the other tool; by default
 * that in which the source yields it. What it leaves out is unset; of names that repeat, one counts.
 */
export interface SourceRow extends Partial<Omit<ImportedTask, 'tags' | 'tag_colors'>> {
  tags?: readonly SourceTag[]
  /** Values that no field of a task is made for. */
  extra?: readonly ExtraValue[]
  /** Values that cannot be read. Each becomes a line of the description, with a warning. */
  losses?: readonly LostValue[]
}

export interface SourceTag {
  name: string | null
  /** Such as `#2563eb`. */
  color?: string | null
}

export interface LostValue {
  code: LossCode
  /** A field of a task, or the name of a column. */
  field: string
  text: string
}

/** A row as parsed. Its warnings are for the person who imports, and never refuse the row. */
export interface ParsedRow {
  row: ImportedTask
  warnings: ImportWarning[]
}

/** What a reader must know of the workspace and its limits. */
export interface ReaderContext {
  /** More rows are refused. A reader that keeps something of each row before it returns one must stop, too. */
  maxRows: number
  /** The time zone of the workspace, in which timestamps become days. */
  timezone: string
  /** The day of the import in that time zone, from which rules without a first day begin. */
  today: string
}

/** A file that is being read, and what it has beside its rows: complete once all have been read. */
export interface SourceReading extends ReaderContext {
  file: ImportFile
  plan: ImportPlan
  /** Categories of statuses by name, where the file has them. */
  statuses: Map<string, StatusCategory>
  projects: ProjectDetails[]
  /** Of a table with any columns: its headers and the field chosen for each column. */
  table: Pick<ImportPlan, 'headers' | 'columns' | 'column_values' | 'has_headings'>
  omissions: OmissionCounter
  /** Returns what is held in memory until the file is read to its end; throws if that is too much. */
  hold<T>(entry: T): T
}

/** Reads one kind of file as a stream of rows, so that its size does not matter. */
export type SourceReader = (reading: SourceReading) => AsyncGenerator<SourceRow>

/** In characters of JSON: what is held in memory while a file is read. */
const MAX_HELD_LENGTH = 67_108_864
/** What an entry takes beside them. */
const ENTRY_LENGTH = 512

export function createReading(
  file: ImportFile,
  plan: ImportPlan,
  context: ReaderContext,
): SourceReading {
  let heldLength = 0
  return {
    ...context,
    file,
    plan,
    statuses: new Map(),
    projects: [],
    table: { headers: [], columns: [], column_values: [], has_headings: undefined },
    omissions: createOmissionCounter(),
    hold(entry) {
      heldLength += JSON.stringify(entry).length + ENTRY_LENGTH
      if (heldLength > MAX_HELD_LENGTH) throw new UnreadableFileError('too_many_entries')
      return entry
    },
  }
}

/** Counts what a file holds and no task gets. */
export type OmissionCounter = ReturnType<typeof createOmissionCounter>

function createOmissionCounter() {
  const counts = new Map<OmissionKind, number>()
  return {
    add(what: OmissionKind, count = 1): void {
      if (Number.isSafeInteger(count) && count > 0)
        counts.set(what, (counts.get(what) ?? 0) + count)
    },
    list: (): ImportPlan['not_taken_over'] =>
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

/** A color as six digits, with or without `#`; null for anything else. */
export const toColor = (text: string | null): string | null => {
  const [, digits] = /^#?([0-9a-f]{6})$/i.exec(text ?? '') ?? []
  return digits === undefined ? null : `#${digits.toLowerCase()}`
}

/** A number that is written as programs write it, otherwise the text: `1.10` stays a version. */
export const toNumberIfPlain = (text: string): string | number =>
  String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text

/** A line of the description that leads to a file or a page: `Attachment: [Plan.pdf](https://…)`. */
export function toLinkNote(label: string, name: string | null, url: string | null): string {
  const title = (name ?? '').replace(/\s+/g, ' ').trim() || (url ?? '')
  // Only what ends the text or the address of a link would break it.
  const text = title.replace(/[[\]\\]/g, '\\$&')
  const target = url !== null && /^https?:\/\/\S+$/.test(url) ? url : null
  const encoded = target?.replaceAll('(', '%28').replaceAll(')', '%29')
  return encoded === undefined ? `${label}: ${text}` : `${label}: [${text}](${encoded})`
}
