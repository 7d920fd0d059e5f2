import type { Task } from '../../../data/tasks/task-patch.ts'
import { PRIORITY_VALUES } from '../../property-definitions.ts'
import type { NestedTask } from '../grouping/nest-subtasks.ts'
import { getLaneLabel } from '../grouping/task-sections.ts'
import type { ListLayout, TaskSection } from '../layout/list-layout.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import type { ProjectView } from '../project-view.ts'

/** A row across the columns of a board, whose tasks share the value of a property. */
export interface BoardLane {
  key: string
  label: string
  count: number
  folded: boolean
  cells: readonly TaskSection[]
}

/** The key of the lane for tasks without a value. */
const NO_VALUE_KEY = 'none'

/** The key under which the folded state of a lane is stored. */
export const getLaneFoldKey = (lane: string): string => `/${lane}`

type LaneOf = (id: string) => string

/** Finds the keys of the lanes of tasks. Each combination of assignees has a lane of its own. */
export const createLaneOf =
  (
    lanes: ProjectView['lanes'],
    taskOf: (id: string) => Pick<Task, 'assignee_ids' | 'priority'> | undefined,
  ): LaneOf =>
  (id) => {
    const task = taskOf(id)
    if (!task) return NO_VALUE_KEY
    if (lanes === 'priority') return task.priority
    // In alphabetical order, so that the same assignees always give the same lane.
    return task.assignee_ids.toSorted().join() || NO_VALUE_KEY
  }

interface LaneOptions {
  lanes: ProjectView['lanes']
  laneOf: LaneOf
  folded: Readonly<Record<string, boolean>>
}

/** Splits the columns of a board into lanes. */
export function buildBoardLanes(
  context: ProjectPageContext,
  columns: readonly TaskSection[],
  { lanes, laneOf, folded }: LaneOptions,
): BoardLane[] {
  const linesByLane = columns.map(({ lines }) => Map.groupBy(lines, ({ id }) => laneOf(id)))
  const keys = new Set([...linesByLane.flatMap((by) => [...by.keys()]), NO_VALUE_KEY])
  const result = [...keys].map((key): BoardLane => {
    const label = getLaneLabel(context, lanes, key)
    const isFolded = folded[getLaneFoldKey(key)] ?? false
    const cells = columns.map((column, at) => {
      const lines = linesByLane[at]?.get(key) ?? NO_LINES
      return {
        ...column,
        lines,
        count: lines.length,
        folded: column.folded || isFolded,
        key: `${column.key}/${key}`,
        label: `${column.label}, ${label}`,
      }
    })
    const count = cells.reduce((sum, cell) => sum + cell.count, 0)
    return { key, label, count, folded: isFolded, cells }
  })
  return result.toSorted((a, b) => laneRank(a) - laneRank(b) || a.label.localeCompare(b.label))
}

const NO_LINES: readonly NestedTask[] = []

const PRIORITIES: readonly string[] = PRIORITY_VALUES

/** Priorities in their order; single assignees before shared tasks; tasks without a value last. */
function laneRank({ key }: BoardLane): number {
  const priority = PRIORITIES.indexOf(key)
  return key === NO_VALUE_KEY ? Number.MAX_SAFE_INTEGER : priority < 0 ? key.length : priority
}

/** The section next to another; undefined at the end of its lane. */
export function findSectionBeside(
  layout: ListLayout,
  at: number,
  by: number,
): TaskSection | undefined {
  const { sections, sectionsPerRow } = layout
  const isWithin =
    sectionsPerRow === 1 ||
    Math.floor(at / sectionsPerRow) === Math.floor((at + by) / sectionsPerRow)
  return at < 0 || isWithin ? sections[at + by] : undefined
}
