import type { Boot } from '../../data/boot.ts'
import { tagsOf } from '../../data/tags.ts'
import type { Task } from '../../data/task-view.ts'
import { toast } from '../../data/toasts.ts'
import { m } from '../../messages/tasks.ts'
import { messageOf } from '../../ui/trouble.tsx'
import { actOn } from '../tasks/act.tsx'
import * as acts from '../tasks/acts.ts'
import { type Field, openFieldOf } from '../tasks/pickers.tsx'
import { undeletableBy } from '../tasks/screen.ts'

/** Why a field of these cannot be set together: statuses and tags are a project's own. */
export const apart = (tasks: readonly Task[], field: Field): string | undefined =>
  (field === 'status' || field === 'tags') && new Set(tasks.map((one) => one.project_id)).size > 1
    ? m.severalProjects
    : undefined

/** Opens the picker of a field for tasks of whatever projects. */
export async function openPicked(
  boot: Boot,
  tasks: readonly Task[],
  field: Field,
  anchor: Element,
): Promise<void> {
  const [first] = tasks
  const project = boot.projects.find(({ id }) => id === first?.project_id)
  const why = apart(tasks, field)
  if (why !== undefined) toast({ text: why })
  if (!first || !project || why !== undefined) return
  try {
    const tags = field === 'tags' ? await tagsOf(project.id) : []
    const target = {
      what: tasks.length === 1 ? first.short_id : m.tasks(tasks.length),
      tasks,
      does: (act: Parameters<typeof actOn>[1]) => actOn(tasks, act),
    }
    openFieldOf({ boot, project, tags, me: boot.session.user.id }, field, target, anchor)
  } catch (error) {
    toast({ text: messageOf(error), tone: 'trouble' })
  }
}

export const completePicked = (boot: Boot, tasks: readonly Task[]): void =>
  actOn(tasks, acts.completeAll(boot))

export const removePicked = (boot: Boot, tasks: readonly Task[]): void =>
  actOn(tasks, acts.remove({ undeletable: undeletableBy(boot) }))

/** Why one of them cannot be deleted by this person. */
export const undeletable = (boot: Boot, tasks: readonly Task[]): string | undefined =>
  tasks.map(undeletableBy(boot)).find((why) => why !== undefined)
