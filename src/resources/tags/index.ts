import { readRoute, writeRoute } from '#core/route.ts'
import { loadProject } from '#resources/projects/load.ts'
import { createTag, deleteTag, getTag, listProjectTags, updateTag } from './contract.ts'
import { mergeTag } from './internal.ts'
import { loadProjectToTag, loadTag, loadTagToWrite } from './load.ts'
import { merge } from './merge.ts'
import { create, get, list, remove, update } from './operations.ts'

export const tags = [
  readRoute(listProjectTags, (tx, { params }) => loadProject(tx, params.id), list),
  writeRoute(createTag, (tx, { params }) => loadProjectToTag(tx, params.id), create),
  readRoute(getTag, (tx, { params }) => loadTag(tx, params.id), get),
  writeRoute(updateTag, (tx, { params }) => loadTagToWrite(tx, params.id), update),
  writeRoute(deleteTag, (tx, { params }) => loadTagToWrite(tx, params.id), remove),
  writeRoute(mergeTag, (tx, { params }) => loadTagToWrite(tx, params.id), merge),
]
