import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useCallback, useEffect, useId, useRef } from 'react'
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

interface Props {
  section: Section
  rows: BoardRows
  limit: number | undefined
  onFold: () => void
  onLimit: (limit: number | undefined) => void
  /** What stands under the cards. */
  after?: ReactNode
}

const CARD_PX = 98
const GAP_PX = 6
const AROUND = 4
const ROOM_PX = 24

/** One column: only the slips near the viewport are in the document. */
export function Column({ section, rows, limit, onFold, onLimit, after }: Props) {
  const { project, marks } = useScreen()
  const { place } = useAdding()
  const id = useId()
  const scroll = useRef<HTMLUListElement>(null)
  const { lines, key } = section
  const getItemKey = useCallback((index: number) => lines[index]?.number ?? index, [lines])
  const virtual = useVirtualizer({
    ...{ count: lines.length, getItemKey, overscan: AROUND, gap: GAP_PX },
    getScrollElement: () => scroll.current,
    estimateSize: () => CARD_PX,
    paddingStart: 8,
    paddingEnd: ROOM_PX,
  })
  const items = virtual.getVirtualItems()
  const first = items[0]?.index ?? 0
  const last = items.at(-1)?.index ?? -1
  useEffect(() => {
    rows.show(
      key,
      lines.slice(first, last + 1).map(({ number }) => number),
    )
  }, [rows, key, lines, first, last])
  const cursor = useCursor(marks)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the cursor scrolls, not what moves around it
  useEffect(() => {
    const at = lines.findIndex(({ number }) => number === cursor)
    if (at >= 0) virtual.scrollToIndex(at)
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
        <li className="room" aria-hidden="true" style={{ blockSize: virtual.getTotalSize() }} />
        {items.map(({ key: item, index, start }) => {
          const number = lines[index]?.number
          if (number === undefined) return null
          return (
            <li
              key={item}
              ref={virtual.measureElement}
              data-index={index}
              aria-setsize={lines.length}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start}px)` }}
            >
              <Card number={number} id={idOfNumber(project.id, number)} column={key} />
            </li>
          )
        })}
      </ul>
      {after && <p className="more">{after}</p>}
    </section>
  )
}
