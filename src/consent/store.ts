import { queryOfAll } from '#storage/statement.ts'

/** When a session began. */
export const sessionBegunAt = queryOfAll((db, $: { id: string }) =>
  db.selectFrom('sessions').select('created_at').where('id', '=', $.id),
)
