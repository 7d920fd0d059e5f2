import { useEffect, useRef } from 'react'
import { findTaskIdByNumber, getCachedTask, getRealId } from '../../../data/tasks/task-store.ts'
import type { ProjectList } from '../grouping/project-list.ts'
import type { ListLayout } from '../layout/list-layout.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import { retainInView } from './retain-in-view.ts'

interface RetainSelectionProps {
  layout: ListLayout
  /** The tasks of the view; undefined until they are loaded. */
  list: ProjectList | undefined
}

/**
 * Keeps the selection and the cursor within the view: no key may change a task that has left it. A
 * component without output, because the first rows do not wait for it.
 */
export function RetainSelection({ layout, list }: RetainSelectionProps): null {
  const { selection, project } = useProjectPageContext()
  const previousLayout = useRef(layout)
  useEffect(() => {
    const previous = previousLayout.current
    previousLayout.current = layout
    if (!list || (selection.cursor === undefined && selection.selected.size === 0)) return
    const getSavedNumber = (number: number) => {
      const id = findTaskIdByNumber(project.id, number)
      return (number < 0 && getCachedTask(getRealId(id ?? ''))?.number) || number
    }
    const numbersInView = new Set(list.groups.flatMap(({ numbers }) => numbers))
    retainInView(selection, numbersInView, previous.order, getSavedNumber)
  }, [selection, project.id, layout, list])
  // A title that is edited here must not open in the next view, where it would take its keys.
  useEffect(() => () => selection.edit(undefined), [selection])
  return null
}
