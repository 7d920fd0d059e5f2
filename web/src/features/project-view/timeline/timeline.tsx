import { type MouseEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useTasksRevision } from '../../../data/tasks/task-store.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import { Button } from '../../../ui/form/button.tsx'
import { useShortcuts } from '../../../ui/keyboard/use-shortcuts.ts'
import { useRowSlots } from '../../../ui/layout/row-slots.ts'
import { MenuButton } from '../../../ui/overlays/menu-button.tsx'
import type { LayoutItem, ListLayout } from '../layout/list-layout.ts'
import { listIdsAround, listRenderedIndexes } from '../layout/rendered-blocks.ts'
import { readHeight, useRowHeights } from '../layout/row-heights.ts'
import { useVirtualRows } from '../layout/use-virtual-rows.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import type { ProjectView } from '../project-view.ts'
import { QuickAddRow } from '../quick-add/quick-add-row.tsx'
import { rescheduleTask } from '../schedule/reschedule-task.ts'
import { getSpanFirstDay, getSpanLastDay, type TaskSpans } from '../schedule/task-spans.ts'
import { UnscheduledTray } from '../schedule/unscheduled-tray.tsx'
import { focusedRow } from '../selection/cursor-focus.ts'
import { useCursor } from '../selection/list-selection.ts'
import { DependencyLines } from './dependency-lines.tsx'
import { createTimeScale, TIMELINE_ZOOMS, type TimelineZoom, type TimeScale } from './time-scale.ts'
import { TimelineHeader } from './timeline-header.tsx'
import { TimelineGroupHeader, TimelineRow } from './timeline-row.tsx'

interface TimelineProps {
  layout: ListLayout
  spans: TaskSpans
  /** The tasks without dates. */
  unplanned: readonly string[]
  view: ProjectView
  readOnly: boolean
  onFold: (key: string) => void
}

const TASK_ROW = 'task '

/** A name for the row of an item: a task of several groups has several rows. */
function nameRow(item: LayoutItem | undefined): string {
  if (item?.kind !== 'task') return `${item?.kind} ${item?.section.key}`
  return `${TASK_ROW}${item.section.key} ${item.line.id}`
}

/** The same object as long as its days are the same: all rows render again with another scale. */
function useStableScale(scale: TimeScale): TimeScale {
  const [shown, setShown] = useState(scale)
  const isSame = shown.zoom === scale.zoom && shown.from === scale.from && shown.to === scale.to
  if (!isSame) setShown(scale)
  return isSame ? shown : scale
}

/** The timeline. Only rows near the viewport are rendered. */
export function Timeline({ layout, spans, unplanned, view, readOnly, onFold }: TimelineProps) {
  const context = useProjectPageContext()
  const { title, selection, filterContext } = context
  const [zoom, setZoom] = useState<TimelineZoom>('week')
  const scroll = useRef<HTMLDivElement>(null)
  const lanes = useRef<HTMLDivElement>(null)
  const defaultHeights = useRowHeights()
  const heights = useMemo(
    () => ({ ...defaultHeights, cols: readHeight('--timeline-head') }),
    [defaultHeights],
  )
  const revision = useTasksRevision()
  const neededScale = useMemo(
    () => createTimeScale(zoom, spans, layout.allIds, filterContext.today),
    [zoom, spans, layout, filterContext.today],
  )
  const scale = useStableScale(neededScale)
  const { measures, first, last, reveal } = useVirtualRows(scroll, layout, heights, view)
  const scrollToDay = (day: string, offsetRatio: number) => {
    const element = scroll.current
    if (element) element.scrollLeft = scale.x(day) - element.clientWidth * offsetRatio
  }
  const previousScale = useRef<TimeScale>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another zoom scrolls to today again
  useLayoutEffect(() => {
    const previous = previousScale.current
    previousScale.current = scale
    // An earlier first day moves all others to the right: those in sight stay where they are.
    if (previous?.zoom === zoom && scroll.current)
      scroll.current.scrollLeft += scale.x(previous.from) - previous.x(scale.from)
    else scrollToDay(filterContext.today, 0.2)
  }, [zoom, scale.from])
  const cursor = useCursor(selection)
  const cursorIndex = cursor === undefined ? undefined : layout.indexOf(cursor)
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls only when the cursor changes
  useEffect(() => {
    if (cursorIndex === undefined || cursor === undefined) return
    reveal(cursorIndex)
    const span = spans.get(cursor)
    const element = scroll.current
    if (!span || !element) return
    const laneWidth = element.clientWidth - (lanes.current?.offsetLeft ?? 0)
    const { scrollLeft: left } = element
    const isVisible =
      scale.x(getSpanLastDay(span)) > left && scale.x(getSpanFirstDay(span)) < left + laneWidth
    if (!isVisible) scrollToDay(getSpanFirstDay(span), 0.1)
  }, [cursor])
  const canMove = () => cursorIndex !== undefined && !readOnly && context.locked === undefined
  const shiftBy = (start?: number, due?: number) => () => {
    const step = { ...(start !== undefined && { start }), ...(due !== undefined && { due }) }
    if (cursor !== undefined) rescheduleTask(context, cursor, step)
  }
  useShortcuts('part', viewMessages.keysTimeline, [
    {
      keys: 'alt+arrowright',
      label: viewMessages.further,
      when: canMove,
      repeats: true,
      run: shiftBy(1, 1),
    },
    {
      keys: 'alt+arrowleft',
      label: viewMessages.sooner,
      when: canMove,
      repeats: true,
      run: shiftBy(-1, -1),
    },
    {
      keys: 'alt+shift+arrowright',
      label: viewMessages.dueFurther,
      when: canMove,
      repeats: true,
      run: shiftBy(undefined, 1),
    },
    {
      keys: 'alt+shift+arrowleft',
      label: viewMessages.dueSooner,
      when: canMove,
      repeats: true,
      run: shiftBy(undefined, -1),
    },
    {
      keys: 'alt+shift+arrowdown',
      label: viewMessages.startFurther,
      when: canMove,
      repeats: true,
      run: shiftBy(1),
    },
    {
      keys: 'alt+shift+arrowup',
      label: viewMessages.startSooner,
      when: canMove,
      repeats: true,
      run: shiftBy(-1),
    },
    { keys: 't', label: viewMessages.today, run: () => scrollToDay(filterContext.today, 0.2) },
  ])
  const handleClick = ({ target }: MouseEvent) => {
    const row = target instanceof Element ? target.closest<HTMLElement>('[data-task]') : null
    if (row) selection.moveCursor(row.dataset.task)
  }
  const indexes = listRenderedIndexes(first, last + 1, [cursorIndex ?? -1, layout.addIndex])
  const indexByRow = new Map(indexes.map((index) => [nameRow(layout.itemAt(index)), index]))
  const grid = useRef<HTMLDivElement>(null)
  const slots = useRowSlots({
    group: grid,
    layout,
    view,
    rows: [...indexByRow.keys()],
    mayReuse: (row) =>
      row.startsWith(TASK_ROW) &&
      ![cursor, focusedRow()?.dataset.task].some((id) => row.endsWith(` ${id}`)),
  })
  return (
    <>
      <div className="plan-bar acts">
        <MenuButton
          label={`${viewMessages.zoom}: ${viewMessages.zooms[zoom]}`}
          items={TIMELINE_ZOOMS.map((one) => ({
            id: one,
            label: viewMessages.zooms[one],
            checked: one === zoom,
            run: () => setZoom(one),
          }))}
        >
          <span className="quiet">{viewMessages.zoom}</span> {viewMessages.zooms[zoom]}
        </MenuButton>
        <Button kind="plain" keys="t" onClick={() => scrollToDay(filterContext.today, 0.2)}>
          {viewMessages.today}
        </Button>
      </div>
      <div className="scroll plan" ref={scroll}>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: every row has keyboard shortcuts, listed by "?" */}
        <div
          ref={grid}
          className="plan-grid"
          role="grid"
          aria-label={viewMessages.timelineOf(title)}
          aria-rowcount={layout.size + 1}
          aria-colcount={2}
          tabIndex={cursorIndex === undefined ? 0 : -1}
          onFocus={({ target, currentTarget }) => {
            if (target === currentTarget)
              selection.moveCursor(listIdsAround(layout, first, last, 0)[0])
          }}
          onClick={handleClick}
          style={{ blockSize: measures.total, '--width': `${scale.width}px` } as object}
        >
          <TimelineHeader scale={scale} scroll={scroll} lanes={lanes} today={filterContext.today} />
          {[...slots].map(([row, slot]) => {
            const index = indexByRow.get(row) ?? -1
            const item = layout.itemAt(index)
            const top = measures.startOf(index)
            if (!item) return null
            const { section } = item
            if (item.kind === 'head') {
              return <TimelineGroupHeader key={slot} {...{ section, index, top, onFold }} />
            }
            if (item.kind === 'add') return <QuickAddRow key={slot} {...{ section, index, top }} />
            const { id } = item.line
            const late = spans.lateBlockersOf(id).join()
            return (
              <TimelineRow
                key={slot}
                {...{ id, index, top, scale, readOnly, late }}
                span={spans.get(id)}
              />
            )
          })}
          <DependencyLines {...{ layout, measures, spans, scale, first, last, revision }} />
        </div>
      </div>
      <UnscheduledTray
        ids={unplanned}
        label={viewMessages.unscheduled(unplanned.length)}
        readOnly={readOnly}
        dayAt={(target, x) => {
          const left = lanes.current?.getBoundingClientRect().left
          const isLane = target?.closest('.plan') && left !== undefined && x >= left
          return isLane ? scale.dayAt(x - left) : undefined
        }}
      />
    </>
  )
}
