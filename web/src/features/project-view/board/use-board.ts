import { useMemo } from 'react'
import { parseCellKey } from '../grouping/task-groups.ts'
import { useTasks } from '../grouping/use-tasks.ts'
import { ListLayout } from '../layout/list-layout.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import type { ProjectView } from '../project-view.ts'
import { buildBoardColumns } from './board-columns.ts'
import { buildBoardLanes, getLaneFoldKey } from './board-lanes.ts'
import type { BoardSettings } from './use-board-settings.ts'
import { useRecentlyCompleted } from './use-recently-completed.ts'

interface BoardOptions {
  folded: BoardSettings['folded']
  /** Whether all completed tasks are shown, not only recent ones. */
  showsAllCompleted: boolean
  /** The cell in which a new task is being typed. */
  adding: string | undefined
}

/**
 * The columns of a board, split into lanes if the view has them; then the sections of the layout
 * are the cells.
 */
export function useBoard(
  context: ProjectPageContext,
  view: ProjectView,
  { folded, showsAllCompleted, adding }: BoardOptions,
) {
  const { shown, shownView, error, retry } = useTasks(context, view)
  const laneView = useMemo((): ProjectView => ({ ...view, group: view.lanes }), [view])
  const laneTasks = useTasks(context, laneView, undefined, view.lanes !== 'none').shown
  const recent = useRecentlyCompleted(context, view)
  const index = shown?.index
  const { group } = shownView
  const shownFolds = useMemo(() => unfoldCell(folded, adding), [folded, adding])
  const columns = useMemo(
    () =>
      index
        ? buildBoardColumns(
            context,
            group,
            index,
            shownFolds,
            showsAllCompleted ? undefined : recent,
          )
        : [],
    [context, group, index, shownFolds, showsAllCompleted, recent],
  )
  // Until the lanes are loaded, the columns are shown as a whole.
  const laneIndex = laneTasks?.view.group === view.lanes ? laneTasks.index : undefined
  const lanes = useMemo(
    () =>
      laneIndex &&
      buildBoardLanes(context, columns, {
        lanes: view.lanes,
        index: laneIndex,
        folded: shownFolds,
      }),
    [context, columns, laneIndex, view.lanes, shownFolds],
  )
  const layout = useMemo(
    () =>
      lanes
        ? new ListLayout(
            lanes.flatMap(({ cells }) => cells),
            true,
            columns.length,
          )
        : new ListLayout(columns, true),
    [lanes, columns],
  )
  return {
    shown,
    error,
    retry,
    /** The view of the columns and lanes, by which cards are moved. */
    shownView: { ...shownView, lanes: view.lanes },
    columns,
    lanes: columns.length > 0 ? lanes : undefined,
    layout,
  }
}

/** Folded columns and lanes, without those of the cell in which a new task is being typed. */
function unfoldCell(
  folded: BoardSettings['folded'],
  adding: string | undefined,
): BoardSettings['folded'] {
  if (adding === undefined) return folded
  const { column, lane } = parseCellKey(adding)
  return { ...folded, [column]: false, ...(lane && { [getLaneFoldKey(lane)]: false }) }
}
