import { notFound } from '#core/api-error.ts'
import { assertManager } from '#core/managers.ts'
import type { ReadTx } from '#core/transaction.ts'
import { fromJson, type Json } from '#lib/json.ts'
import type { Project, Status } from '#resources/projects/contract.ts'
import type {
  DateOrder,
  Import,
  ImportError,
  ImportErrorCode,
  ImportKind,
  ImportStatus,
  RowError,
} from './internal.ts'
import { importById } from './store.ts'

/** The contents of a file, and how to import them. Stored as JSON in `imports.plan`. */
export interface ImportPlan
  extends Pick<Import, 'latin1' | 'headers' | 'columns' | 'projects' | 'statuses' | 'people'>,
    Pick<Import, 'priorities' | 'date_order' | 'sample' | 'not_taken_over' | 'column_values'> {
  /** Whether the first line of a table names its columns; undefined if the file decides. */
  has_headings?: boolean | undefined
  /** The order of day and month if the file itself shows it; null if it is a question. */
  day_order: DateOrder | null
  /** Whether a row without a status needs one that none of the file's statuses stands for. */
  has_unnamed_status?: boolean
  /** What the file says about its projects beside their names. */
  project_details?: ProjectDetails[]
}

/** What a file says about a project, for the one that the import creates. */
export interface ProjectDetails
  extends Partial<Pick<Project, 'description' | 'color' | 'icon' | 'visibility'>>,
    Partial<Pick<Project, 'start_date' | 'target_date'>> {
  /** The name in the file. */
  name: string
  /** Who leads it: a name of the people in the file. */
  lead?: string
  /** Its statuses in their order, also those that no task has. The plan decides on the categories of others. */
  statuses?: (Pick<Status, 'name'> & Partial<Pick<Status, 'color' | 'category'>>)[]
}

/** The projects that an import has created. Stored as JSON in `imports.made`. */
export interface ImportedRecords {
  /**
   * Project ids, by the name in the file. No object, because a project may have the name of what
   * every object inherits, such as `constructor`.
   */
  projects: Map<string, string>
}

export const EMPTY_IMPORT_PLAN: ImportPlan = {
  latin1: false,
  headers: [],
  column_values: [],
  columns: [],
  projects: [],
  statuses: [],
  people: [],
  sample: [],
  not_taken_over: [],
  priorities: [],
  date_order: null,
  day_order: null,
}

/** Parses `imports.plan`. */
export const parseImportPlan = ({ plan }: { plan: string }): ImportPlan =>
  fromJson(plan as Json<ImportPlan>)

/** Parses `imports.made`. */
export function parseImportedRecords({ made }: { made: string }): ImportedRecords {
  const { projects } = fromJson(made as Json<{ projects: Record<string, string> }>)
  return { projects: new Map(Object.entries(projects)) }
}

export const toImportedRecordsJson = ({ projects }: ImportedRecords): string =>
  JSON.stringify({ projects: Object.fromEntries(projects) })

export const NO_IMPORTED_RECORDS: ImportedRecords = { projects: new Map() }

export type LoadedImport = Awaited<ReturnType<typeof loadImport>>

/** An error that is about no name and no number. */
export const toImportError = (code: ImportErrorCode): ImportError => ({
  code,
  value: '',
  number: null,
})

/** Parses `import_rows.fault`, which is blank for a row without content. */
export const parseRowError = (stored: string): RowError | null =>
  stored === '' ? null : fromJson(stored as Json<RowError>)

/** The import, for owners and admins. */
export async function loadImport(tx: ReadTx, id: string) {
  assertManager(tx)
  const row = await tx.one(importById, { id })
  if (!row) throw notFound()
  return row
}

/** The record of an import, from its row. */
export const toImport = (row: LoadedImport): Import => {
  const { id, filename, size_bytes, row_count, done_count, made_count } = row
  const { failed_count, warned_count, error, created_by_id, created_at, updated_at } = row
  const plan = parseImportPlan(row)
  const { latin1, headers, column_values, columns, projects, statuses, people } = plan
  const { priorities, date_order, sample, not_taken_over, has_headings = null } = plan
  const chosen = projects.flatMap(({ project_id }) => project_id ?? [])
  const created = [...parseImportedRecords(row).projects.values()]
  return {
    id,
    // Only Docket writes these columns, so the casts hold.
    status: row.status as ImportStatus,
    kind: row.kind as ImportKind | null,
    latin1,
    headers,
    column_values,
    has_headings,
    columns,
    projects,
    statuses,
    people,
    priorities,
    date_order,
    sample,
    not_taken_over,
    project_ids: made_count === 0 ? [] : [...new Set([...chosen, ...created])],
    filename,
    size_bytes,
    row_count,
    done_count,
    made_count,
    failed_count,
    warned_count,
    error: error === null ? null : fromJson(error as Json<ImportError>),
    created_by_id,
    created_at,
    updated_at,
  }
}
