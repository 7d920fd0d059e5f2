import { type RefObject, useEffect, useState } from 'react'
import { m } from '../../../messages/views.ts'
import type { Scale } from './scale.ts'

interface Props {
  scale: Scale
  scroll: RefObject<HTMLDivElement | null>
  lanes: RefObject<HTMLDivElement | null>
  today: string
}

/** The scale is made anew each time the lanes have moved this far, px. */
const STEP = 512

/** Months and days over the lanes, and the line of today; only what is near the viewport is in the document. */
export function ScaleHead({ scale, scroll, lanes, today }: Props) {
  const [at, note] = useState({ left: 0, width: innerWidth })
  useEffect(() => {
    const element = scroll.current
    if (!element) return
    const follow = () => {
      const left = Math.floor(element.scrollLeft / STEP) * STEP
      note((was) => {
        const { clientWidth: width } = element
        return was.left === left && was.width === width ? was : { left, width }
      })
    }
    follow()
    const watch = new ResizeObserver(follow)
    watch.observe(element)
    element.addEventListener('scroll', follow, { passive: true })
    return () => {
      watch.disconnect()
      element.removeEventListener('scroll', follow)
    }
  }, [scroll])
  const { coarse, fine } = scale.ticks(at.left - STEP, at.left + at.width + STEP * 2)
  const now = scale.x(today)
  return (
    <>
      <div className="plan-head" role="row" aria-rowindex={1}>
        <div className="plan-side" role="columnheader">
          {m.task}
        </div>
        <div className="plan-lane" role="columnheader" ref={lanes}>
          <span className="sr">{m.days}</span>
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
        <i className="now" style={{ insetInlineStart: now + scale.day / 2 }} />
      </div>
    </>
  )
}
