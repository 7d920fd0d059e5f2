import { conflict, refuseFaults } from '#core/refusal.ts'
import type { WriteTx } from '#core/tx.ts'
import { fromJson } from '#lib/json.ts'
import { activeMembersSeeing } from '#resources/members/seeing.ts'
import { refuseArchived } from '#resources/projects/load.ts'
import { nextNumber } from '#resources/projects/number.ts'
import { type Fault, fault } from '#wire/fault.ts'
import { type Becoming, change } from './change.ts'
import type { Core, Setting } from './core.ts'
import type { Task } from './fields.ts'
import type { TaskToWrite } from './load.ts'
import { forgetNumber, formerNumber, keepNumber } from './numbers.ts'
import { endOf, rankAt } from './place.ts'
import { recur } from './recur.ts'
import { descendants } from './related.ts'
import { checkPlace } from './rules/placing.ts'
import { mappedStatus, stageOf } from './rules/status.ts'
import { mappedTags } from './rules/tagging.ts'
import { settingOf } from './setting.ts'
import { taskById } from './shown.ts'
import { tellChanged, tellCreated } from './tell.ts'
import { settle, type Wished } from './wish.ts'

/** Descendants that one deletion or move takes along at most (contract 2.2). */
const MOST_TAKEN_ALONG = 1_000

/**
 * Moves a task with its subtasks to another project (contract 6.2): it gets a number there, and what the
 * other project does not know is mapped, unless the request names it.
 */
export async function move(tx: WriteTx, task: TaskToWrite, project_id: string, wished: Wished) {
  const { record } = task
  const faults: Fault[] = []
  const target = await settingOf(tx, project_id)
  if (!target) {
    faults.push(fault('project_id', 'invalid_reference', 'must be a project that you see'))
    return refuse(faults)
  }
  const base = { ...(await mapped(tx, record, target)), parent_id: null }
  const { core, refuseConflicts } = await settle(tx, record.id, target, base, wished, faults)
  const place = await checkPlace(tx, record.id, project_id, wished, faults)
  refuseFaults(faults)
  refuseArchived(task)
  refuseArchived(target)
  const along = await tx.all(descendants, { id: record.id })
  refuseTooMany(along.length)
  await refuseConflicts()

  const position = place && (await rankAt(tx, { ...place, project_id, id: null, position: null }))
  const carried = [await carry(tx, record, target, core, position)]
  for (const { id } of along) {
    const before = fromJson((await found(tx, id)).json)
    carried.push(await carry(tx, before, target, await mapped(tx, before, target)))
  }
  await tellCarried(tx, target, carried)
  return found(tx, record.id)
}

/** Counts of subtasks change while they are carried, so what is told is read when all is done. */
async function tellCarried(tx: WriteTx, target: Setting, carried: Carried[]): Promise<void> {
  const next: Awaited<ReturnType<typeof recur>>[] = []
  for (const { completed } of carried) {
    next.push(completed && (await recur(tx, target, completed)))
  }
  for (const [at, { before }] of carried.entries()) {
    await tellChanged(tx, before, (await found(tx, before.id)).json)
    const created = next[at]
    if (created) tellCreated(tx, { ...created, json: (await found(tx, created.id)).json })
  }
}

async function found(tx: WriteTx, id: string) {
  const task = await tx.one(taskById, { id })
  if (!task) throw new Error('A task is gone while it moves')
  return task
}

function refuse(faults: readonly Fault[]): never {
  refuseFaults(faults)
  throw new Error('There was no fault to refuse')
}

export function refuseTooMany(along: number): void {
  if (along <= MOST_TAKEN_ALONG) return
  const message = `A task takes at most ${MOST_TAKEN_ALONG} subtasks along.`
  throw conflict('limit_reached', message)
}

/** What a task's fields become in another project where nothing is said about them. */
async function mapped(tx: WriteTx, task: Task, { project_id, statuses }: Setting): Promise<Core> {
  const seeing = await activeMembersSeeing(tx, project_id, task.assignee_ids)
  return {
    ...task,
    status: mappedStatus(statuses, task).key,
    tag_ids: await mappedTags(tx, project_id, task.tag_ids),
    assignee_ids: task.assignee_ids.filter((id) => seeing.has(id)),
  }
}

interface Carried {
  before: Task
  /** What it was completed as, if the move completed it. */
  completed: Task | undefined
}

/** Writes one task over into the other project. */
async function carry(
  tx: WriteTx,
  before: Task,
  target: Setting,
  core: Core,
  position?: string,
): Promise<Carried> {
  const { project_id } = target
  const stage = stageOf(tx, target.statuses, core.status, before)
  const completes = stage.status_category === 'completed' && before.status_category !== 'completed'
  const recurrence = completes ? null : core.recurrence
  const more: Becoming['more'] = {
    project_id,
    number: await numberIn(tx, before, project_id),
    position: position ?? (await endOf(tx, project_id)),
  }
  const changed = await change(tx, before, { core: { ...core, recurrence }, stage, more })
  if (!changed) throw new Error('A move changed nothing')
  return { before, completed: completes ? { ...before, ...core } : undefined }
}

/** The number that the task had there before, or the next; the present one keeps leading to it. */
async function numberIn(tx: WriteTx, { id, project_id, number }: Task, target: string) {
  await tx.run(keepNumber, { project_id, number, task_id: id })
  const former = await tx.one(formerNumber, { project_id: target, task_id: id })
  if (!former) return nextNumber(tx, target)
  await tx.run(forgetNumber, { project_id: target, number: former.number })
  return former.number
}
