import { useSearch } from '@tanstack/react-router'
import { useContext, useEffect, useRef, useSyncExternalStore } from 'react'
import { findTaskIdByShortId, getRealId, subscribeToTasks } from '../../../data/tasks/task-store.ts'
import { getSteppingOrder } from '../../../lib/state/stepping-order.ts'
import type { ProjectList } from '../grouping/project-list.ts'
import type { ListLayout } from '../layout/list-layout.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import { ProjectViewContext } from '../project-view.ts'
import { retainInView } from './retain-in-view.ts'

interface RetainSelectionProps {
  layout: ListLayout
  /** The tasks of the view; undefined until they are loaded. */
  list: ProjectList | undefined
}

/**
 * Keeps the selection and the cursor within the view, because no key may change a task that has left
 * it, and the cursor on the task that is open in the panel. A component without output, because the
 * first rows do not wait for it.
 */
export function RetainSelection({ layout, list }: RetainSelectionProps): null {
  const { selection } = useProjectPageContext()
  const shortId = useSearch({ strict: false, select: ({ task }) => task })
  // Its number is known before its task is here.
  const open = useSyncExternalStore(subscribeToTasks, () =>
    shortId === undefined ? undefined : findTaskIdByShortId(shortId),
  )
  const isListed = open !== undefined && layout.indexOf(open) !== undefined
  useEffect(() => selection.markOpen(open, isListed), [selection, open, isListed])
  useEffect(() => () => selection.markOpen(undefined, false), [selection])
  const view = useContext(ProjectViewContext)
  const previousLayout = useRef(layout)
  const previousView = useRef(view)
  useEffect(() => {
    const previous = selection.place ?? previousLayout.current.order
    const isSameView = previousView.current === view
    previousView.current = view
    // Once its panel closes, the cursor goes on from the place that the task had.
    const isOpen = !isListed && selection.cursor === open
    if (!isOpen) previousLayout.current = layout
    if (!list || (selection.cursor === undefined && selection.selected.size === 0)) return
    const idsInView = new Set(list.groups.flatMap(({ ids }) => ids))
    const { cursor, place } = selection
    retainInView(selection, idsInView, previous, getRealId, isOpen)
    if (cursor === undefined || cursor !== selection.cursor) return
    const isPlaceKept = place !== null && isSameView
    const order = isPlaceKept ? getSteppingOrder(previous, layout.order, cursor) : layout.order
    selection.place = order === layout.order ? undefined : order
  }, [selection, layout, list, open, isListed, view])
  // A title that is edited here must not open in the next view, where it would take its keys.
  useEffect(() => () => selection.edit(undefined), [selection])
  return null
}
