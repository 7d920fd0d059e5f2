import { useMemo } from 'react'
import { getCachedTask, useTasksRevision } from '../../../data/tasks/task-store.ts'
import { parseCellKey } from '../grouping/task-groups.ts'
import { useTasks } from '../grouping/use-tasks.ts'
import { ListLayout } from '../layout/list-layout.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import type { ProjectView } from '../project-view.ts'
import { buildBoardColumns, createRecentlyCompletedTest } from './board-columns.ts'
import { buildBoardLanes, createLaneOf, getLaneFoldKey } from './board-lanes.ts'
import type { BoardSettings } from './use-board-settings.ts'

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
  const { list, error, retry } = useTasks(context, view)
  const { group, filter, lanes: lanesBy } = view
  const revision = useTasksRevision()
  const shownFolds = useMemo(() => unfoldCell(folded, adding), [folded, adding])
  const columns = useMemo(() => {
    if (!list) return []
    const recent = showsAllCompleted
      ? undefined
      : createRecentlyCompletedTest({ group, filter }, context.filterContext, getCachedTask)
    return buildBoardColumns(context, group, list, shownFolds, recent)
  }, [context, group, filter, list, shownFolds, showsAllCompleted])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a task may be in another lane since
  const lanes = useMemo(
    () =>
      lanesBy === 'none'
        ? undefined
        : buildBoardLanes(context, columns, {
            lanes: lanesBy,
            laneOf: createLaneOf(lanesBy, getCachedTask),
            folded: shownFolds,
          }),
    [context, columns, lanesBy, shownFolds, revision],
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
    list,
    error,
    retry,
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
