import type { PointerEvent } from 'react'
import { viewMessages } from '../../../messages/tasks/views.ts'
import { Icon } from '../../../ui/marks/icon.tsx'
import type { StatusMarkName } from '../../../ui/marks/status-mark-name.ts'
import { trackPointerDrag } from '../../../ui/pointer/pointer-drag.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import { rescheduleTask } from '../schedule/reschedule-task.ts'
import { type SpanShift, shiftSpan } from '../schedule/shift-span.ts'
import {
  type DateSpan,
  formatSpan,
  getSpanFirstDay,
  getSpanLastDay,
} from '../schedule/task-spans.ts'
import type { TimeScale } from './time-scale.ts'

interface TimelineBarProps {
  id: string
  span: DateSpan
  scale: TimeScale
  mark: StatusMarkName | undefined
  /** Whether a blocker ends after this task starts. */
  late: boolean
  /** Whether the bar cannot be moved. */
  fixed: boolean
}

/**
 * A bar from start to due date, or a mark on one day if only one is set. Dragged as a whole or by
 * its ends.
 */
export function TimelineBar({ id, span, scale, mark, late, fixed }: TimelineBarProps) {
  const context = useProjectPageContext()
  const left = scale.x(getSpanFirstDay(span))
  const width = scale.x(getSpanLastDay(span)) - left + scale.day
  const startDrag = (event: PointerEvent<HTMLElement>) => {
    if (fixed) return
    const bar = event.currentTarget
    const end = event.target instanceof HTMLElement ? event.target.dataset.end : undefined
    const toShift = (px: number): SpanShift => {
      const days = Math.round(px / scale.day)
      if (end === 'start') return { start: days }
      return end === 'due' ? { due: days } : { start: days, due: days }
    }
    let by: SpanShift = {}
    trackPointerDrag(event, {
      move(px) {
        by = toShift(px)
        const next = shiftSpan(span, by)
        const from = scale.x(getSpanFirstDay(next))
        bar.style.insetInlineStart = `${from}px`
        bar.style.inlineSize = `${scale.x(getSpanLastDay(next)) - from + scale.day}px`
        bar.dataset.told = formatSpan(next)
      },
      end(drop) {
        delete bar.dataset.told
        // Restores the position; the new one is rendered when the task has changed.
        bar.style.insetInlineStart = `${left}px`
        bar.style.inlineSize = `${width}px`
        if (drop && Object.values(by).some((days) => days !== 0)) rescheduleTask(context, id, by)
      },
    })
  }
  return (
    <>
      <div
        className="plan-span"
        data-s={mark}
        data-one={!span.start || !span.due || undefined}
        data-late={late || undefined}
        data-fixed={fixed || undefined}
        title={formatSpan(span)}
        style={{ insetInlineStart: left, inlineSize: width }}
        onPointerDown={startDrag}
      >
        {!fixed && (
          <>
            <i data-end="start" />
            <i data-end="due" />
          </>
        )}
      </div>
      {late && (
        <span className="plan-late" aria-hidden="true" style={{ insetInlineStart: left + width }}>
          <Icon name="warning" />
          {viewMessages.lateShort}
        </span>
      )}
    </>
  )
}
