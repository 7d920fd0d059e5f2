import { useMemo } from 'react'
import { Layout } from '../layout.ts'
import type { Screen } from '../screen.ts'
import { useTasks } from '../use-tasks.ts'
import type { View } from '../view.ts'
import { columnsOf } from './columns-of.ts'
import type { Kept } from './kept.ts'
import { lanesOf } from './lanes.ts'
import { useRecent } from './recent.ts'

interface Wanted {
  folded: Kept['folded']
  /** Whether all that is completed is wanted, not only what was lately. */
  all: boolean
  /** The cell in which a new task is typed. */
  adding: string | undefined
}

/** The columns of a board, cut into lanes where the view has some: then its sections are the cells. */
export function useBoard(screen: Screen, view: View, { folded, all, adding }: Wanted) {
  const { shown, error, retry } = useTasks(screen, view)
  const across = useMemo((): View => ({ ...view, group: view.lanes }), [view])
  const laned = useTasks(screen, across, undefined, view.lanes !== 'none').shown
  const recent = useRecent(screen, view)
  const index = shown?.index
  const group = shown?.view.group ?? view.group
  const columns = useMemo(
    () => (index ? columnsOf(screen, group, index, folded, all ? undefined : recent) : []),
    [screen, group, index, folded, all, recent],
  )
  // Until it is known what lies across, the columns are shown whole.
  const by = laned?.view.group === view.lanes ? laned.index : undefined
  const lanes = useMemo(
    () => by && lanesOf(screen, columns, { lanes: view.lanes, index: by, folded, adding }),
    [screen, columns, by, view.lanes, folded, adding],
  )
  const layout = useMemo(
    () =>
      lanes
        ? new Layout(
            lanes.flatMap(({ cells }) => cells),
            true,
            columns.length,
          )
        : new Layout(columns, true),
    [lanes, columns],
  )
  return {
    shown,
    error,
    retry,
    group,
    columns,
    lanes: columns.length > 0 ? lanes : undefined,
    layout,
  }
}
