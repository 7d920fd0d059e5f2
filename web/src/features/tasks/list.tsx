import { type MouseEvent, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { Rows } from '../../data/task-rows.ts'
import { idOfNumber, taskOf } from '../../data/task-store.ts'
import { stands } from '../../lib/ahead.ts'
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
import { TaskRow } from './row.tsx'
import { useRowDrag } from './row-drag.ts'
import { useScreen } from './screen.ts'
import { type View, ViewContext } from './view.ts'
import { useWindow } from './window.ts'

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
  const { measures, first, last, reveal } = useWindow(scroll, layout, heights, of)
  const [top] = wantedAround(layout, first, first + 2)
  const there = top !== undefined && taskOf(idOfNumber(project.id, top) ?? '') !== undefined
  useEffect(() => (there ? stands() : undefined), [there])
  useEffect(() => rows.want(wantedAround(layout, first, last)), [rows, layout, first, last])
  const cursor = useCursor(marks)
  const held = cursor === undefined ? undefined : layout.indexOf(cursor)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the cursor scrolls, not what moves around it
  useEffect(() => {
    if (held !== undefined) reveal(held)
  }, [cursor])

  const blocks = blocksOf(layout, first, last, held)
  const grasp = useRowDrag({
    ...{ layout, measures, byHand: view.sort === 'position' },
    list: () => grid.current,
    scroll: () => scroll.current,
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
        // While no row is pointed at, Tab leads to the list and with it to its first row.
        tabIndex={held === undefined ? 0 : -1}
        onFocus={({ target, currentTarget }) => {
          if (target === currentTarget) marks.moveTo(wantedAround(layout, first, last)[0])
        }}
        style={{ ...tracksOf(columns), blockSize: measures.total }}
        onClick={press}
        onPointerDown={grasp}
      >
        <ColumnHeads columns={columns} onChange={onColumns} />
        {blocks.map(({ section, start, end, rows: indexes }) => {
          const top = measures.startOf(start)
          return (
            <div
              key={section.key}
              className="block"
              role="rowgroup"
              aria-label={section.label}
              style={{ insetBlockStart: top, blockSize: measures.startOf(end) - top }}
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
                const from = measures.startOf(index) - top
                if (item?.kind === 'add') {
                  return <QuickAdd key="add" section={section} index={index} top={from} />
                }
                if (item?.kind !== 'task') return null
                const { number, depth } = item.line
                const id = rows.gone.has(number) ? null : idOfNumber(project.id, number)
                const place = { number, id, depth, index, top: from }
                return <TaskRow key={number} {...place} columns={columns.shown} />
              })}
            </div>
          )
        })}
      </div>
    </div>
  )
}
