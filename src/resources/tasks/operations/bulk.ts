import { insufficientScope, Refusal, refuseFaults } from '#core/refusal.ts'
import type { Asked, Operation, Subject } from '#core/route.ts'
import type { WriteTx } from '#core/tx.ts'
import { readerOf } from '#wire/read.ts'
import type { Static } from '#wire/schema.ts'
import { type bulkTasks, NewTask, TaskChanges } from '../contract.ts'
import { loadTaskToDelete, loadTaskToRestore, loadTaskToWrite } from '../load.ts'
import { completeOne } from './complete.ts'
import { createIn } from './create.ts'
import { removeOne } from './remove.ts'
import { restoreOne } from './restore.ts'
import { updateAs } from './update.ts'

type Body = Asked<typeof bulkTasks>['body']
type One = Body['operations'][number]
interface Done {
  status: number
  json: string | null
  /** Of a new task. */
  id?: string
}

/** Deleting is a right of its own, in bulk too: looked at before the body is. */
export const mayDelete: Subject<typeof bulkTasks, undefined> = async (tx, { body }) => {
  const { operations } = (body ?? {}) as { operations?: unknown }
  const deletes = Array.isArray(operations) && operations.some((one) => one?.op === 'delete')
  if (deletes && !tx.actor.scopes.has('tasks:delete')) throw insufficientScope('tasks:delete')
  return undefined
}

export const bulk: Operation<typeof bulkTasks> = async (tx, _, { body }) => {
  const { operations, atomic = true } = body
  const results: string[] = []
  const made = new Set<string>()
  let failed = 0
  for (const [index, one] of operations.entries()) {
    try {
      results.push(await tx.operation(() => resultOf(tx, index, one, made)))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (atomic || error.status >= 500) throw placed(error, index, made)
      results.push(failure(error, index))
      failed += 1
    }
  }
  const succeeded = results.length - failed
  return `{"results":[${results.join(',')}],"succeeded":${succeeded},"failed":${failed}}` as never
}

async function resultOf(tx: WriteTx, index: number, one: One, made: Set<string>) {
  const { status, json, id } = await DOES[one.op](tx, one)
  if (id) made.add(id)
  const operation_id = tx.changed ? `"${tx.operation_id}"` : null
  return `{"index":${index},"status":${status},"operation_id":${operation_id},"data":${json},"error":null}`
}

const readNew = readerOf(NewTask)
const readChanges = readerOf(TaskChanges)

/** Each operation in the order of checks of its endpoint: 404, 403, 412, 422, 409. */
const DOES: Record<One['op'], (tx: WriteTx, one: One) => Promise<Done>> = {
  async create(tx, { data }) {
    const { value, faults } = readNew(data)
    refuseFaults(faults)
    const made = await createIn(tx, value as Static<typeof NewTask>)
    return { status: 201, json: made.json, id: made.id }
  },
  async update(tx, { id = '', version, data }) {
    const task = await loadTaskToWrite(tx, id)
    refuseOther(version, task.revision)
    const { value, faults } = readChanges(data)
    refuseFaults(faults)
    const changed = await updateAs(tx, task, value as Static<typeof TaskChanges>)
    return { status: 200, json: changed.json }
  },
  async complete(tx, { id = '', version }) {
    const task = await loadTaskToWrite(tx, id)
    refuseOther(version, task.revision)
    return { status: 200, json: (await completeOne(tx, task)).json }
  },
  async delete(tx, { id = '', version }) {
    const task = await loadTaskToDelete(tx, id)
    refuseOther(version, task.revision)
    await removeOne(tx, task)
    return { status: 204, json: null }
  },
  async restore(tx, { id = '', version }) {
    const task = await loadTaskToRestore(tx, id)
    refuseOther(version, task.revision)
    return { status: 200, json: (await restoreOne(tx, task)).json }
  },
}

function refuseOther(version: number | undefined, revision: number): void {
  if (version === undefined || version === revision) return
  throw new Refusal(412, 'version_mismatch', 'The task has changed since: read it again.')
}

/**
 * The error of one operation as that of the whole call: its fields are told by where they stand. A
 * task that the call itself made is gone with it, and is not named.
 */
function placed(error: Refusal, index: number, made: ReadonlySet<string>): Refusal {
  const { status, code, message, headers } = error
  const field = `operations[${index}]`
  const inside = error.details.map(({ resource_id, ...detail }) => ({
    ...detail,
    ...(resource_id !== undefined && !made.has(resource_id) && { resource_id }),
    field: detail.field === '' ? `${field}.data` : `${field}.data.${detail.field}`,
  }))
  const details = inside.length > 0 ? inside : [{ field, code, message }]
  return new Refusal(status, code, message, { details, headers, cause: error.cause })
}

function failure({ status, type, code, message, details }: Refusal, index: number): string {
  const error = { type, code, message, details }
  return JSON.stringify({ index, status, operation_id: null, data: null, error })
}
