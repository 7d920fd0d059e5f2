import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import {
  command,
  memoizeByShape,
  type QueryBuilder,
  query,
  type Scoped,
} from '#db/core/statement.ts'

const selectOperations = (db: QueryBuilder) =>
  db
    .selectFrom('operations')
    .leftJoin('users', 'users.id', 'operations.user_id')
    .select([
      'operations.id',
      'operations.created_at',
      'operations.actor_type',
      'operations.user_id',
      'operations.credential_id',
      'operations.import_id',
      'operations.first_sequence',
      'operations.last_sequence',
      'operations.undoes_id',
      'operations.undone_by_id',
      'users.name as user_name',
    ])

export const operationById = query((db, $: Scoped<{ id: string }>) =>
  selectOperations(db).where('operations.id', '=', $.id),
)

/** What a list of operations is read by; each has an index in the order of the ids. */
export type OperationLead = 'user' | 'credential' | 'import' | 'all'

interface OperationListShape {
  order: ListOrder
  lead: OperationLead
  /** Whether those of one person are wanted, beside the lead. */
  user: boolean
}

type OperationListValues = PageWindow & {
  user_id: string
  credential_id: string
  import_id: string
  /** Ids sort by the time of their creation. */
  first_id: string
}

export const selectOperationPage = memoizeByShape(({ order, lead, user }: OperationListShape) =>
  query((db, $: Scoped<OperationListValues>) => {
    let rows = selectOperations(db).where('operations.id', '>=', $.first_id)
    if (user || lead === 'user') rows = rows.where('operations.user_id', '=', $.user_id)
    if (lead === 'credential') rows = rows.where('credential_id', '=', $.credential_id)
    if (lead === 'import') rows = rows.where('import_id', '=', $.import_id)
    return paginate(rows, $, 'operations.id', order)
  }),
)

/** The operations that the history of a task names. */
export const selectTaskOperations = memoizeByShape((order: ListOrder) =>
  query((db, $: Scoped<PageWindow & { task_id: string; first_id: string }>) =>
    paginate(
      selectOperations(db)
        .innerJoin('activity', 'activity.operation_id', 'operations.id')
        .where('activity.task_id', '=', $.task_id)
        .where('operations.id', '>=', $.first_id),
      $,
      'operations.id',
      order,
    ),
  ),
)

type UndoableParams = Omit<OperationListValues, keyof PageWindow> & {
  before_id: string
  limit: number
}

/** Operations to undo, the newest first. */
export const selectUndoable = memoizeByShape(({ lead, user }: Omit<OperationListShape, 'order'>) =>
  query((db, $: Scoped<UndoableParams>) => {
    let rows = selectOperations(db)
      .where('operations.id', '>=', $.first_id)
      .where('operations.id', '<', $.before_id)
      .where('undone_by_id', 'is', null)
      .where('undoes_id', 'is', null)
    if (user || lead === 'user') rows = rows.where('operations.user_id', '=', $.user_id)
    if (lead === 'credential') rows = rows.where('credential_id', '=', $.credential_id)
    if (lead === 'import') rows = rows.where('import_id', '=', $.import_id)
    return rows.orderBy('operations.id', 'desc').limit($.limit)
  }),
)

/** Marks an operation as undone by another one, or as in force again. */
export const setUndoneBy = command((db, $: Scoped<{ id: string; undone_by_id: string | null }>) =>
  db.updateTable('operations').set({ undone_by_id: $.undone_by_id }).where('id', '=', $.id),
)

/** The views that an operation has deleted: they have no events. */
export const trashedViews = query((db, $: Scoped<{ operation_id: string }>) =>
  db
    .selectFrom('trash')
    .select('id')
    .where('operation_id', '=', $.operation_id)
    .where('type', '=', 'view'),
)

/** The newest changes of a task since a time. */
export const changesOfTaskSince = query(
  (db, $: Scoped<{ task_id: string; since: string; limit: number }>) =>
    db
      .selectFrom('activity')
      .select(['actor_id', 'created_at', 'changes', 'operation_id'])
      .where('task_id', '=', $.task_id)
      .where('created_at', '>=', $.since)
      .orderBy('id', 'desc')
      .limit($.limit),
)
