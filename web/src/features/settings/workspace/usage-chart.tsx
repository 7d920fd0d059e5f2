import { type KeyboardEvent, useState } from 'react'
import type { Usage } from '#resources/workspace/internal.ts'
import { timeOf } from '../../../lib/instant.ts'
import { number } from '../../../messages/plural.ts'
import { m } from '../../../messages/workspace.ts'
import { announce } from '../../../ui/announce.ts'
import { findingOf } from './finding.ts'
import { roundUp, type Span, spansOf } from './series.ts'

/** Minutes that one step of the chart stands for: 144 steps a day. */
const STEP = 10
const HEIGHT = 100
const HOURS = [24, 18, 12, 6, 0]

/**
 * The day as steps of ten minutes, each as high as its busiest minute; the limit as a line, and a mark
 * where requests were refused. Its y axis is the gutter.
 */
export function UsageChart({ usage, now }: { usage: Usage; now: number }) {
  const [at, setAt] = useState<number>()
  const spans = spansOf(usage.minutes, STEP, now)
  const peak = spans.reduce((most, one) => Math.max(most, one.peak), 0)
  // A limit far above all that was used would press the day flat: it is told, not drawn, then.
  const isNear = peak * 4 >= usage.limit
  const top = isNear ? Math.max(peak, usage.limit) : roundUp(Math.max(peak, 4))
  const y = (value: number) => HEIGHT - (value / top) * HEIGHT
  const read = (event: KeyboardEvent) => {
    const next = stepOf(event.key, at, spans.length)
    const span = next === undefined ? undefined : spans[next]
    if (!span) return
    event.preventDefault()
    setAt(next)
    announce(readoutOf(span))
  }
  const shown = at === undefined ? undefined : spans[at]
  return (
    <div className="chart usage">
      <ol className="y" aria-hidden="true">
        {[0, top / 2, top].map((value) => (
          <li key={value}>{number(Math.round(value))}</li>
        ))}
      </ol>
      <svg
        viewBox={`0 0 ${spans.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={m.chartLabel(findingOf(usage))}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys read its figures
        tabIndex={0}
        onKeyDown={read}
        onBlur={() => setAt(undefined)}
        onPointerLeave={() => setAt(undefined)}
        onPointerMove={({ currentTarget, clientX }) => {
          const { left, width } = currentTarget.getBoundingClientRect()
          setAt(Math.min(spans.length - 1, Math.floor(((clientX - left) / width) * spans.length)))
        }}
      >
        <line className="grid" x1="0" x2={spans.length} y1={y(top / 2)} y2={y(top / 2)} />
        <path className="area" d={areaOf(spans, y)} />
        <path className="done" d={lineOf(spans, y)} />
        {isNear && (
          <line
            className="limit"
            x1="0"
            x2={spans.length}
            y1={y(usage.limit)}
            y2={y(usage.limit)}
          />
        )}
        {spans.map(({ from, refused }, x) =>
          refused > 0 ? (
            <line key={from} className="over" x1={x + 0.5} x2={x + 0.5} y1="0" y2="7" />
          ) : null,
        )}
        {at !== undefined && (
          <line className="now" x1={at + 0.5} x2={at + 0.5} y1="0" y2={HEIGHT} />
        )}
        <line className="base" x1="0" x2={spans.length} y1={HEIGHT} y2={HEIGHT} />
      </svg>
      <p className="ends">{shown ? readoutOf(shown) : m.limit(usage.limit)}</p>
      <ol className="x" aria-hidden="true">
        {HOURS.map((ago) => (
          <li key={ago}>{ago === 0 ? m.now : m.hoursAgo(ago)}</li>
        ))}
      </ol>
    </div>
  )
}

const readoutOf = ({ from, peak, refused }: Span): string =>
  m.readout(timeOf(new Date(from).toISOString()), peak, refused)

/** Where a key leads from a step; undefined for other keys. */
function stepOf(key: string, at: number | undefined, count: number): number | undefined {
  const last = count - 1
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, (at ?? count) - 1)
    case 'ArrowRight':
      return Math.min(last, (at ?? -1) + 1)
    case 'Home':
      return 0
    case 'End':
      return last
    default:
      return undefined
  }
}

const lineOf = (spans: readonly Span[], y: (value: number) => number): string =>
  spans.map(({ peak }, x) => `${x === 0 ? 'M' : 'L'}${x} ${y(peak)}H${x + 1}`).join('')

const areaOf = (spans: readonly Span[], y: (value: number) => number): string =>
  `${lineOf(spans, y)}V${y(0)}H0Z`
