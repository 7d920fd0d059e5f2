import { type ApiError, conflict } from '#core/api-error.ts'

/** The error for a backup that differs from its manifest or checksums. */
export const backupDamaged = (what: string): ApiError =>
  conflict('backup_damaged', `${what} Nothing was restored. Use another backup.`)
