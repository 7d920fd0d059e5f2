import { changesBetween } from '#core/changes.ts'
import { later } from '#core/later.ts'
import type { Found } from '#core/route.ts'
import type { WriteTx } from '#core/tx.ts'
import { fold } from '#lib/fold.ts'
import { fromJson } from '#lib/json.ts'
import { wordsOf } from '#lib/words.ts'
import { command, row, type Scoped } from '#storage/statement.ts'
import type { ProjectRow } from '#storage/tables.ts'
import { stopTimers } from '#storage/timers.ts'
import type { Project } from './contract.ts'
import { reserve } from './create.ts'
import { showProject } from './load.ts'

/** What of a project is to be changed; what is absent stays as it is. */
export interface ProjectChange {
  name?: string | undefined
  prefix?: string | undefined
  visibility?: 'workspace' | 'private' | undefined
  archived?: boolean | undefined
}

/**
 * Changes a project and tells it: `project.updated`; nothing where nothing differs. A new prefix is
 * reserved beside the former ones, so all earlier short ids keep resolving; 409 `prefix_taken`.
 * Archiving stops the timers that run in the project. 404 where the actor does not see the project;
 * who may change it is for the caller to say.
 */
export async function changeProject(
  tx: WriteTx,
  id: string,
  wanted: ProjectChange,
): Promise<Found<Project>> {
  const found = await showProject(tx, id)
  const before = fromJson(found.json)
  const { name = before.name, prefix = before.prefix, visibility = before.visibility } = wanted
  const archived_at = archivedAt(tx, before, wanted.archived)
  const next = { ...before, name, prefix, visibility, archived_at }
  if (Object.keys(changesBetween(before, next)).length === 0) return found

  if (prefix !== before.prefix) await reserve(tx, prefix, id)
  const updated_at = later(tx, before.updated_at)
  const words = { name_key: fold(name), name_words: ` ${wordsOf(name).join(' ')}` }
  await tx.run(updateProject, { id, name, ...words, prefix, visibility, archived_at, updated_at })
  if (archived_at !== null && before.archived_at === null) await stopTimers(tx, { project_id: id })

  const changed = await showProject(tx, id)
  const changes = changesBetween(before, fromJson(changed.json))
  tx.emit('project.updated', changed.json, { subject_id: id, project_id: id, changes })
  return changed
}

/** When it was archived stays said while it is. */
function archivedAt(tx: WriteTx, { archived_at }: Project, archived?: boolean): string | null {
  if (archived === undefined) return archived_at
  return archived ? (archived_at ?? tx.now) : null
}

const COLUMNS = [
  'name',
  'name_key',
  'name_words',
  'prefix',
  'visibility',
  'archived_at',
  'updated_at',
] as const

const updateProject = command((db, $: Scoped<Pick<ProjectRow, 'id' | (typeof COLUMNS)[number]>>) =>
  db
    .updateTable('projects')
    .set(row($, ...COLUMNS))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)
