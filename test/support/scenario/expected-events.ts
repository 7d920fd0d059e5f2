import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Query, Storage } from '#core/transaction.ts'
import { memoizeByShape, query, rawStatement, type Scoped } from '#db/core/statement.ts'
import { memberById } from '#resources/members/store.ts'
import { recordOf } from '#resources/nouns.ts'
import { projectRecordById } from '#resources/projects/store.ts'
import { taskById } from '#resources/tasks/task-json.ts'
import type { RecordType } from '#wire/scopes.ts'
import { assertPartialMatch } from './partial-match.ts'

/** The stored envelope of an event (docs/spec/api.md#event-envelope). */
export interface StoredEnvelope {
  type: string
  operation_id: string
  data: { id: string }
  changes: object
}

/** The expected type and exact changes of an event, and a partial match of the rest. */
export interface ExpectedEvent {
  type: string
  changes?: object
  data?: object
  actor?: object
  project_id?: string
}

/** Compares the events of a step with the expected types or partial envelopes. */
export function assertEvents(
  envelopes: readonly StoredEnvelope[],
  wanted: readonly (string | ExpectedEvent)[],
  where: string,
): void {
  assert.deepEqual(
    envelopes.map(({ type }) => type),
    wanted.map((one) => (typeof one === 'string' ? one : one.type)),
    `events of ${where}`,
  )
  for (const [at, one] of wanted.entries()) {
    if (typeof one === 'string') continue
    const envelope = envelopes[at]
    const message = `event ${at} of ${where}: ${JSON.stringify(envelope)}`
    assertPartialMatch(envelope, one, message)
    if (one.changes) assert.deepEqual(envelope?.changes, one.changes, message)
  }
}

type RecordQuery = Query<Scoped<{ id: string }>, { json: string }>

const RECORD_QUERIES: Partial<Record<RecordType, RecordQuery>> = {
  task: taskById,
  project: projectRecordById,
  member: memberById,
}

/** Reads a record of a project, or of a task that is not deleted. */
const recordById = memoizeByShape((type: RecordType) =>
  query((db, $: Scoped<{ id: string }>, dialect) => {
    const { table, of, join = sql``, json } = recordOf(type)
    const column = (name: string) => sql.ref(`${table}.${name}`)
    const task = sql`join tasks on tasks.workspace_id = ${column('workspace_id')}
      and tasks.id = ${column('task_id')} and tasks.deleted_at is null`
    return rawStatement<{ json: string }>(
      db,
      sql`select ${json(dialect, $)} as json from ${sql.table(table)} ${join}
        ${of === 'task' ? task : sql``}
        where ${column('workspace_id')} = ${$.workspace_id} and ${column('id')} = ${$.id}`,
    )
  }),
)

/**
 * Asserts that all events have the operation's id, that their data is the stored record, and that
 * each update says what has changed.
 */
export async function assertEventsMatchRecords(
  storage: Storage,
  workspace_id: string,
  envelopes: readonly StoredEnvelope[],
  operation_id: string | undefined,
): Promise<void> {
  const check = async ({ type, data, ...envelope }: StoredEnvelope) => {
    assert.equal(envelope.operation_id, operation_id, `operation of ${type}`)
    const [noun, what] = type.split('.') as [RecordType, string]
    if (what === 'updated') assert.notDeepEqual(envelope.changes, {}, `changes of ${type}`)
    const find = RECORD_QUERIES[noun] ?? recordById(noun)
    const record = await storage.read({ ...ANONYMOUS_ACTOR, role: 'owner', workspace_id }, (tx) =>
      tx.one(find, { id: data.id }),
    )
    if (record) assert.deepEqual(data, JSON.parse(record.json), `data of ${type}`)
    // Of a deleted task, only the task itself is still read.
    else assert.ok(what === 'deleted' || noun === 'time_entry', `no record of ${type}`)
  }
  await Promise.all(envelopes.map(check))
}
