import { useEffect, useMemo, useRef } from 'react'
import { idOfNumber } from '../../../data/task-store.ts'
import type { Section } from '../layout.ts'
import { useCursor } from '../marks.ts'
import { useScreen } from '../screen.ts'
import type { BoardRows } from './board-rows.ts'
import { Card } from './card.tsx'
import { useColumnWindow } from './column-window.ts'

interface Props {
  section: Section
  rows: BoardRows
  /** Whether it is one cell of many: then few slips beyond what is seen are in the document. */
  few?: boolean
  labelledBy?: string
}

/** The slips of a column, or of a cell: only those near the viewport are in the document. */
export function Cards({ section: { key, lines, label }, rows, few = false, labelledBy }: Props) {
  const { project, marks } = useScreen()
  const scroll = useRef<HTMLUListElement>(null)
  const numbers = useMemo(() => lines.map(({ number }) => number), [lines])
  const { first, last, starts, size, reveal, measure } = useColumnWindow(scroll, numbers, few)
  useEffect(() => {
    rows.show(key, numbers.slice(first, last))
    return () => rows.show(key, [])
  }, [rows, key, numbers, first, last])
  const cursor = useCursor(marks)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the cursor scrolls, not what moves around it
  useEffect(() => {
    const at = cursor === undefined ? -1 : numbers.indexOf(cursor)
    if (at >= 0) reveal(at)
  }, [cursor])
  const named = labelledBy ? { 'aria-labelledby': labelledBy } : { 'aria-label': label }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
    <ul ref={scroll} tabIndex={0} {...named}>
      <li className="room" aria-hidden="true" style={{ blockSize: size }} />
      {numbers.slice(first, last).map((number, at) => (
        <li
          key={number}
          ref={measure}
          data-slip={number}
          aria-setsize={lines.length}
          aria-posinset={first + at + 1}
          style={{ transform: `translateY(${starts[first + at]}px)` }}
        >
          <Card number={number} id={idOfNumber(project.id, number)} column={key} />
        </li>
      ))}
    </ul>
  )
}
