import { type RefObject, useEffect, useId, useRef, useState } from 'react'
import { formatNumber } from '../../../messages/plural.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import { Icon } from '../../../ui/marks/icon.tsx'
import { useProjectPageContext } from '../project-page-context.ts'
import { useQuickAdd } from '../quick-add/quick-add-context.ts'
import { useCursor } from '../selection/list-selection.ts'
import { NewCard } from './board-column.tsx'
import { type BoardLane, getLaneFoldKey } from './board-lanes.ts'
import { CardList } from './card-list.tsx'
import { useEditedId } from './use-edited-id.ts'
import { ESTIMATED_CARD_STEP_PX, MAX_CELL_PX } from './use-virtual-cards.ts'

interface LaneRowProps {
  lane: BoardLane
  board: RefObject<HTMLElement | null>
  /** Whether the lane is visible when the board opens. */
  first: boolean
  onFold: () => void
}

/** A lane across the columns of the board. */
export function LaneRow({ lane, onFold, ...rest }: LaneRowProps) {
  const { key, label, count, folded } = lane
  const id = useId()
  return (
    <section className="lane" aria-labelledby={id}>
      <header data-column={getLaneFoldKey(key)}>
        <h2 id={id}>
          <button type="button" aria-expanded={!folded} onClick={onFold}>
            <Icon name={folded ? 'right' : 'down'} />
            <span>{label}</span>
          </button>
        </h2>
        <span className="n">
          {formatNumber(count)}
          <span className="sr"> {viewMessages.tasksWord(count)}</span>
        </span>
      </header>
      {!folded && <LaneCells lane={lane} {...rest} />}
    </section>
  )
}

/** Renders its cards only near the viewport, because there may be hundreds of lanes. */
function LaneCells({ lane: { cells }, board, first }: Omit<LaneRowProps, 'onFold'>) {
  const row = useRef<HTMLDivElement>(null)
  const visibility = useIsNear(row, board, first)
  const { selection } = useProjectPageContext()
  const cursor = useCursor(selection)
  const edited = useEditedId(selection)
  const { place } = useQuickAdd()
  // What has the focus, and what is being typed, stays wherever it is.
  const isKept = cells.some(
    ({ key, lines }) =>
      key === place?.group || lines.some(({ id }) => id === cursor || id === edited),
  )
  const maxCount = Math.max(...cells.map((cell) => (cell.folded ? 0 : cell.count)))
  const isRendered = visibility.isNear || isKept
  const estimate = {
    blockSize: visibility.px ?? Math.min(MAX_CELL_PX, maxCount * ESTIMATED_CARD_STEP_PX),
  }
  return (
    <div className="cols" ref={row} style={isRendered ? undefined : estimate}>
      {isRendered &&
        cells.map((cell) => (
          <div key={cell.key} className={cell.folded ? 'col folded' : 'col'} data-column={cell.key}>
            {!cell.folded && (
              <>
                <NewCard section={cell} />
                <CardList section={cell} few />
              </>
            )}
          </div>
        ))}
    </div>
  )
}

/** Whether a row is near the viewport of the board, and the height it had when it last was. */
function useIsNear(
  row: RefObject<HTMLElement | null>,
  board: RefObject<HTMLElement | null>,
  first: boolean,
) {
  const [visibility, setVisibility] = useState<{ isNear: boolean; px?: number }>({ isNear: first })
  useEffect(() => {
    const element = row.current
    if (!element) return
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry) return
        const { isIntersecting: isNear, boundingClientRect } = entry
        setVisibility((current) =>
          isNear === current.isNear
            ? current
            : { isNear, ...(current.isNear && { px: boundingClientRect.height }) },
        )
      },
      { root: board.current, rootMargin: '100px' },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [row, board])
  return visibility
}
