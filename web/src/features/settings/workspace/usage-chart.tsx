import { type KeyboardEvent, useState } from 'react'
import type { WorkspaceUsage } from '#resources/workspace/internal.ts'
import { formatTime } from '../../../lib/dates/instant.ts'
import { formatNumber } from '../../../messages/plural.ts'
import { workspaceMessages } from '../../../messages/settings/workspace.ts'
import { announce } from '../../../ui/feedback/announce.ts'
import { describeUsage } from './describe-usage.ts'
import { roundUpToAxisStep, toUsageSpans, type UsageSpan } from './usage-series.ts'

/** The minutes of one step of the chart: a day has 144 steps. */
const STEP_MINUTES = 10
const HEIGHT = 100
const AXIS_HOURS = [24, 18, 12, 6, 0]

/**
 * A step chart of the last day: each step shows the busiest of ten minutes. The limit is a line,
 * and a tick marks steps with rejected requests. The y axis lies in the gutter.
 */
export function UsageChart({ usage, now }: { usage: WorkspaceUsage; now: number }) {
  const [index, setIndex] = useState<number>()
  const spans = toUsageSpans(usage.minutes, STEP_MINUTES, now)
  const peak = spans.reduce((most, one) => Math.max(most, one.peak), 0)
  // A limit far above the peak would flatten the chart, so only the text names it then.
  const showsLimit = peak * 4 >= usage.limit
  const axisEnd = showsLimit ? Math.max(peak, usage.limit) : roundUpToAxisStep(Math.max(peak, 4))
  const toY = (value: number) => HEIGHT - (value / axisEnd) * HEIGHT
  const onKeyDown = (event: KeyboardEvent) => {
    const next = getNextIndex(event.key, index, spans.length)
    const span = next === undefined ? undefined : spans[next]
    if (!span) return
    event.preventDefault()
    setIndex(next)
    announce(formatReadout(span))
  }
  const selectedSpan = index === undefined ? undefined : spans[index]
  return (
    <div className="chart usage">
      <ol className="y" aria-hidden="true">
        {[0, axisEnd / 2, axisEnd].map((value) => (
          <li key={value}>{formatNumber(Math.round(value))}</li>
        ))}
      </ol>
      <svg
        viewBox={`0 0 ${spans.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={workspaceMessages.chartLabel(describeUsage(usage))}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys read its figures
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={() => setIndex(undefined)}
        onPointerLeave={() => setIndex(undefined)}
        onPointerMove={({ currentTarget, clientX }) => {
          const { left, width } = currentTarget.getBoundingClientRect()
          setIndex(
            Math.min(spans.length - 1, Math.floor(((clientX - left) / width) * spans.length)),
          )
        }}
      >
        <line
          className="grid"
          x1="0"
          x2={spans.length}
          y1={toY(axisEnd / 2)}
          y2={toY(axisEnd / 2)}
        />
        <path className="area" d={toAreaPath(spans, toY)} />
        <path className="done" d={toLinePath(spans, toY)} />
        {showsLimit && (
          <line
            className="limit"
            x1="0"
            x2={spans.length}
            y1={toY(usage.limit)}
            y2={toY(usage.limit)}
          />
        )}
        {spans.map(({ from, refused }, x) =>
          refused > 0 ? (
            <line key={from} className="over" x1={x + 0.5} x2={x + 0.5} y1="0" y2="7" />
          ) : null,
        )}
        {index !== undefined && (
          <line className="now" x1={index + 0.5} x2={index + 0.5} y1="0" y2={HEIGHT} />
        )}
        <line className="base" x1="0" x2={spans.length} y1={HEIGHT} y2={HEIGHT} />
      </svg>
      <p className="ends">
        {selectedSpan ? formatReadout(selectedSpan) : workspaceMessages.limit(usage.limit)}
      </p>
      <ol className="x" aria-hidden="true">
        {AXIS_HOURS.map((ago) => (
          <li key={ago}>{ago === 0 ? workspaceMessages.now : workspaceMessages.hoursAgo(ago)}</li>
        ))}
      </ol>
    </div>
  )
}

const formatReadout = ({ from, peak, refused }: UsageSpan): string =>
  workspaceMessages.readout(formatTime(new Date(from).toISOString()), peak, refused)

/** The index of the step that a key moves to; undefined for other keys. */
function getNextIndex(key: string, index: number | undefined, count: number): number | undefined {
  const last = count - 1
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, (index ?? count) - 1)
    case 'ArrowRight':
      return Math.min(last, (index ?? -1) + 1)
    case 'Home':
      return 0
    case 'End':
      return last
    default:
      return undefined
  }
}

const toLinePath = (spans: readonly UsageSpan[], toY: (value: number) => number): string =>
  spans.map(({ peak }, x) => `${x === 0 ? 'M' : 'L'}${x} ${toY(peak)}H${x + 1}`).join('')

const toAreaPath = (spans: readonly UsageSpan[], toY: (value: number) => number): string =>
  `${toLinePath(spans, toY)}V${toY(0)}H0Z`
