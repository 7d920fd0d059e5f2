import { replaceEqualDeep } from '@tanstack/react-query'
import type { Project } from '#resources/projects/contract.ts'
import type { ChangePosition } from '../../replica/local-replica.ts'
import {
  type Boot,
  bootState,
  scheduleBootReload,
  shownRequest,
  updateBoot,
} from '../session/boot.ts'
import { cacheMember, cacheMemberRemoval } from '../session/boot-records.ts'
import { isSameValue, isTaskFinished } from '../tasks/task-patch.ts'
import { parsePosition } from './feed-position.ts'
import type { FeedChange } from './live-message.ts'

/** Counts of a project change with each of its tasks, and everything on the screen shows projects. */
const COUNTS_INTERVAL_MS = 2_000
/** The stream may overtake a reply with boot data by so many batches. */
const MAX_KEPT_BATCHES = 40

interface ChangeBatch extends ChangePosition {
  readonly changes: readonly FeedChange[]
}

const batches: ChangeBatch[] = []

/** Applies changes of the stream to the boot data: to its projects and members, and to what the person has to do. */
export function followBoot(batch: ChangeBatch): void {
  batches.push(batch)
  if (batches.length > MAX_KEPT_BATCHES) batches.shift()
  applyToBoot(batch.changes)
}

shownRequest.subscribe(() => {
  const shown = parsePosition(bootState.get()?.position ?? '')
  for (const { history, n, changes } of batches)
    if (history === shown.history && n > shown.n) applyToBoot(changes)
})

function applyToBoot(changes: readonly FeedChange[]): void {
  for (const change of changes) {
    if (change.type === 'project') {
      if (change.op === 'put') applyProject(change.record)
      else scheduleBootReload()
    } else if (change.type === 'member') {
      if (change.op === 'put') cacheMember(change.record)
      else cacheMemberRemoval(change.id)
    }
  }
  updateBoot((boot) => replaceEqualDeep(boot, { ...boot, mine: { due: findDue(boot, changes) } }))
}

/** The open tasks of the person that have a due date, after these changes. */
function findDue({ session, mine }: Boot, changes: readonly FeedChange[]): Boot['mine']['due'] {
  const due = new Map(mine.due.map((one) => [one.id, one]))
  for (const change of changes) {
    if (change.type !== 'task') continue
    due.delete(change.id)
    if (change.op === 'delete') continue
    const { id, due_date, assignee_ids } = change.record
    const isMine = assignee_ids.includes(session.user.id) && !isTaskFinished(change.record)
    if (isMine && due_date !== null) due.set(id, { id, due_date })
  }
  return [...due.values()]
}

/** The latest records of projects that are applied together. */
const changedProjects = new Map<string, Project>()

function applyProject(project: Project): void {
  const known = bootState.get()?.projects.find(({ id }) => id === project.id)
  // A new project, or one that the person sees from now on.
  if (!known) {
    scheduleBootReload()
    return
  }
  if (changedProjects.size === 0) setTimeout(applyProjects, COUNTS_INTERVAL_MS)
  changedProjects.set(project.id, project)
  const hasOnlyOtherCounts = isSameValue(
    { ...known, task_counts: 0 },
    { ...project, task_counts: 0 },
  )
  if (!hasOnlyOtherCounts) applyProjects()
}

function applyProjects(): void {
  if (changedProjects.size === 0) return
  updateBoot((boot) => {
    const projects = boot.projects.map((project) => changedProjects.get(project.id) ?? project)
    return replaceEqualDeep(boot, { ...boot, projects })
  })
  changedProjects.clear()
}
