import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type MouseEvent,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Rows } from '../../data/task-rows.ts'
import { idOfNumber } from '../../data/task-store.ts'
import { m } from '../../messages/tasks.ts'
import { blocksOf, wantedAround } from './blocks.ts'
import { ColumnHeads } from './column-heads.tsx'
import { type Columns, tracksOf } from './columns.ts'
import { GroupHead } from './group-head.tsx'
import { useHeights } from './heights.ts'
import type { Layout } from './layout.ts'
import { useCursor } from './marks.ts'
import { QuickAdd } from './quick-add-row.tsx'
import { put } from './reorder.ts'
import { useRipening } from './ripening.ts'
import { TaskRow } from './row.tsx'
import { useRowDrag } from './row-drag.ts'
import { useScreen } from './screen.ts'
import { type View, ViewContext } from './view.ts'

export interface ListProps {
  layout: Layout
  /** The view of which it is. */
  of: View
  columns: Columns
  onColumns: (columns: Columns) => void
  onFold: (key: string) => void
  /** A press on what can be changed in a row: `field` as in cells. */
  onField: (number: number, field: string, cell: HTMLElement) => void
}

const OVERSCAN = 6

/** The ruled list: only rows near the viewport are in the document, and the scroll bar is exact. */
export function TaskList({ layout, of, columns, onColumns, onFold, onField }: ListProps) {
  const screen = useScreen()
  const { project, marks } = screen
  const view = useContext(ViewContext)
  const grid = useRef<HTMLDivElement>(null)
  const scroll = useRef<HTMLDivElement>(null)
  const heights = useHeights()
  const [, note] = useState(0)
  const rows = useMemo(() => new Rows(project.id, () => note((n) => n + 1)), [project.id])
  const estimateSize = useCallback(
    (index: number) => heights[layout.at(index)?.kind ?? 'task'],
    [layout, heights],
  )
  // A new function of keys makes the virtualizer reckon anew what stands where.
  // biome-ignore lint/correctness/useExhaustiveDependencies: that is what they are for
  const getItemKey = useCallback((index: number) => index, [layout, heights])
  const virtual = useVirtualizer({
    ...{ count: layout.size, estimateSize, getItemKey, overscan: OVERSCAN },
    getScrollElement: () => scroll.current,
    scrollPaddingStart: heights.head + heights.cols,
    scrollPaddingEnd: heights.task,
    // The list begins below the heads of its columns.
    paddingStart: heights.cols,
  })
  const items = virtual.getVirtualItems()
  const first = items[0]?.index ?? 0
  const last = items.at(-1)?.index ?? -1
  useEffect(() => rows.want(wantedAround(layout, first, last)), [rows, layout, first, last])
  // Another view begins at its top.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the view is another one
  useEffect(() => {
    scroll.current?.scrollTo(0, 0)
  }, [of])
  const cursor = useCursor(marks)
  const held = cursor === undefined ? undefined : layout.indexOf(cursor)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the cursor scrolls, not what moves around it
  useEffect(() => {
    if (held !== undefined) virtual.scrollToIndex(held)
  }, [cursor])

  const blocks = blocksOf(layout, first, last, held)
  const inView = blocks.flatMap(({ rows: indexes }) =>
    indexes.flatMap((index) => {
      const item = layout.at(index)
      return item?.kind === 'task' ? item.line.number : []
    }),
  )
  const ripe = useRipening(inView)
  const places = virtual.measurementsCache
  const startOf = (index: number) => places[index]?.start ?? virtual.getTotalSize()
  const grasp = useRowDrag({
    ...{ layout, startOf, byHand: view.sort === 'position' },
    list: () => grid.current,
    scroll: () => scroll.current,
    indexAt: (offset) => virtual.getVirtualItemForOffset(offset)?.index ?? 0,
    drop: (number, from, to) => put(screen, view, number, from, to),
  })
  const press = ({ target, shiftKey }: MouseEvent) => {
    if (!(target instanceof Element)) return
    const number = Number(
      target.closest<HTMLElement>('[data-number]')?.dataset.number ?? Number.NaN,
    )
    if (Number.isNaN(number)) return
    const cell = target.closest<HTMLElement>('[data-field]')
    if (shiftKey) marks.extend(layout.order, number)
    else if (cell?.dataset.field) onField(number, cell.dataset.field, cell)
    if (target.closest('input, a') === null) marks.moveTo(number)
  }
  return (
    <div className="scroll" ref={scroll}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: every cell has its key, told by "?" */}
      <div
        ref={grid}
        className="list"
        role="grid"
        aria-label={m.tasksOf(project.name)}
        aria-rowcount={layout.size + 1}
        aria-colcount={columns.shown.length + 2}
        aria-multiselectable="true"
        style={{ ...tracksOf(columns), blockSize: virtual.getTotalSize() }}
        onClick={press}
        onPointerDown={grasp}
      >
        <ColumnHeads columns={columns} onChange={onColumns} />
        {blocks.map(({ section, start, end, rows: indexes }) => {
          const top = places[start]?.start ?? 0
          return (
            <div
              key={section.key}
              className="block"
              role="rowgroup"
              aria-label={section.label}
              style={{ insetBlockStart: top, blockSize: (places[end - 1]?.end ?? 0) - top }}
            >
              {layout.headed && (
                <GroupHead
                  section={section}
                  index={start}
                  columns={columns.shown}
                  onFold={onFold}
                />
              )}
              {indexes.map((index) => {
                const item = layout.at(index)
                const from = (places[index]?.start ?? 0) - top
                if (item?.kind === 'add') {
                  return <QuickAdd key="add" section={section} index={index} top={from} />
                }
                if (item?.kind !== 'task') return null
                const { number, depth } = item.line
                const id = rows.gone.has(number) ? null : idOfNumber(project.id, number)
                const place = { number, id, depth, index, top: from, light: !ripe.has(number) }
                return <TaskRow key={number} {...place} columns={columns.shown} />
              })}
            </div>
          )
        })}
      </div>
    </div>
  )
}
