import { showToast } from '../../data/app/toasts.ts'
import { fetchMembersOfProjects } from '../../data/resources/project-people.ts'
import { fetchTags } from '../../data/resources/tags.ts'
import type { Boot } from '../../data/session/boot.ts'
import type { Task } from '../../data/tasks/task-patch.ts'
import type { PlainDate } from '../../lib/dates/plain-date.ts'
import { myWorkMessages } from '../../messages/tasks/my-work.ts'
import { projectViewMessages } from '../../messages/tasks/project-view.ts'
import { showErrorToast } from '../../ui/feedback/error-message.tsx'
import { queueKeys } from '../../ui/keyboard/key-queue.ts'
import {
  createDeleteGuard,
  openFieldPickerFor,
  type PickerField,
  runCommandOnTasks,
  taskCommands,
} from '../project-view/index.ts'

/** What of the boot data the commands for tasks of several projects need. */
export type CrossProjectBoot = Pick<Boot, 'session' | 'projects' | 'members' | 'former'>

/** Returns why a field cannot be set: tasks of different projects share no statuses or tags. */
export const getFieldBlockReason = (
  tasks: readonly Task[],
  field: PickerField,
): string | undefined =>
  (field === 'status' || field === 'tags') && new Set(tasks.map((one) => one.project_id)).size > 1
    ? myWorkMessages.severalProjects
    : undefined

/** Returns why the tasks cannot be changed: the project of one of them is archived. */
export const getLockReason = (
  { projects }: Pick<Boot, 'projects'>,
  tasks: readonly Pick<Task, 'project_id'>[],
): string | undefined => {
  const isArchived = ({ id, status }: Boot['projects'][number]) =>
    status === 'archived' && tasks.some(({ project_id }) => project_id === id)
  return projects.some(isArchived) ? projectViewMessages.archivedReason : undefined
}

/** Opens the picker of a field for tasks that may belong to different projects. */
export async function openCrossProjectPicker(
  boot: CrossProjectBoot,
  tasks: readonly Task[],
  field: PickerField,
  anchor: Element,
): Promise<void> {
  const [first] = tasks
  const project = boot.projects.find(({ id }) => id === first?.project_id)
  const reason = getLockReason(boot, tasks) ?? getFieldBlockReason(tasks, field)
  if (reason !== undefined) showToast({ text: reason })
  if (!first || !project || reason !== undefined) return
  // Letters that are typed while its choices load are for the picker.
  let isCanceled = false
  const dropKeys = queueKeys(true, () => {
    isCanceled = true
  })
  const projects = boot.projects.filter((one) => tasks.some((task) => task.project_id === one.id))
  try {
    const tags = field === 'tags' ? await fetchTags(project.id) : []
    const people =
      field === 'assignees' ? await fetchMembersOfProjects(boot.members, projects) : boot.members
    if (isCanceled || !anchor.isConnected) return dropKeys()
    const target = {
      what: tasks.length === 1 ? first.short_id : projectViewMessages.tasks(tasks.length),
      tasks,
      does: (act: Parameters<typeof runCommandOnTasks>[1]) => runCommandOnTasks(tasks, act),
    }
    const context = { boot, project, tags, people, me: boot.session.user.id }
    openFieldPickerFor(context, field, target, anchor)
  } catch (error) {
    dropKeys()
    showErrorToast(error)
  }
}

/** Runs a command on tasks that may belong to different projects, with one undo. */
export const changeAcrossProjects = (
  boot: CrossProjectBoot,
  tasks: readonly Task[],
  command: Parameters<typeof runCommandOnTasks>[1],
): void => runUnlessLocked(boot, tasks, () => runCommandOnTasks(tasks, command))

/** Makes tasks due today, without a time. */
export const moveToToday = (boot: CrossProjectBoot, tasks: readonly Task[], day: PlainDate): void =>
  changeAcrossProjects(boot, tasks, {
    ...taskCommands.setDueDate({ boot }, { date: day, at: null }),
    label: myWorkMessages.movedToToday,
  })

export const completeAcrossProjects = (boot: CrossProjectBoot, tasks: readonly Task[]): void =>
  changeAcrossProjects(boot, tasks, taskCommands.completeAll(boot))

/** Deletes tasks; `onDelete` is called before they leave the list. */
export const deleteAcrossProjects = (
  boot: CrossProjectBoot,
  tasks: readonly Task[],
  onDelete: () => void,
): void =>
  runUnlessLocked(boot, tasks, () => {
    onDelete()
    runCommandOnTasks(tasks, taskCommands.deleteTasks({ undeletable: createDeleteGuard(boot) }))
  })

/** Runs what changes tasks, or says that the project of one of them is archived. */
export function runUnlessLocked(
  boot: Pick<Boot, 'projects'>,
  tasks: readonly Task[],
  run: () => void,
): void {
  const reason = getLockReason(boot, tasks)
  if (reason === undefined) run()
  else showToast({ text: reason })
}

/** Returns why the user cannot delete one of the tasks, or undefined. */
export const getDeleteBlockReason = (
  boot: CrossProjectBoot,
  tasks: readonly Task[],
): string | undefined => tasks.map(createDeleteGuard(boot)).find((reason) => reason !== undefined)
