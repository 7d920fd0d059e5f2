import type { ListLayout } from '../layout/list-layout.ts'
import type { RowPositions } from '../layout/row-positions.ts'
import { getSpanFirstDay, getSpanLastDay, type TaskSpans } from '../schedule/task-spans.ts'
import type { TimeScale } from './time-scale.ts'

interface DependencyLinesProps {
  layout: ListLayout
  measures: RowPositions
  spans: TaskSpans
  scale: TimeScale
  first: number
  last: number
  /**
   * Revision of the loaded tasks, whose dates take precedence; a change renders the lines again.
   */
  revision: number
}

/** The maximum number of lines; more would be unreadable. */
const MAX_LINES = 300
const BEND_PX = 8

/** Lines from blockers to the tasks they block, if one of the two is near the viewport. */
export function DependencyLines({
  layout,
  measures,
  spans,
  scale,
  first,
  last,
}: DependencyLinesProps) {
  const pairs = new Map<string, [string, string]>()
  for (let index = first; index <= last && pairs.size < MAX_LINES; index += 1) {
    const item = layout.itemAt(index)
    if (item?.kind !== 'task') continue
    for (const pair of spans.dependenciesOf(item.line.id)) pairs.set(pair.join(), pair)
  }
  const middle = (index: number) => (measures.startOf(index) + measures.startOf(index + 1)) / 2
  return (
    <svg className="plan-links" aria-hidden="true" width="1" height="1">
      {[...pairs].map(([key, [blocker, blocked]]) => {
        const [above, below] = [layout.indexOf(blocker), layout.indexOf(blocked)]
        const [before, after] = [spans.get(blocker), spans.get(blocked)]
        if (above === undefined || below === undefined || !before || !after) return null
        const from = scale.x(getSpanLastDay(before)) + scale.day
        const to = scale.x(getSpanFirstDay(after))
        const [y, end] = [middle(above), middle(below)]
        const turn = from + BEND_PX
        const back = to < turn + BEND_PX ? `V${(y + end) / 2}H${to - BEND_PX}V${end}` : `V${end}`
        return (
          <path
            key={key}
            data-late={spans.isLate(blocker, blocked) || undefined}
            d={`M${from} ${y}H${turn}${back}H${to}m-4-3 4 3-4 3`}
          />
        )
      })}
    </svg>
  )
}
