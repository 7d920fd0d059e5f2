import type { MouseEvent } from 'react'
import { findTaskIdByNumber, useTask } from '../../../data/tasks/task-store.ts'
import { isPlainClick } from '../../../lib/browser/is-plain-click.ts'
import { useProjectPageContext } from '../project-page-context.ts'

/** A task of the project by its number, and its link; a negative number is not saved yet. */
export function useTaskEntry(number: number) {
  const { project, open, taskHref } = useProjectPageContext()
  const task = useTask(findTaskIdByNumber(project.id, number))
  const short_id = `${project.prefix}-${number}`
  const href = number > 0 ? taskHref(short_id) : undefined
  const openInPanel = (event: MouseEvent) => {
    if (!isPlainClick(event)) return
    event.preventDefault()
    if (number > 0) open(short_id)
  }
  return { task, short_id, href, openInPanel }
}
