import { memo, type RefObject, useEffect, useState } from 'react'
import { viewMessages } from '../../../messages/tasks/views.ts'
import type { TimeScale } from './time-scale.ts'

interface TimelineHeaderProps {
  scale: TimeScale
  scroll: RefObject<HTMLDivElement | null>
  lanes: RefObject<HTMLDivElement | null>
  today: string
}

/** The ticks are computed again each time the lanes have scrolled this far. */
const SCROLL_STEP_PX = 512

/**
 * The months and days above the lanes, and the line of today. Only ticks near the viewport are
 * rendered.
 */
export const TimelineHeader = memo(function DaysHeader({
  scale,
  scroll,
  lanes,
  today,
}: TimelineHeaderProps) {
  const [visible, setVisible] = useState({ left: 0, width: innerWidth })
  useEffect(() => {
    const element = scroll.current
    if (!element) return
    const update = () => {
      const left = Math.floor(element.scrollLeft / SCROLL_STEP_PX) * SCROLL_STEP_PX
      setVisible((current) => {
        const { clientWidth: width } = element
        return current.left === left && current.width === width ? current : { left, width }
      })
    }
    update()
    const observer = new ResizeObserver(update)
    observer.observe(element)
    // Before the rows render: to read the position after that would force a layout.
    const options = { passive: true, capture: true }
    element.addEventListener('scroll', update, options)
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', update, options)
    }
  }, [scroll])
  const { coarse, fine } = scale.ticks(
    visible.left - SCROLL_STEP_PX,
    visible.left + visible.width + SCROLL_STEP_PX * 2,
  )
  const todayStart = scale.x(today)
  return (
    <>
      <div className="plan-head" role="row" aria-rowindex={1}>
        <div className="plan-side" role="columnheader">
          {viewMessages.task}
        </div>
        <div className="plan-lane" role="columnheader" ref={lanes}>
          <span className="sr">{viewMessages.days}</span>
          <div aria-hidden="true">
            {coarse.map(({ day, label, x, width }) => (
              <b key={day} style={{ insetInlineStart: x, ...(width > 0 && { inlineSize: width }) }}>
                <span>{label}</span>
              </b>
            ))}
            {fine.map(({ day, label, x }) => (
              <i key={day} style={{ insetInlineStart: x }} data-now={day === today || undefined}>
                {label}
              </i>
            ))}
          </div>
        </div>
      </div>
      <div className="plan-lines" aria-hidden="true">
        {fine.map(({ day, x }) => (
          <i key={day} style={{ insetInlineStart: x }} />
        ))}
        <i className="now" style={{ insetInlineStart: todayStart + scale.day / 2 }} />
      </div>
    </>
  )
})
