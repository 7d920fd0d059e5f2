import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { reportMessages } from '../../messages/projects/reports.ts'
import { type ChartData, type ChartPoint, type ChartShape, getScaleMax } from './report-view.ts'

interface ReportChartProps {
  data: ChartData
  /** The report and its finding, for screen readers. */
  label: string
  /** The index of the point whose description is shown. */
  activeIndex: number | undefined
  onActivate: (index: number) => void
  /** Called on Enter or a click. */
  onOpen: (point: ChartPoint) => void
}

/** The heights of end labels of one and two lines, as a share of the chart height. */
const LABEL_HEIGHT = 0.085
const TWO_LINE_LABEL_HEIGHT = 0.19

/** A chart with the role of a slider: the arrow keys move from point to point. */
export function ReportChart({ data, label, activeIndex, onActivate, onOpen }: ReportChartProps) {
  const { points, xLabels, formatTick, shapes } = data
  const scaleMax = getScaleMax(data.max)
  const [focused, setFocused] = useState(false)
  const active = activeIndex === undefined ? undefined : points[activeIndex]
  const y = (value: number) => 100 - (Math.min(value, scaleMax) / scaleMax) * 100
  const handleKeyDown = (event: KeyboardEvent) => {
    const last = points.length - 1
    const steps: Record<string, number> = {
      ArrowRight: Math.min((activeIndex ?? -1) + 1, last),
      ArrowUp: Math.min((activeIndex ?? -1) + 1, last),
      ArrowLeft: Math.max((activeIndex ?? last + 1) - 1, 0),
      ArrowDown: Math.max((activeIndex ?? last + 1) - 1, 0),
      PageUp: Math.min((activeIndex ?? 0) + 10, last),
      PageDown: Math.max((activeIndex ?? 0) - 10, 0),
      Home: 0,
      End: last,
    }
    const next = steps[event.key]
    if (next !== undefined) onActivate(next)
    else if (event.key === 'Enter' && active) onOpen(active)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <figure className="chart">
      <ol className="y" aria-hidden="true">
        {[0, 1, 2, 3, 4].map((step) => (
          <li key={step}>{formatTick((scaleMax * step) / 4)}</li>
        ))}
      </ol>
      <div
        className="plot"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={1}
        aria-valuemax={points.length}
        aria-valuenow={(activeIndex ?? points.length - 1) + 1}
        aria-valuetext={active?.description ?? reportMessages.move}
        aria-orientation="horizontal"
        onKeyDown={handleKeyDown}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        onPointerMove={(event) => onActivate(findNearest(event, points, scaleMax))}
        onClick={() => active && onOpen(active)}
      >
        <svg aria-hidden="true">
          {[0, 25, 50, 75, 100].map((level) => (
            <line
              key={level}
              className={level === 100 ? 'base' : 'grid'}
              x1="0"
              x2="100%"
              y1={`${level}%`}
              y2={`${level}%`}
            />
          ))}
          <svg
            aria-hidden="true"
            viewBox="0 0 100 100"
            preserveAspectRatio="none"
            width="100%"
            height="100%"
          >
            {shapes.map((shape, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: shapes have a fixed order
              <path key={n} className={shape.className} d={pathOf(shape, y)} />
            ))}
          </svg>
          {points.map(
            ({ x, y: value }, n) =>
              value !== undefined && (
                // biome-ignore lint/suspicious/noArrayIndexKey: marks have a fixed order
                <circle key={n} cx={`${x * 100}%`} cy={`${y(value)}%`} r={3} />
              ),
          )}
          {active && (
            <line
              className="read"
              x1={`${active.x * 100}%`}
              x2={`${active.x * 100}%`}
              y1="0"
              y2="100%"
            />
          )}
          {active?.y !== undefined && (
            <circle className="read" cx={`${active.x * 100}%`} cy={`${y(active.y)}%`} r={5} />
          )}
        </svg>
      </div>
      <ol className="ends" aria-hidden="true">
        {spreadLabels(data.endLabels, scaleMax)
          .toReversed()
          .map(({ text, more, offset }) => (
            <li key={text} style={{ insetBlockStart: `${offset * 100}%` }}>
              <b>{text}</b>
              {more && <span>{more}</span>}
            </li>
          ))}
      </ol>
      <ol className="x" aria-hidden="true">
        {xLabels.map((text, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two labels may be alike
          <li key={n}>{text}</li>
        ))}
      </ol>
      <figcaption className="told">
        {active?.description ?? (focused ? reportMessages.move : '\u00A0')}
      </figcaption>
    </figure>
  )
}

const roundCoordinate = (value: number) => Math.round(value * 100) / 100

function pathOf({ points, baseline }: ChartShape, y: (value: number) => number): string {
  const corners = [...points, ...(baseline?.toReversed() ?? [])]
  const path = corners
    .map(([x, value]) => `${roundCoordinate(x * 100)} ${roundCoordinate(y(value))}`)
    .join('L')
  return `M${path}${baseline ? 'Z' : ''}`
}

function findNearest(event: PointerEvent, points: readonly ChartPoint[], scaleMax: number): number {
  const { left, top, width, height } = event.currentTarget.getBoundingClientRect()
  let [nearest, minDistance] = [0, Number.POSITIVE_INFINITY]
  points.forEach(({ x, y }, n) => {
    const dx = x * width - (event.clientX - left)
    const dy = y === undefined ? 0 : (1 - y / scaleMax) * height - (event.clientY - top)
    const distance = dx * dx + dy * dy
    if (distance < minDistance) [nearest, minDistance] = [n, distance]
  })
  return nearest
}

/** Moves the end labels so that they neither overlap nor leave the chart. */
function spreadLabels(ends: ChartData['endLabels'], scaleMax: number) {
  const fromTop = ends
    .toSorted((a, b) => b.at - a.at)
    .map((end) => ({ ...end, height: end.more ? TWO_LINE_LABEL_HEIGHT : LABEL_HEIGHT }))
  let nextFree = 0
  const pushedDown = fromTop.map((end) => {
    const natural = 1 - Math.min(end.at, scaleMax) / scaleMax - LABEL_HEIGHT / 2
    const offset = Math.max(natural, nextFree)
    nextFree = offset + end.height
    return { ...end, offset }
  })
  let limit = 1
  return pushedDown.toReversed().map((end) => {
    limit = Math.min(end.offset, limit - end.height)
    return { ...end, offset: limit }
  })
}
