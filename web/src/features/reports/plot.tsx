import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { m } from '../../messages/reports.ts'
import { type Mark, type Plotted, type Shape, scaleTo } from './shown.ts'

interface Props {
  plot: Plotted
  /** The report and its finding, for who cannot see the chart. */
  label: string
  /** The mark that is read, and the way to read another. */
  at: number | undefined
  read: (at: number) => void
  /** What Enter or a click does with the mark. */
  open: (mark: Mark) => void
}

/** Labels at the end keep this much apart, in parts of the height. */
const APART = 0.085
const APART_TWO = 0.15

/** A chart that keys read mark by mark: it is a slider over them. */
export function Plot({ plot, label, at, read, open }: Props) {
  const { marks, along, tick, shapes } = plot
  const top = scaleTo(plot.most)
  const [focused, setFocused] = useState(false)
  const mark = at === undefined ? undefined : marks[at]
  const y = (value: number) => 100 - (Math.min(value, top) / top) * 100
  const press = (event: KeyboardEvent) => {
    const last = marks.length - 1
    const steps: Record<string, number> = {
      ArrowRight: Math.min((at ?? -1) + 1, last),
      ArrowUp: Math.min((at ?? -1) + 1, last),
      ArrowLeft: Math.max((at ?? last + 1) - 1, 0),
      ArrowDown: Math.max((at ?? last + 1) - 1, 0),
      PageUp: Math.min((at ?? 0) + 10, last),
      PageDown: Math.max((at ?? 0) - 10, 0),
      Home: 0,
      End: last,
    }
    const next = steps[event.key]
    if (next !== undefined) read(next)
    else if (event.key === 'Enter' && mark) open(mark)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <figure className="chart">
      <ol className="y" aria-hidden="true">
        {[0, 1, 2, 3, 4].map((step) => (
          <li key={step}>{tick((top * step) / 4)}</li>
        ))}
      </ol>
      <div
        className="plot"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={1}
        aria-valuemax={marks.length}
        aria-valuenow={(at ?? marks.length - 1) + 1}
        aria-valuetext={mark?.told ?? m.move}
        aria-orientation="horizontal"
        onKeyDown={press}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        onPointerMove={(event) => read(nearest(event, marks, top))}
        onClick={() => mark && open(mark)}
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
              <path key={n} className={shape.look} d={pathOf(shape, y)} />
            ))}
          </svg>
          {marks.map(
            ({ x, y: value }, n) =>
              value !== undefined && (
                // biome-ignore lint/suspicious/noArrayIndexKey: marks have a fixed order
                <circle key={n} cx={`${x * 100}%`} cy={`${y(value)}%`} r={3} />
              ),
          )}
          {mark && (
            <line
              className="read"
              x1={`${mark.x * 100}%`}
              x2={`${mark.x * 100}%`}
              y1="0"
              y2="100%"
            />
          )}
          {mark?.y !== undefined && (
            <circle className="read" cx={`${mark.x * 100}%`} cy={`${y(mark.y)}%`} r={5} />
          )}
        </svg>
      </div>
      <ol className="ends" aria-hidden="true">
        {apart(plot.ends, top)
          .toReversed()
          .map(({ text, more, place }) => (
            <li key={text} style={{ insetBlockStart: `${place * 100}%` }}>
              <b>{text}</b>
              {more && <span>{more}</span>}
            </li>
          ))}
      </ol>
      <ol className="x" aria-hidden="true">
        {along.map((text, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two labels may be alike
          <li key={n}>{text}</li>
        ))}
      </ol>
      <figcaption className="told">{mark?.told ?? (focused ? m.move : '\u00A0')}</figcaption>
    </figure>
  )
}

const at = (value: number) => Math.round(value * 100) / 100

function pathOf({ line, down }: Shape, y: (value: number) => number): string {
  const corners = [...line, ...(down?.toReversed() ?? [])]
  const path = corners.map(([x, value]) => `${at(x * 100)} ${at(y(value))}`).join('L')
  return `M${path}${down ? 'Z' : ''}`
}

function nearest(event: PointerEvent, marks: readonly Mark[], top: number): number {
  const { left, top: above, width, height } = event.currentTarget.getBoundingClientRect()
  let [found, least] = [0, Number.POSITIVE_INFINITY]
  marks.forEach(({ x, y }, n) => {
    const aside = x * width - (event.clientX - left)
    const off = y === undefined ? 0 : (1 - y / top) * height - (event.clientY - above)
    const far = aside * aside + off * off
    if (far < least) [found, least] = [n, far]
  })
  return found
}

/** The labels at the end, from the top down: moved so far that none covers another or leaves the chart. */
function apart(ends: Plotted['ends'], top: number) {
  const tall = ends
    .toSorted((a, b) => b.at - a.at)
    .map((end) => ({ ...end, height: end.more ? APART_TWO : APART }))
  let free = 0
  const down = tall.map((end) => {
    const place = Math.max(1 - Math.min(end.at, top) / top - APART / 2, free)
    free = place + end.height
    return { ...end, place }
  })
  let limit = 1
  return down.toReversed().map((end) => {
    limit = Math.min(end.place, limit - end.height)
    return { ...end, place: limit }
  })
}
