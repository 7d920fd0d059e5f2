import { unscopedQuery } from '#db/core/statement.ts'

export const sessionCreatedAt = unscopedQuery((db, $: { id: string }) =>
  db.selectFrom('sessions').select('created_at').where('id', '=', $.id),
)
