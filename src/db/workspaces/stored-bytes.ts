import { setImmediate } from 'node:timers/promises'
import type { Selectable } from 'kysely'
import { type RawBuilder, sql } from 'kysely'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { ReadTx, Storage } from '#core/transaction.ts'
import {
  command,
  memoizeByShape,
  query,
  rawStatement,
  type Scoped,
  unscopedQuery,
} from '../core/statement.ts'
import { sizeOfTexts } from '../retention/step-rows.ts'
import { rulesOf, TABLES, type TableWith, type WorkspaceRow } from '../schema/tables.ts'

/*
 * What a workspace stores, in bytes (docs/spec/api.md#storage-of-a-workspace). A write counts the files that it
 * adds and frees (`WriteTx.countFileBytes`), and the outbox its events. Texts are counted by the rows
 * themselves, each hour.
 */

/** What a record takes beside its text: its other columns, its links and its place in indexes. */
const RECORD_BYTES = 1_024

type CountedTable = TableWith<'counted'>

/** The bytes of a row of a table that count, for a statement that deletes or counts such rows. */
export function bytesOfRow(table: CountedTable): RawBuilder<number> {
  const { counted, file, holdsFiles } = rulesOf(table)
  if (counted === 'file') {
    return file === undefined
      ? sql<number>`size_bytes`
      : sql<number>`case when ${sql.ref(file)} is null then 0 else size_bytes end`
  }
  const texts = sizeOfTexts(table)
  const files = holdsFiles ? sql` + size_bytes` : sql``
  return counted === 'record' ? sql<number>`(${sql.lit(RECORD_BYTES)} + ${texts}${files})` : texts
}

/** Few enough rows that the event loop does not wait long. */
const BATCH_SIZE = 500

type CountedRow = { bytes: number } & Record<string, string | number>

/** The first rows of a table, or those after a key. */
const countedRows = memoizeByShape(({ table, after }: { table: CountedTable; after: boolean }) =>
  query((db, $: Scoped<Record<string, string | number>>) => {
    const { key = ['id'] } = rulesOf(table)
    const columns = sql.join(key.map((column) => sql.ref(column)))
    const slots = sql.join(key.map((column) => sql`${$[column]}`))
    return rawStatement<CountedRow>(
      db,
      sql`select ${columns}, ${bytesOfRow(table)} as bytes from ${sql.table(table)}
        where workspace_id = ${$.workspace_id} ${after ? sql`and (${columns}) > (${slots})` : sql``}
        order by ${columns} limit ${sql.lit(BATCH_SIZE)}`,
    )
  }),
)

/** The bytes of all rows of the workspace. */
export async function countRows(tx: ReadTx): Promise<Record<'content' | 'history', number>> {
  const sums = { content: 0, history: 0 }
  for (const [table, { counted }] of TABLES) {
    if (counted !== undefined)
      sums[counted === 'history' ? 'history' : 'content'] += await countTable(
        tx,
        table as CountedTable,
      )
  }
  return sums
}

async function countTable(tx: ReadTx, table: CountedTable): Promise<number> {
  let sum = 0
  for (let last: CountedRow | undefined; ; ) {
    const rows = await tx.all(countedRows({ table, after: last !== undefined }), last ?? {})
    for (const { bytes } of rows) sum += Number(bytes)
    if (rows.length < BATCH_SIZE) return sum
    last = rows.at(-1)
    await setImmediate()
  }
}

/**
 * Counts the rows of a workspace, and corrects its counters by the difference. Counters and rows are
 * compared in one snapshot, so that writes may go on meanwhile.
 */
export async function recountStoredBytes(storage: Storage, workspace_id: string): Promise<void> {
  const actor = { ...ANONYMOUS_ACTOR, workspace_id }
  const missing = await storage.snapshot(actor, async (tx) => {
    const counted = await tx.one(storedBytes, {})
    const { content, history } = await countRows(tx)
    return {
      content: content - (counted?.content_bytes ?? 0),
      history: history - (counted?.history_bytes ?? 0),
    }
  })
  await storage.write(actor, (tx) => tx.run(correctStoredBytes, missing))
}

/** The counters of a workspace, and how many of its bytes are files. */
export type StoredBytes = Pick<
  Selectable<WorkspaceRow>,
  'content_bytes' | 'history_bytes' | 'attachment_bytes'
>

/** What a workspace stores by its counters. */
export const storedBytes = query((db) =>
  db.selectFrom('workspaces').select(['content_bytes', 'history_bytes', 'attachment_bytes']),
)

/** How many bytes the workspace may still store; negative if it has more than its quota. */
export async function loadFreeBytes(tx: ReadTx): Promise<number> {
  const { content_bytes = 0, history_bytes = 0 } = (await tx.one(storedBytes, {})) ?? {}
  return tx.settings.workspaceBytes - content_bytes - history_bytes
}

const correctStoredBytes = command((db, $: Scoped<{ content: number; history: number }>) =>
  db.updateTable('workspaces').set((workspace) => ({
    content_bytes: workspace('content_bytes', '+', $.content),
    history_bytes: workspace('history_bytes', '+', $.history),
  })),
)

/**
 * Of the workspaces with ids in a range, those that have written events since a time, or may be full: only they can
 * need another count. The newest event is found by its key.
 */
export const workspacesToRecount = unscopedQuery(
  (db, $: { after: string; through: string; since: string; full_bytes: number }) =>
    db
      .selectFrom('workspaces')
      .select('id')
      .where('id', '>', $.after)
      .where('id', '<=', $.through)
      .where((is) =>
        is.or([
          is(is('content_bytes', '+', is.ref('history_bytes')), '>=', $.full_bytes),
          is(
            is
              .selectFrom('events')
              .select('events.created_at')
              .whereRef('events.workspace_id', '=', 'workspaces.id')
              .whereRef('events.sequence', '=', 'workspaces.last_sequence'),
            '>=',
            $.since,
          ),
        ]),
      ),
)
