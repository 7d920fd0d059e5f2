import { bulkRoute } from '#core/bulk.ts'
import { readRoute, writeRoute } from '#core/route.ts'
import { loadProject } from '#resources/projects/load.ts'
import { bulkTags, createTag, deleteTag, getTag, listProjectTags, updateTag } from './contract.ts'
import { mergeTag } from './internal.ts'
import { loadProjectToTag, loadTag, loadTagToWrite } from './load.ts'
import { merge } from './merge.ts'
import { create, get, list, remove, update } from './operations.ts'

const writes = {
  create: writeRoute(createTag, (tx, { params }) => loadProjectToTag(tx, params.id), create),
  update: writeRoute(updateTag, (tx, { params }) => loadTagToWrite(tx, params.id), update),
  delete: writeRoute(deleteTag, (tx, { params }) => loadTagToWrite(tx, params.id), remove),
}

export const tags = [
  readRoute(listProjectTags, (tx, { params }) => loadProject(tx, params.id), list),
  readRoute(getTag, (tx, { params }) => loadTag(tx, params.id), get),
  ...Object.values(writes),
  bulkRoute(bulkTags, writes),
  writeRoute(mergeTag, (tx, { params }) => loadTagToWrite(tx, params.id), merge),
]
