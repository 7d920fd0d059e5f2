import { fitTitle } from '#lib/fit-title.ts'
import { projectViewMessages } from '../../messages/tasks/project-view.ts'
import { changeTask } from './change-task.ts'
import type { Task } from './task-patch.ts'

/**
 * Gives a task the title that was typed or pasted, unless it is empty or the same as when editing
 * began. All of a text that is too long for a title is put on top of the description, or of what turns out
 * to be the description if the task is a row of a list (`task-change-kind.ts`).
 */
export function changeTitle(from: Task, typed: string): void {
  const { title, description: whole } = fitTitle(typed)
  if (title === '' || (title === from.title && whole === undefined)) return
  const patch =
    whole === undefined
      ? { title }
      : { title, description: from.description ? `${whole}\n\n${from.description}` : whole }
  changeTask(from.id, patch, { label: projectViewMessages.renamed(from.short_id), from })
}
