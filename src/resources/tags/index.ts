import { route } from '#core/route.ts'
import { loadProject } from '#resources/projects/load.ts'
import { createTag, deleteTag, getTag, listTags, updateTag } from './contract.ts'
import { loadProjectToTag, loadTag, loadTagToWrite } from './load.ts'
import { create, get, list, remove, update } from './operations.ts'

export const tags = [
  route(listTags, (tx, { params }) => loadProject(tx, params.id), list),
  route(createTag, (tx, { params }) => loadProjectToTag(tx, params.id), create),
  route(getTag, (tx, { params }) => loadTag(tx, params.id), get),
  route(updateTag, (tx, { params }) => loadTagToWrite(tx, params.id), update),
  route(deleteTag, (tx, { params }) => loadTagToWrite(tx, params.id), remove),
]
