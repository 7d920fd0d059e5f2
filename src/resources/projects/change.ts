import { changesBetween } from '#core/changes.ts'
import { later } from '#core/later.ts'
import { conflict, invalid } from '#core/refusal.ts'
import type { Found } from '#core/route.ts'
import type { ReadTx, WriteTx } from '#core/tx.ts'
import { advanceGeneration } from '#identity/generation.ts'
import { fold } from '#lib/fold.ts'
import { fromJson } from '#lib/json.ts'
import { wordsOf } from '#lib/words.ts'
import { stopTimers } from '#storage/timers.ts'
import { fault } from '#wire/fault.ts'
import type { Project } from './contract.ts'
import { reserve } from './create.ts'
import type { WantedStatus } from './internal.ts'
import { showProject } from './load.ts'
import { refuseBlindLead } from './people.ts'
import { changedKeys, statusesOf } from './statuses.ts'
import { changedProject, tasksWithStatus, updateProject } from './store.ts'

type Plain = Pick<
  Project,
  | 'name'
  | 'prefix'
  | 'description'
  | 'color'
  | 'icon'
  | 'lead_id'
  | 'visibility'
  | 'start_date'
  | 'target_date'
>

/** What of a project is to be changed; what is absent stays as it is. */
export type ProjectChange = { [F in keyof Plain]?: Plain[F] | undefined } & {
  statuses?: readonly WantedStatus[] | undefined
  archived?: boolean | undefined
}

/**
 * Changes a project and tells it: `project.updated`; nothing where nothing differs. A new prefix is
 * reserved beside the former ones, so all earlier short ids keep resolving; 409 `prefix_taken`. A
 * status with tasks can neither go nor change its category: 409 `status_in_use`; deleted tasks find
 * another one when they are restored. Archiving stops the timers that run in the project. 404 where
 * the actor does not see the project; who may change it is for the caller to say.
 */
export async function changeProject(
  tx: WriteTx,
  id: string,
  { archived, statuses: wanted, ...plain }: ProjectChange,
): Promise<Found<Project>> {
  const found = await showProject(tx, id)
  const before = fromJson(found.json)
  const statuses = wanted ? statusesOf(wanted, before.statuses) : before.statuses
  const archived_at = archivedAt(tx, before, archived)
  const next: Project = { ...before, ...given(plain), statuses, archived_at }
  if (Object.keys(changesBetween(before, next)).length === 0) return found

  await refuseFaulty(tx, before, next)
  await refuseInUse(tx, before, next)
  if (next.prefix !== before.prefix) await reserve(tx, next.prefix, id)
  await tx.run(updateProject, {
    ...next,
    name_key: fold(next.name),
    name_words: ` ${wordsOf(next.name).join(' ')}`,
    statuses: JSON.stringify(statuses),
    updated_at: later(tx, before.updated_at),
  })
  if (archived_at !== null && before.archived_at === null) await stopTimers(tx, { project_id: id })

  const changed = await tx.one(changedProject, { id })
  if (!changed) throw new Error('A project is gone while it is changed')
  const changes = changesBetween(before, fromJson(changed.json))
  // Whoever looks on may see it from now on, or no more, in every process.
  if ('visibility' in changes || 'lead_id' in changes) await advanceGeneration(tx)
  auditAccess(tx, before, next)
  tx.emit('project.updated', changed.json, { subject_id: id, project_id: id, changes })
  return changed
}

/** Who sees the project, and who changes it. */
function auditAccess(tx: WriteTx, before: Project, next: Project): void {
  const { id, visibility, lead_id } = next
  if (visibility !== before.visibility) {
    tx.audit('project.visibility_changed', id, { from: before.visibility, to: visibility })
  }
  if (lead_id !== before.lead_id) {
    tx.audit('project.lead_changed', id, { from: before.lead_id, to: lead_id })
  }
}

/** What is undefined was not asked for. */
const given = (plain: { [F in keyof Plain]?: Plain[F] | undefined }) =>
  Object.fromEntries(
    Object.entries(plain).filter(([, value]) => value !== undefined),
  ) as Partial<Plain>

/** When it was archived stays said while it is. */
function archivedAt(tx: WriteTx, { archived_at }: Project, archived?: boolean): string | null {
  if (archived === undefined) return archived_at
  return archived ? (archived_at ?? tx.now) : null
}

async function refuseFaulty(tx: ReadTx, before: Project, next: Project): Promise<void> {
  const { id, start_date, target_date, lead_id } = next
  const moved = start_date !== before.start_date || target_date !== before.target_date
  if (moved && start_date !== null && target_date !== null && start_date > target_date) {
    const isStart = start_date !== before.start_date
    throw invalid(
      isStart
        ? fault('start_date', 'invalid_range', 'must not be after target_date')
        : fault('target_date', 'invalid_range', 'must not be before start_date'),
    )
  }
  if (lead_id !== null && lead_id !== before.lead_id) {
    await refuseBlindLead(tx, { project_id: id, lead_id }, 'lead_id')
  }
}

async function refuseInUse(tx: ReadTx, before: Project, next: Project): Promise<void> {
  const keys = changedKeys(before.statuses, next.statuses)
  if (keys.length === 0) return
  const used = await tx.one(tasksWithStatus, { project_id: before.id, keys })
  if (!used) return
  const { name } = before.statuses.find(({ key }) => key === used.status) ?? { name: used.status }
  throw conflict(
    'status_in_use',
    `Tasks have the status ${name}: it can neither go nor change its category.`,
  )
}
