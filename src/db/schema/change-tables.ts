import type { Generated } from 'kysely'

/** A row that is a record of the feed of changes. */
export interface ChangeNumbered {
  /** The number of the write that changed the row last; 0 if none did since numbers exist. */
  change_number: Generated<number>
}

/**
 * What is gone from a project, as of a write. If `record_id` is the project, its readers get it anew
 * (`reset`); if it is `members`, all members; if it is a person, the comments of that person.
 */
export interface TombstoneRow {
  workspace_id: string
  change_number: number
  record_id: string
  /** `''` with `members` and with a person. */
  project_id: string
  /** The person for whom it is gone; `''` for everybody. */
  user_id: string
  created_at: string
}
