import { anyone, route } from '#core/route.ts'
import {
  createTemplate,
  deleteTemplate,
  getTemplate,
  listTemplates,
  updateTemplate,
  useTemplate,
} from './internal.ts'
import { loadTemplate, loadTemplateToWrite, noGuest } from './load.ts'
import { create, get, list, remove, update } from './operations.ts'
import { make } from './use.ts'

export const templates = [
  route(listTemplates, anyone, list),
  route(createTemplate, noGuest, create),
  route(getTemplate, (tx, { params }) => loadTemplate(tx, params.id), get),
  route(updateTemplate, (tx, { params }) => loadTemplateToWrite(tx, params.id), update),
  route(deleteTemplate, (tx, { params }) => loadTemplateToWrite(tx, params.id), remove),
  route(useTemplate, (tx, { params }) => loadTemplate(tx, params.id), make),
]
