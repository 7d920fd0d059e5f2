import { type RefObject, useEffect, useId, useRef, useState } from 'react'
import { number } from '../../../messages/plural.ts'
import { m } from '../../../messages/tasks.ts'
import { Icon } from '../../../ui/icon.tsx'
import { useCursor } from '../marks.ts'
import { useScreen } from '../screen.ts'
import type { BoardRows } from './board-rows.ts'
import { Cards } from './cards.tsx'
import { NewCard } from './column.tsx'
import { foldOf, type Lane } from './lanes.ts'

/** So many px a slip and the highest cell take, until a lane was seen. */
const SLIP_PX = 104
const MOST_PX = 416

interface Props {
  lane: Lane
  rows: BoardRows
  board: RefObject<HTMLElement | null>
  /** Whether it is seen when the board is opened. */
  first: boolean
  onFold: () => void
}

/** A lane across the columns. */
export function LaneRow({ lane, onFold, ...rest }: Props) {
  const { key, label, count, folded } = lane
  const id = useId()
  return (
    <section className="lane" aria-labelledby={id}>
      <header data-column={foldOf(key)}>
        <h2 id={id}>
          <button type="button" aria-expanded={!folded} onClick={onFold}>
            <Icon name={folded ? 'right' : 'down'} />
            {label}
          </button>
        </h2>
        <span className="n">
          {number(count)}
          <span className="sr"> {m.tasksWord(count)}</span>
        </span>
      </header>
      {!folded && <Cells lane={lane} {...rest} />}
    </section>
  )
}

/** Only what is near has its slips in the document: there may be hundreds of lanes. */
function Cells({ lane: { cells }, rows, board, first }: Omit<Props, 'onFold'>) {
  const row = useRef<HTMLDivElement>(null)
  const near = useNear(row, board, first)
  const cursor = useCursor(useScreen().marks)
  const holds = cells.some(({ lines }) => lines.some((line) => line.number === cursor))
  const most = Math.max(...cells.map((cell) => (cell.folded ? 0 : cell.count)))
  const isShown = near.is || holds
  const guess = { blockSize: near.px ?? Math.min(MOST_PX, most * SLIP_PX) }
  return (
    <div className="cols" ref={row} style={isShown ? undefined : guess}>
      {isShown &&
        cells.map((cell) => (
          <div key={cell.key} className={cell.folded ? 'col folded' : 'col'} data-column={cell.key}>
            {!cell.folded && (
              <>
                <NewCard section={cell} />
                <Cards section={cell} rows={rows} few />
              </>
            )}
          </div>
        ))}
    </div>
  )
}

/** Whether a row is near what is seen of the board, and how high it was when it last was. */
function useNear(
  row: RefObject<HTMLElement | null>,
  board: RefObject<HTMLElement | null>,
  first: boolean,
) {
  const [near, note] = useState<{ is: boolean; px?: number }>({ is: first })
  useEffect(() => {
    const element = row.current
    if (!element) return
    const watch = new IntersectionObserver(
      ([entry]) => {
        if (!entry) return
        const { isIntersecting: is, boundingClientRect } = entry
        note((now) =>
          is === now.is ? now : { is, ...(now.is && { px: boundingClientRect.height }) },
        )
      },
      { root: board.current, rootMargin: '100px' },
    )
    watch.observe(element)
    return () => watch.disconnect()
  }, [row, board])
  return near
}
