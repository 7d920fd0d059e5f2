import { later } from '#core/later.ts'
import { conflict, invalid, refuseFaults } from '#core/refusal.ts'
import type { Operation } from '#core/route.ts'
import { newId } from '#lib/id.ts'
import { refuseArchived } from '#resources/projects/load.ts'
import { loadTaskToWrite } from '#resources/tasks/load.ts'
import { treeOf } from '#resources/tasks/operations/copy.ts'
import { tasksAmong } from '#resources/tasks/related.ts'
import { orderOf, windowOf } from '#storage/paged.ts'
import { fault } from '#wire/fault.ts'
import { changedTasks, templateTasks } from './draft.ts'
import {
  type createTemplate,
  type deleteTemplate,
  type getTemplate,
  type listTemplates,
  MOST_TASKS,
  type TemplateTask,
  type updateTemplate,
} from './internal.ts'
import { type FoundTemplate, loadTemplate } from './load.ts'
import {
  changeTemplate,
  countTemplates,
  insertTemplate,
  removeTemplate,
  templatesWhere,
} from './store.ts'

/** Most templates of a project, and the largest one, as JSON. */
const MOST_TEMPLATES = 100
const MOST_BYTES = 1024 * 1024

export const list: Operation<typeof listTemplates> = async (tx, _, { query, page }) => {
  const { project_id = '' } = query
  const shape = { order: orderOf(page, null), lone: project_id !== '' }
  return page.cut(await tx.all(templatesWhere(shape), { ...windowOf(page), project_id }))
}

export const get: Operation<typeof getTemplate, FoundTemplate> = async (_, template) => template

export const create: Operation<typeof createTemplate> = async (tx, _, { body }) => {
  const { task_id, name, subtasks = true } = body
  const [seen] = await tx.all(tasksAmong, { ids: [task_id] })
  if (!seen) throw invalid(fault('task_id', 'invalid_reference', 'must be a task that you see'))
  const task = await loadTaskToWrite(tx, task_id)
  refuseArchived(task)
  const { project_id } = task
  const { count } = (await tx.one(countTemplates, { project_id })) ?? { count: 0 }
  if (count >= MOST_TEMPLATES) {
    throw conflict('limit_reached', `A project has at most ${MOST_TEMPLATES} templates.`)
  }
  const tree = await treeOf(tx, task.record, subtasks)
  if (tree.length > MOST_TASKS) {
    throw conflict('limit_reached', `A template has at most ${MOST_TASKS} tasks.`)
  }
  const tasks = templateTasks(tree, tx.actor.workspace_timezone)
  const id = newId('tpl', tx.instant)
  await tx.run(insertTemplate, {
    ...{ id, project_id, name, ...columnsOf(tasks) },
    created_by_id: tx.actor.user_id ?? '',
    created_at: tx.now,
    updated_at: tx.now,
  })
  tx.note({ noun: 'template', id, op: 'create', project_id, revision: tx.now })
  return loadTemplate(tx, id)
}

export const update: Operation<typeof updateTemplate, FoundTemplate> = async (
  tx,
  template,
  { body },
) => {
  const { id, project_id } = template
  const { name = template.name, tasks: kept } = body
  const before = JSON.parse(template.tasks) as TemplateTask[]
  const { tasks, faults } = kept ? changedTasks(before, kept) : { tasks: before, faults: [] }
  refuseFaults(faults)
  refuseArchived(template)
  const columns = columnsOf(tasks)
  if (name === template.name && columns.tasks === JSON.stringify(before)) return template
  const updated_at = later(tx, template.updated_at)
  await tx.run(changeTemplate, { id, name, ...columns, updated_at })
  tx.note({ noun: 'template', id, op: 'update', project_id, revision: updated_at })
  return loadTemplate(tx, id)
}

export const remove: Operation<typeof deleteTemplate, FoundTemplate> = async (tx, template) => {
  refuseArchived(template)
  const { id, project_id } = template
  await tx.run(removeTemplate, { id })
  tx.note({ noun: 'template', id, op: 'delete', project_id })
}

function columnsOf(tasks: readonly TemplateTask[]) {
  const text = JSON.stringify(tasks)
  if (Buffer.byteLength(text) > MOST_BYTES) {
    throw conflict('limit_reached', 'A template has at most 1 MiB of text.')
  }
  return { tasks: text, task_count: tasks.length }
}
