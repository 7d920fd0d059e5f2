import { assertNoFieldErrors, validationFailed } from '#core/api-error.ts'
import { assertRevision, type BulkHandler } from '#core/bulk.ts'
import type { ReadTx } from '#core/transaction.ts'
import { fieldError } from '#wire/field-error.ts'
import type { Static } from '#wire/schema-builders.ts'
import { createSchemaParser } from '#wire/schema-parser.ts'
import { TaskUpsert } from '../contract.ts'
import { loadTaskToWrite } from '../load.ts'
import { visibleTasksByIds } from '../statements/related.ts'
import { taskByExternalId } from '../store.ts'
import { createTaskFromInput } from './create.ts'
import { updateLoadedTask } from './update.ts'

const parseTaskUpsert = createSchemaParser(TaskUpsert)

/**
 * Updates the task with an external id, or creates it. One writer a workspace: between the look-up and the
 * write nobody else can create it. A task that the actor does not see is 409, as for any new task.
 */
export const upsert: BulkHandler = async (tx, { version, data }) => {
  const { value, errors } = parseTaskUpsert(data)
  assertNoFieldErrors(errors)
  const input = value as Static<typeof TaskUpsert>
  const id = await findVisibleTask(tx, input)
  const task = id === undefined ? undefined : await loadTaskToWrite(tx, id)
  assertRevision(version, task?.revision)
  if (task) return { status: 200, record: await updateLoadedTask(tx, task, input) }
  const { project_id, title } = input
  if (project_id === undefined || title === undefined) {
    const missing = (['project_id', 'title'] as const).filter((name) => input[name] === undefined)
    throw validationFailed(
      ...missing.map((name) => fieldError(name, 'required', 'is required for a new task')),
    )
  }
  return { status: 201, record: await createTaskFromInput(tx, { ...input, project_id, title }) }
}

async function findVisibleTask(
  tx: ReadTx,
  { external_source, external_id }: Static<typeof TaskUpsert>,
): Promise<string | undefined> {
  const existing = await tx.one(taskByExternalId, { external_source, external_id, id: '' })
  if (!existing) return undefined
  const [visible] = await tx.all(visibleTasksByIds, { ids: [existing.id] })
  return visible?.id
}
