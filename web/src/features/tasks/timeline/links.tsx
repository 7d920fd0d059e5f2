import type { Layout } from '../layout.ts'
import type { Measures } from '../measures.ts'
import { firstOf, lastOf, type Spans } from '../plan/spans.ts'
import type { Scale } from './scale.ts'

interface Props {
  layout: Layout
  measures: Measures
  spans: Spans
  scale: Scale
  first: number
  last: number
  /** Of the tasks that the page knows: their days go before those of the index. */
  revision: number
}

/** So many lines are drawn at most: more of them say nothing. */
const MOST = 300
const BEND = 8

/** A line from each blocker to what waits for it, where one of the two is near the viewport. */
export function Links({ layout, measures, spans, scale, first, last }: Props) {
  const pairs = new Map<string, [number, number]>()
  for (let index = first; index <= last && pairs.size < MOST; index += 1) {
    const item = layout.at(index)
    if (item?.kind !== 'task') continue
    for (const pair of spans.linksOf(item.line.number)) pairs.set(pair.join(), pair)
  }
  const middle = (index: number) => (measures.startOf(index) + measures.startOf(index + 1)) / 2
  return (
    <svg className="plan-links" aria-hidden="true" width="1" height="1">
      {[...pairs].map(([key, [blocker, blocked]]) => {
        const [above, below] = [layout.indexOf(blocker), layout.indexOf(blocked)]
        const [before, after] = [spans.of(blocker), spans.of(blocked)]
        if (above === undefined || below === undefined || !before || !after) return null
        const from = scale.x(lastOf(before)) + scale.day
        const to = scale.x(firstOf(after))
        const [y, end] = [middle(above), middle(below)]
        const turn = from + BEND
        const back = to < turn + BEND ? `V${(y + end) / 2}H${to - BEND}V${end}` : `V${end}`
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
