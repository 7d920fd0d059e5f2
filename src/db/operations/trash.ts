import { sql } from 'kysely'
import type { WriteTx } from '#core/transaction.ts'
import { command, insertRow, query, type Scoped } from '../core/statement.ts'
import { sizeOfTexts } from '../retention/step-rows.ts'
import type { TrashedType, TrashRow } from '../schema/tables.ts'

/** What an operation removes, for the trash. */
interface RemovedRecord {
  type: TrashedType
  id: string
  /** The task with which the rest of it is purged. */
  task_id?: string
  /** The row as JSON, or the text of a description. */
  record: string
  /** Of a tag, the tasks that had it. */
  task_ids?: readonly string[]
  /** Of an attachment, the size of its file. */
  size_bytes?: number
  /** Default: the current operation. */
  operation_id?: string
}

/** Keeps what an operation removes, so that it can be undone for as long as deleted tasks can be restored. */
export async function keepInTrash(tx: WriteTx, removed: RemovedRecord): Promise<void> {
  const { type, id, record, task_id = null, task_ids = [], size_bytes = 0 } = removed
  const { operation_id = tx.operation_id } = removed
  await tx.run(insertTrash, {
    operation_id,
    id,
    type,
    task_id,
    record,
    task_ids: JSON.stringify(task_ids),
    size_bytes,
    deleted_at: tx.now,
  })
}

const insertTrash = insertRow(
  'trash',
  'operation_id',
  'id',
  'type',
  'task_id',
  'record',
  'task_ids',
  'size_bytes',
  'deleted_at',
)

type TrashKey = Pick<TrashRow, 'operation_id' | 'id'>

/** What an operation has removed of one record. */
export const trashOf = query((db, $: Scoped<TrashKey>) =>
  db
    .selectFrom('trash')
    .select(['type', 'record', 'task_ids', 'size_bytes'])
    .where('operation_id', '=', $.operation_id)
    .where('id', '=', $.id),
)

export const removeTrash = command((db, $: Scoped<TrashKey>) =>
  db.deleteFrom('trash').where('operation_id', '=', $.operation_id).where('id', '=', $.id),
)

const COLUMNS_TO_PURGE = ['operation_id', 'id', 'type', 'size_bytes'] as const

/** The oldest rows of the trash whose time is over. */
export const trashToPurge = query((db, $: Scoped<{ deleted_before: string; limit: number }>) =>
  db
    .selectFrom('trash')
    .select([...COLUMNS_TO_PURGE, sizeOfTexts('trash').as('size')])
    .where('deleted_at', '<=', $.deleted_before)
    .orderBy('deleted_at')
    .orderBy(sql.ref('trash.operation_id'))
    .orderBy('id')
    .limit($.limit),
)

/** What operations have removed of a task, which goes with it. */
export const trashOfTask = query((db, $: Scoped<{ task_id: string; limit: number }>) =>
  db
    .selectFrom('trash')
    .select([...COLUMNS_TO_PURGE, sizeOfTexts('trash').as('size')])
    .where('task_id', '=', $.task_id)
    .limit($.limit),
)
