import type { ImportedTask } from '#resources/imports/imported-task.ts'
import type { ImportWarning } from '#resources/imports/internal.ts'
import type { ImportPlan, ProjectDetails } from '#resources/imports/load.ts'
import type { StatusCategory } from '#resources/projects/contract.ts'

/** An uploaded file. */
export interface ImportFile {
  filename: string
  size: number
  /** All bytes, or those from `start` up to but not including `end`. */
  bytes(start?: number, end?: number): AsyncIterable<Uint8Array>
}

/**
 * A row as parsed. Its warnings are for the person who imports, and never refuse the row. What they
 * are about belongs into `row.notes`, too, so that no text is lost.
 */
export interface ParsedRow {
  row: ImportedTask
  warnings: ImportWarning[]
}

/**
 * The result of a reader. A table also has its headers and the field chosen for each column.
 * Statuses have categories if the file holds them.
 */
export interface ParsedFile {
  headers?: string[]
  columns?: ImportPlan['columns']
  has_headings?: boolean
  statuses?: ReadonlyMap<string, StatusCategory>
  rows: AsyncIterable<ParsedRow>
  /** What no row holds; complete once all rows have been read. */
  rest?: () => FileRest
}

/** What a file holds beside its tasks. */
export interface FileRest {
  projects?: readonly ProjectDetails[]
  not_taken_over?: ImportPlan['not_taken_over']
  column_values?: ImportPlan['column_values']
}

/** What a reader must know of the workspace and its limits. */
export interface ReaderContext {
  /** A reader that keeps something of each row before it returns the rows must stop after these. */
  maxRows: number
  /** The time zone of the workspace, in which timestamps become days. */
  timezone: string
  /** The day of the import in that time zone, from which rules without a first day begin. */
  today: string
}

/** Reads one kind of file as a stream of rows, so that its size does not matter. */
export type SourceReader = (
  source: ImportFile,
  plan: ImportPlan,
  context: ReaderContext,
) => Promise<ParsedFile>
