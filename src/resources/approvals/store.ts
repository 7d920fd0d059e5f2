import { sql } from 'kysely'
import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import { memoizeByShape, query, type Scoped } from '#db/core/statement.ts'
import { selectPendingOperations } from '#db/operations/pending-operations.ts'

/** Owners and admins decide for all credentials, others for their own. */
const isVisible = ($: Scoped) =>
  sql<boolean>`(${$.viewer_sees_all} = 1 or pending_operations.user_id = ${$.viewer_id})`

export const visibleApprovalById = query((db, $: Scoped<{ id: string }>) =>
  selectPendingOperations(db).where('pending_operations.id', '=', $.id).where(isVisible($)),
)

export const selectApprovals = memoizeByShape(
  ({ order, isOpen }: { order: ListOrder; isOpen: boolean }) =>
    query((db, $: Scoped<PageWindow & { since: string }>) => {
      let rows = selectPendingOperations(db).where(isVisible($))
      if (isOpen)
        rows = rows
          .where('pending_operations.status', '=', 'pending')
          .where('pending_operations.created_at', '>', $.since)
      return paginate(rows, $, 'pending_operations.id', order)
    }),
)
