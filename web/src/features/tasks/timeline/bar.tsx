import type { PointerEvent } from 'react'
import { m } from '../../../messages/views.ts'
import { Icon } from '../../../ui/icon.tsx'
import type { Stamp } from '../../../ui/stamp.ts'
import { carry } from '../plan/carry.ts'
import { type Move, movedSpan } from '../plan/moved-span.ts'
import { move } from '../plan/reschedule.ts'
import { firstOf, lastOf, type Span, wordsOf } from '../plan/spans.ts'
import { useScreen } from '../screen.ts'
import type { Scale } from './scale.ts'

interface Props {
  number: number
  span: Span
  scale: Scale
  mark: Stamp | undefined
  /** Something that it waits for ends after it begins. */
  late: boolean
  /** It cannot be moved. */
  fixed: boolean
}

/** From start to due; with only one of them a mark on its day. Drawn as a whole, or by its ends. */
export function Bar({ number, span, scale, mark, late, fixed }: Props) {
  const screen = useScreen()
  const left = scale.x(firstOf(span))
  const width = scale.x(lastOf(span)) - left + scale.day
  const grasp = (event: PointerEvent<HTMLElement>) => {
    if (fixed) return
    const bar = event.currentTarget
    const end = event.target instanceof HTMLElement ? event.target.dataset.end : undefined
    const step = (px: number): Move => {
      const days = Math.round(px / scale.day)
      if (end === 'start') return { start: days }
      return end === 'due' ? { due: days } : { start: days, due: days }
    }
    let by: Move = {}
    carry(event, {
      move(px) {
        by = step(px)
        const next = movedSpan(span, by)
        const from = scale.x(firstOf(next))
        bar.style.insetInlineStart = `${from}px`
        bar.style.inlineSize = `${scale.x(lastOf(next)) - from + scale.day}px`
        bar.dataset.told = wordsOf(next)
      },
      end(drop) {
        delete bar.dataset.told
        // As it was: what is to be shown comes with what is changed.
        bar.style.insetInlineStart = `${left}px`
        bar.style.inlineSize = `${width}px`
        if (drop && Object.values(by).some((days) => days !== 0)) move(screen, number, by)
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
        title={wordsOf(span)}
        style={{ insetInlineStart: left, inlineSize: width }}
        onPointerDown={grasp}
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
          {m.lateShort}
        </span>
      )}
    </>
  )
}
