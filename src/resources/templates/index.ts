import { allowAnyRole, readRoute, writeRoute } from '#core/route.ts'
import {
  createTemplate,
  deleteTemplate,
  getTemplate,
  instantiateTemplate,
  listTemplates,
  updateTemplate,
} from './internal.ts'
import { assertCanWriteTemplates, loadTemplate, loadTemplateToWrite } from './load.ts'
import { create, get, list, remove, update } from './operations.ts'
import { createTasksFromTemplate } from './template-tasks.ts'

export const templates = [
  readRoute(listTemplates, allowAnyRole, list),
  writeRoute(createTemplate, assertCanWriteTemplates, create),
  readRoute(getTemplate, (tx, { params }) => loadTemplate(tx, params.id), get),
  writeRoute(updateTemplate, (tx, { params }) => loadTemplateToWrite(tx, params.id), update),
  writeRoute(deleteTemplate, (tx, { params }) => loadTemplateToWrite(tx, params.id), remove),
  writeRoute(
    instantiateTemplate,
    (tx, { params }) => loadTemplate(tx, params.id),
    createTasksFromTemplate,
  ),
]
