import { fromJson, type Json } from '#lib/json.ts'
import type { Import } from './internal.ts'

/** The contents of a file, and how to import them. Stored as JSON in `imports.plan`. */
export type ImportPlan = Pick<
  Import,
  'latin1' | 'headers' | 'columns' | 'projects' | 'statuses' | 'people' | 'sample'
>

/** The projects and tags that an import has created, for undo. Stored as JSON in `imports.made`. */
export interface ImportedRecords {
  /** Project ids, by the name in the file. */
  projects: Record<string, string>
  /** Ids of tags. */
  tags: string[]
}

export const EMPTY_IMPORT_PLAN: ImportPlan = {
  latin1: false,
  ...{ headers: [], columns: [], projects: [], statuses: [], people: [], sample: [] },
}

export const NO_IMPORTED_RECORDS: ImportedRecords = { projects: {}, tags: [] }

export const parseImportPlan = ({ plan }: { plan: string }): ImportPlan =>
  fromJson(plan as Json<ImportPlan>)
export const parseImportedRecords = ({ made }: { made: string }): ImportedRecords =>
  fromJson(made as Json<ImportedRecords>)
