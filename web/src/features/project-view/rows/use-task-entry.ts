import type { MouseEvent } from 'react'
import { isTempId, useTask } from '../../../data/tasks/task-store.ts'
import { isPlainClick } from '../../../lib/browser/is-plain-click.ts'
import { useProjectPageContext } from '../project-page-context.ts'

/** A task of the view, and its link, which one that is not saved yet does not have. */
export function useTaskEntry(id: string) {
  const { open, taskHref } = useProjectPageContext()
  const task = useTask(id)
  const { short_id = '' } = task ?? {}
  const isSaved = !isTempId(id)
  const openInPanel = (event: MouseEvent) => {
    if (!isPlainClick(event)) return
    event.preventDefault()
    if (isSaved) open(short_id)
  }
  return { task, short_id, href: isSaved ? taskHref(short_id) : undefined, openInPanel }
}
