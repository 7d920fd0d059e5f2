import { unscopedCommand } from '#db/core/statement.ts'

/** Makes all jobs due now: tests wait neither for the next attempt nor for the end of a lease. */
export const makeJobsDue = unscopedCommand((db) => db.updateTable('jobs').set({ run_at: '' }))
