import { useEffect, useMemo, useRef } from 'react'
import type { TaskSection } from '../layout/list-layout.ts'
import { listRenderedIndexes } from '../layout/rendered-blocks.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import { useCursor } from '../selection/list-selection.ts'
import { BoardCard } from './board-card.tsx'
import { useEditedId } from './use-edited-id.ts'
import { MAX_CELL_PX, useVirtualCards } from './use-virtual-cards.ts'

const CELL_STYLE = { maxBlockSize: `${MAX_CELL_PX / 16}rem` }

interface CardListProps {
  section: TaskSection
  /**
   * Whether this is one cell of a board with lanes; then fewer cards beyond the viewport are
   * rendered.
   */
  few?: boolean
  labelledBy?: string
}

/** The cards of a column or cell. Only those near the viewport are rendered. */
export function CardList({
  section: { key, lines, label },
  few = false,
  labelledBy,
}: CardListProps) {
  const { selection } = useProjectPageContext()
  const scroll = useRef<HTMLUListElement>(null)
  const ids = useMemo(() => lines.map(({ id }) => id), [lines])
  const { first, last, starts, size, reveal, measure } = useVirtualCards(scroll, ids, few)
  const cursor = useCursor(selection)
  const previousCursor = useRef<string>(undefined)
  const cursorIndex = cursor === undefined ? -1 : ids.indexOf(cursor)
  const hasCursor = cursorIndex >= 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when the cursor changes or its card comes from another column, not when rows move
  useEffect(() => {
    if (hasCursor) reveal(cursorIndex)
    // The column to which a card is moved may be beside the ones in sight.
    if (hasCursor && previousCursor.current === cursor)
      scroll.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    previousCursor.current = cursor
  }, [cursor, hasCursor])
  const editedIndex = ids.indexOf(useEditedId(selection) ?? '')
  const indexes = listRenderedIndexes(first, last, [editedIndex])
  const labelProps = labelledBy ? { 'aria-labelledby': labelledBy } : { 'aria-label': label }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
    <ul ref={scroll} tabIndex={0} style={few ? CELL_STYLE : undefined} {...labelProps}>
      <li className="room" aria-hidden="true" style={{ blockSize: size }} />
      {indexes.map((index) => {
        const id = ids[index] ?? ''
        return (
          <li
            key={id}
            ref={measure}
            data-slip={id}
            aria-setsize={lines.length}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${starts.at(index)}px)` }}
          >
            <BoardCard id={id} column={key} />
          </li>
        )
      })}
    </ul>
  )
}
