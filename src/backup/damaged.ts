import { conflict, type Refusal } from '#core/refusal.ts'

/** A backup that is not as it was made. */
export const damaged = (what: string): Refusal =>
  conflict('backup_damaged', `${what} Nothing was restored: take another backup.`)
