import { setImmediate } from 'node:timers/promises'
import type { Selectable } from 'kysely'
import { type RawBuilder, sql } from 'kysely'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { ReadTx, Storage } from '#core/transaction.ts'
import { command, memoizeByShape, query, rawStatement, type Scoped } from '../core/statement.ts'
import { sizeOf } from '../retention/step-rows.ts'
import type { WorkspaceRow } from '../schema/tables.ts'

/*
 * What a workspace stores, in bytes (docs/spec/api.md#storage-of-a-workspace). Each write counts what it
 * adds and frees (`WriteTx.countBytes`). A background job counts the rows themselves from time to time.
 */

/** What a record takes beside its text: its other columns, its links and its place in indexes. */
const RECORD_BYTES = 1_024

type StoredText = string | null

export const bytesOfTexts = (...texts: StoredText[]): number =>
  texts.reduce((sum, text) => sum + (text === null ? 0 : Buffer.byteLength(text)), 0)

export const bytesOfRecord = (...texts: StoredText[]): number =>
  RECORD_BYTES + bytesOfTexts(...texts)

/** The texts of a task that count, as its columns hold them. */
export const textsOfTask = (task: {
  title: string
  description: string | null
  custom_fields: unknown
  metadata: unknown
}): StoredText[] => [
  task.title,
  task.description,
  JSON.stringify(task.custom_fields),
  JSON.stringify(task.metadata),
]

const record = (...texts: string[]) =>
  sql<number>`(${sql.lit(RECORD_BYTES)} + ${sql.join(texts.map(sizeOf), sql` + `)})`
const FILE_BYTES = sql<number>`case when file_id is null then 0 else size_bytes end`

interface CountedTable {
  kind: 'content' | 'history'
  /** The columns of its primary key after the workspace. */
  key: readonly string[]
  /** What is less than every key. */
  before: readonly (string | number)[]
  bytes: RawBuilder<number>
}

const withId = (kind: CountedTable['kind'], bytes: RawBuilder<number>): CountedTable => ({
  kind,
  key: ['id'],
  before: [''],
  bytes,
})

/** The bytes of each row that count. */
const COUNTED_TABLES = {
  projects: withId('content', record('name', 'description')),
  tasks: withId('content', record('title', 'description', 'custom_fields', 'metadata')),
  comments: withId('content', record('body')),
  deleted_comments: withId('content', record('body')),
  time_entries: withId('content', record('note')),
  templates: withId('content', record('tasks')),
  attachments: withId('content', sql<number>`size_bytes`),
  imports: withId('content', FILE_BYTES),
  exports: withId('content', FILE_BYTES),
  events: {
    kind: 'history',
    key: ['sequence'],
    before: [0],
    bytes: sizeOf('payload'),
  },
  activity: {
    kind: 'history',
    key: ['task_id', 'id'],
    before: ['', ''],
    bytes: sizeOf('changes'),
  },
  replies: {
    kind: 'history',
    key: ['user_id', 'credential', 'key'],
    before: ['', '', ''],
    bytes: sizeOf('body'),
  },
} as const satisfies Record<string, CountedTable>

type CountedTableName = keyof typeof COUNTED_TABLES

/** The bytes of a row of a table, for a statement that deletes or counts such rows. */
export const bytesOfRow = (table: CountedTableName): RawBuilder<number> =>
  COUNTED_TABLES[table].bytes

/** Few enough rows that the event loop does not wait long. */
const BATCH_SIZE = 500

type CountedRow = { bytes: number } & Record<string, string | number>

const rowsAfter = memoizeByShape((table: CountedTableName) =>
  query((db, $: Scoped<Record<string, string | number>>) => {
    const { key, bytes } = COUNTED_TABLES[table]
    const columns = sql.join(key.map((column) => sql.ref(column)))
    const slots = sql.join(key.map((column) => sql`${$[column]}`))
    return rawStatement<CountedRow>(
      db,
      sql`select ${columns}, ${bytes} as bytes from ${sql.table(table)}
        where workspace_id = ${$.workspace_id} and (${columns}) > (${slots})
        order by ${columns} limit ${sql.lit(BATCH_SIZE)}`,
    )
  }),
)

/** The bytes of all rows of the workspace. */
export async function countRows(tx: ReadTx): Promise<Record<CountedTable['kind'], number>> {
  const sums = { content: 0, history: 0 }
  for (const [name, { kind, key, before }] of Object.entries(COUNTED_TABLES)) {
    const rowsOfTable = rowsAfter(name as CountedTableName)
    let after = Object.fromEntries(key.map((column, at) => [column, before[at] ?? '']))
    for (let rows: CountedRow[]; ; after = Object.fromEntries(lastKey(rows, key))) {
      rows = await tx.all(rowsOfTable, after)
      for (const { bytes } of rows) sums[kind] += Number(bytes)
      if (rows.length < BATCH_SIZE) break
      await setImmediate()
    }
  }
  return sums
}

const lastKey = (rows: readonly CountedRow[], key: readonly string[]) =>
  key.map((column) => [column, rows.at(-1)?.[column] ?? ''] as const)

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
export const storedBytes = query((db, $: Scoped) =>
  db
    .selectFrom('workspaces')
    .select(['content_bytes', 'history_bytes', 'attachment_bytes'])
    .where('id', '=', $.workspace_id),
)

/** How many bytes the workspace may still store; negative if it has more than its quota. */
export async function loadFreeBytes(tx: ReadTx): Promise<number> {
  const { content_bytes = 0, history_bytes = 0 } = (await tx.one(storedBytes, {})) ?? {}
  return tx.settings.workspaceBytes - content_bytes - history_bytes
}

const correctStoredBytes = command((db, $: Scoped<{ content: number; history: number }>) =>
  db
    .updateTable('workspaces')
    .set((workspace) => ({
      content_bytes: workspace('content_bytes', '+', $.content),
      history_bytes: workspace('history_bytes', '+', $.history),
    }))
    .where('id', '=', $.workspace_id),
)
