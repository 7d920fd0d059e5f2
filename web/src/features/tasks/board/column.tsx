import { type ReactNode, useEffect, useId, useMemo, useRef } from 'react'
import { idOfNumber } from '../../../data/task-store.ts'
import { m } from '../../../messages/tasks.ts'
import { useAdding } from '../adding.ts'
import type { Section } from '../layout.ts'
import { useCursor } from '../marks.ts'
import { NewLine } from '../new-line.tsx'
import { useScreen } from '../screen.ts'
import type { BoardRows } from './board-rows.ts'
import { Card } from './card.tsx'
import { ColumnHead } from './column-head.tsx'
import { useColumnWindow } from './column-window.ts'

interface Props {
  section: Section
  rows: BoardRows
  limit: number | undefined
  onFold: () => void
  onLimit: (limit: number | undefined) => void
  /** What stands under the cards. */
  after?: ReactNode
}

/** One column: only the slips near the viewport are in the document. */
export function Column({ section, rows, limit, onFold, onLimit, after }: Props) {
  const { project, marks } = useScreen()
  const { place } = useAdding()
  const id = useId()
  const scroll = useRef<HTMLUListElement>(null)
  const { lines, key } = section
  const numbers = useMemo(() => lines.map(({ number }) => number), [lines])
  const { first, last, starts, size, reveal, measure } = useColumnWindow(scroll, numbers)
  useEffect(() => rows.show(key, numbers.slice(first, last)), [rows, key, numbers, first, last])
  const cursor = useCursor(marks)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the cursor scrolls, not what moves around it
  useEffect(() => {
    const at = cursor === undefined ? -1 : numbers.indexOf(cursor)
    if (at >= 0) reveal(at)
  }, [cursor])
  const head = { section, limit, onFold, onLimit, id }
  if (section.folded) {
    return (
      <section className="col folded" aria-labelledby={id} data-column={key}>
        <ColumnHead {...head} />
      </section>
    )
  }
  return (
    <section className="col" aria-labelledby={id} data-column={key}>
      <ColumnHead {...head} />
      {place?.group === key && (
        <div className="card slip add">
          <NewLine label={m.newTaskIn(section.label)} place={place} />
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys */}
      <ul ref={scroll} tabIndex={0} aria-labelledby={id}>
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
      {after && <p className="more">{after}</p>}
    </section>
  )
}
