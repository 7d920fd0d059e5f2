import { viewerId } from '#core/actor.ts'
import { assertNoFieldErrors, conflict, notFound, validationFailed } from '#core/api-error.ts'
import { nextUpdatedAt } from '#core/next-updated-at.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { toListOrder, toPageWindow } from '#db/core/pagination.ts'
import { noteOperation } from '#db/operations/operations.ts'
import { keepInTrash, removeTrash, trashOf } from '#db/operations/trash.ts'
import { assertNotArchived, loadProject } from '#resources/projects/load.ts'
import { loadTaskToWrite, resolveTaskId } from '#resources/tasks/load.ts'
import { loadTaskTree } from '#resources/tasks/operations/copy.ts'
import { visibleTasksByIds } from '#resources/tasks/statements/related.ts'
import { fieldError } from '#wire/field-error.ts'
import {
  type createTemplate,
  type deleteTemplate,
  type getTemplate,
  type listTemplates,
  MAX_TEMPLATE_TASKS,
  type Template,
  type TemplateTask,
  type updateTemplate,
} from './internal.ts'
import { assertCanWriteTemplates, type LoadedTemplate, loadTemplate } from './load.ts'
import {
  changeTemplate,
  countTemplates,
  insertTemplate,
  removeTemplate,
  selectTemplates,
} from './store.ts'
import { applyTaskChanges, toTemplateTasks } from './template-tasks.ts'

/** The most templates of a project, and the largest size of one as JSON. */
const MAX_TEMPLATES = 100
const MAX_TEMPLATE_BYTES = 1024 * 1024

export const list: Operation<typeof listTemplates> = async (tx, _, { query, page }) => {
  const { project_id = '' } = query
  const queryShape = { order: toListOrder(page, null), ofOneProject: project_id !== '' }
  const rows = await tx.all(selectTemplates(queryShape), { ...toPageWindow(page), project_id })
  return page.toPage(rows)
}

export const get: Operation<typeof getTemplate, LoadedTemplate> = async (_, template) => template

export const create: Operation<typeof createTemplate> = async (tx, _, { body }) => {
  const { name, subtasks = true } = body
  const task_id = await resolveTaskId(tx, body.task_id)
  const [visibleTask] = await tx.all(visibleTasksByIds, { ids: [task_id] })
  if (!visibleTask)
    throw validationFailed(
      fieldError('task_id', 'invalid_reference', 'must be a task that you have access to'),
    )
  const task = await loadTaskToWrite(tx, task_id)
  assertNotArchived(task)
  const { project_id } = task
  await assertBelowLimit(tx, project_id)
  const tree = await loadTaskTree(tx, task.record, subtasks)
  if (tree.length > MAX_TEMPLATE_TASKS) {
    throw conflict('limit_reached', `A template can have at most ${MAX_TEMPLATE_TASKS} tasks.`)
  }
  const columns = toColumns(toTemplateTasks(tree, tx.actor.workspace_timezone))
  const id = tx.newRecordId('tpl')
  await tx.run(insertTemplate, {
    id,
    project_id,
    name,
    ...columns,
    created_by_id: viewerId(tx.actor),
    created_at: tx.now,
    updated_at: tx.now,
  })
  tx.noteChange({ noun: 'template', id, project_id })
  return loadTemplate(tx, id)
}

export const update: Operation<typeof updateTemplate, LoadedTemplate> = async (
  tx,
  template,
  { body },
) => {
  const { id, project_id } = template
  const { name = template.name, tasks: kept } = body
  const before = JSON.parse(template.tasks) as TemplateTask[]
  const { tasks, errors } = kept ? applyTaskChanges(before, kept) : { tasks: before, errors: [] }
  assertNoFieldErrors(errors)
  assertNotArchived(template)
  const columns = toColumns(tasks)
  if (name === template.name && columns.tasks === JSON.stringify(before)) return template
  const updated_at = nextUpdatedAt(tx, template.updated_at)
  await tx.run(changeTemplate, { id, name, ...columns, updated_at })
  tx.noteChange({ noun: 'template', id, project_id })
  return loadTemplate(tx, id)
}

export const remove: Operation<typeof deleteTemplate, LoadedTemplate> = async (tx, template) => {
  assertNotArchived(template)
  const { id, project_id, json: record } = template
  await keepInTrash(tx, { type: 'template', id, record })
  // Templates have no events, so the outbox does not learn of this operation.
  await noteOperation(tx)
  await tx.run(removeTemplate, { id })
  tx.noteChange({ noun: 'template', id, project_id })
}

/** Puts a template back that an operation has deleted, for those who may change it. */
export async function restoreTemplate(tx: WriteTx, operation_id: string, id: string) {
  await assertCanWriteTemplates(tx)
  const trashed = await tx.one(trashOf, { operation_id, id })
  if (!trashed) throw notFound()
  const { tasks, ...row } = JSON.parse(trashed.record) as Template
  const { project_id } = row
  const project = await loadProject(tx, project_id)
  assertNotArchived({ ...project, project_id })
  await assertBelowLimit(tx, project_id)
  await tx.run(removeTrash, { operation_id, id })
  const updated_at = nextUpdatedAt(tx, row.updated_at)
  await tx.run(insertTemplate, { ...row, ...toColumns(tasks), updated_at })
  tx.noteChange({ noun: 'template', id, project_id })
}

async function assertBelowLimit(tx: ReadTx, project_id: string): Promise<void> {
  const { count } = (await tx.one(countTemplates, { project_id })) ?? { count: 0 }
  if (count < MAX_TEMPLATES) return
  const message = `A project can have at most ${MAX_TEMPLATES} templates. Delete one first.`
  throw conflict('limit_reached', message)
}

function toColumns(tasks: readonly TemplateTask[]) {
  const text = JSON.stringify(tasks)
  if (Buffer.byteLength(text) > MAX_TEMPLATE_BYTES) {
    throw conflict('limit_reached', 'The text of a template must be at most 1 MiB.')
  }
  return { tasks: text, task_count: tasks.length }
}
