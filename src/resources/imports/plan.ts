import { fromJson, type Json } from '#lib/json.ts'
import type { Import } from './internal.ts'

/** The contents of a file, and how to import them. Stored as JSON in `imports.plan`. */
export type ImportPlan = Pick<
  Import,
  'latin1' | 'headers' | 'columns' | 'projects' | 'statuses' | 'people' | 'sample'
>

/** The projects and tags that an import has created, for undo. Stored as JSON in `imports.made`. */
export interface ImportedRecords {
  /**
   * Project ids, by the name in the file. No object, because a project may have the name of what
   * every object inherits, such as `constructor`.
   */
  projects: Map<string, string>
  /** Ids of tags. */
  tags: string[]
}

export const EMPTY_IMPORT_PLAN: ImportPlan = {
  latin1: false,
  ...{ headers: [], columns: [], projects: [], statuses: [], people: [], sample: [] },
}

export const parseImportPlan = ({ plan }: { plan: string }): ImportPlan =>
  fromJson(plan as Json<ImportPlan>)

/** Parses `imports.made`. */
export function parseImportedRecords({ made }: { made: string }): ImportedRecords {
  const { projects, tags } = fromJson(
    made as Json<{ projects: Record<string, string>; tags: string[] }>,
  )
  return { projects: new Map(Object.entries(projects)), tags }
}

export const toImportedRecordsJson = ({ projects, tags }: ImportedRecords): string =>
  JSON.stringify({ projects: Object.fromEntries(projects), tags })

export const NO_IMPORTED_RECORDS: ImportedRecords = { projects: new Map(), tags: [] }
