import { sql } from 'kysely'
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

/** By what operations are filtered; each has an index in the order of the ids. */
export interface OperationFilters {
  user_id?: string | undefined
  credential_id?: string | undefined
  import_id?: string | undefined
}

const FILTERS = ['user_id', 'credential_id', 'import_id'] as const

/** Which filters a statement has, and the values of all. */
export interface FilteredBy {
  names: string
  values: { user_id: string; credential_id: string; import_id: string }
}

export function toFilters({
  user_id = '',
  credential_id = '',
  import_id = '',
}: OperationFilters): FilteredBy {
  const values = { user_id, credential_id, import_id }
  return { names: FILTERS.filter((name) => values[name] !== '').join(), values }
}

type FilterValues = FilteredBy['values'] & {
  /** Ids sort by the time of their creation. */
  first_id: string
}

function selectFiltered(db: QueryBuilder, $: Scoped<FilterValues>, names: string) {
  let rows = selectOperations(db).where('operations.id', '>=', $.first_id)
  for (const name of FILTERS)
    if (names.includes(name)) rows = rows.where(`operations.${name}`, '=', $[name])
  return rows
}

export const selectOperationPage = memoizeByShape(
  ({ order, names }: { order: ListOrder; names: string }) =>
    query((db, $: Scoped<PageWindow & FilterValues>) =>
      paginate(selectFiltered(db, $, names), $, 'operations.id', order),
    ),
)

/** The operations that the history of a task names. */
export const selectTaskOperations = memoizeByShape((order: ListOrder) =>
  query((db, $: Scoped<PageWindow & { task_id: string; first_id: string }>) =>
    paginate(
      selectOperations(db)
        .where('operations.id', '>=', $.first_id)
        .where('operations.id', 'in', (is) =>
          is
            .selectFrom('activity')
            .select((row) => row.ref('activity.operation_id').$notNull().as('operation_id'))
            .where('activity.task_id', '=', $.task_id)
            .where('activity.operation_id', 'is not', null),
        ),
      $,
      'operations.id',
      order,
    ),
  ),
)

/** Operations to undo, the newest first. */
export const selectUndoable = memoizeByShape((names: string) =>
  query((db, $: Scoped<FilterValues & { before_id: string; limit: number }>) =>
    selectFiltered(db, $, names)
      .where('operations.id', '<', $.before_id)
      .where('operations.undone_by_id', 'is', null)
      .where('operations.undoes_id', 'is', null)
      .orderBy('operations.id', 'desc')
      .limit($.limit),
  ),
)

/** Marks an operation as undone by another one. */
export const setUndoneBy = command((db, $: Scoped<{ id: string; undone_by_id: string }>) =>
  db.updateTable('operations').set({ undone_by_id: $.undone_by_id }).where('id', '=', $.id),
)

/** The first event of each of some operations. */
export const firstEventsOf = query((db, $: Scoped<{ ids: readonly string[] }>, { inList }) =>
  db
    .selectFrom('operations')
    .innerJoin('events', 'events.sequence', 'operations.first_sequence')
    .select(['operations.id', 'events.payload'])
    .where(inList('operations.id', $.ids))
    .where('operations.last_sequence', '>', 0),
)

/**
 * The events about a task in some operations, and a row without one for an operation that has none. An inner join
 * would let SQLite read all events, to look up the operation of each.
 */
export const taskEventsOf = query(
  (db, $: Scoped<{ ids: readonly string[]; task_id: string; limit: number }>, { inList }) =>
    db
      .selectFrom('operations')
      .leftJoin('events', (join) =>
        join
          .onRef('events.sequence', '>=', 'operations.first_sequence')
          .onRef('events.sequence', '<=', 'operations.last_sequence')
          .on('events.subject_id', '=', $.task_id)
          .on(sql<boolean>`events.type like 'task.%'`),
      )
      .select(['operations.id', 'events.payload'])
      .where(inList('operations.id', $.ids))
      .orderBy('events.sequence')
      .limit($.limit),
)

/** The views and templates that an operation has deleted: they have no events. */
export const trashedWithoutEvents = query((db, $: Scoped<{ operation_id: string }>) =>
  db
    .selectFrom('trash')
    .select(['id', 'type'])
    .where('operation_id', '=', $.operation_id)
    .where('type', 'in', ['view', 'template']),
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

/** The task, if a comment, time or a file on it is newer than a time. */
export const workOnTaskSince = query((db, $: Scoped<{ task_id: string; since: string }>) =>
  db
    .selectFrom('tasks')
    .select('tasks.id')
    .where('tasks.id', '=', $.task_id)
    .where(({ or, exists, selectFrom }) =>
      or([
        exists(
          selectFrom('comments')
            .select('comments.id')
            .where('comments.task_id', '=', $.task_id)
            .where('comments.updated_at', '>', $.since),
        ),
        exists(
          selectFrom('time_entries')
            .select('time_entries.id')
            .where('time_entries.task_id', '=', $.task_id)
            .where('time_entries.updated_at', '>', $.since),
        ),
        exists(
          selectFrom('attachments')
            .select('attachments.id')
            .where('attachments.task_id', '=', $.task_id)
            .where('attachments.created_at', '>', $.since),
        ),
      ]),
    ),
)

/** A change of the tags of a task that has the tag, since a time. */
export const taggingSince = query((db, $: Scoped<{ tag_id: string; since: string }>) =>
  db
    .selectFrom('task_tags')
    .innerJoin('activity', 'activity.task_id', 'task_tags.task_id')
    .select('activity.id')
    .where('task_tags.tag_id', '=', $.tag_id)
    .where('activity.created_at', '>', $.since)
    .where('activity.changes', 'like', '%"tag_ids"%')
    .limit(1),
)
