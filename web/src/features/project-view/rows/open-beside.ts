import type { MouseEvent } from 'react'
import { isTempId } from '../../../data/tasks/task-store.ts'
import { isPlainClick } from '../../../lib/browser/is-plain-click.ts'
import type { ProjectPageContext } from '../project-page-context.ts'

/** Handles clicks on a row's links: a plain click opens the task in the panel beside the list. */
export const openBeside =
  ({ selection, open }: ProjectPageContext, id: string, short_id: string, hash?: string) =>
  (event: MouseEvent): void => {
    if (!isPlainClick(event)) return
    event.preventDefault()
    selection.moveCursor(id)
    // A task that is not saved yet has no page.
    if (!isTempId(id)) open(short_id, hash)
  }
