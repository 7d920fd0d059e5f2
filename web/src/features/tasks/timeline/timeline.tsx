import { type MouseEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { Rows } from '../../../data/task-rows.ts'
import { idOfNumber, useTasksRevision } from '../../../data/task-store.ts'
import { stands } from '../../../lib/ahead.ts'
import { m } from '../../../messages/views.ts'
import { Button } from '../../../ui/button.tsx'
import { useKeys } from '../../../ui/keys.ts'
import { MenuButton } from '../../../ui/menu.tsx'
import { wantedAround } from '../blocks.ts'
import { useHeights } from '../heights.ts'
import type { Layout } from '../layout.ts'
import { useCursor } from '../marks.ts'
import { move } from '../plan/reschedule.ts'
import { firstOf, lastOf, type Spans } from '../plan/spans.ts'
import { Tray } from '../plan/tray.tsx'
import { QuickAdd } from '../quick-add-row.tsx'
import { useScreen } from '../screen.ts'
import type { View } from '../view.ts'
import { useWindow } from '../window.ts'
import { Links } from './links.tsx'
import { PlanGroup, PlanRow } from './plan-row.tsx'
import { scaleFor, ZOOMS, type Zoom } from './scale.ts'
import { ScaleHead } from './scale-head.tsx'

interface Props {
  layout: Layout
  spans: Spans
  /** Numbers of the tasks without a day. */
  unplanned: readonly number[]
  of: View
  readOnly: boolean
  onFold: (key: string) => void
}

const HEAD_PX = 48

/** Bars in rows: only those near the viewport are in the document. */
export function Timeline({ layout, spans, unplanned, of, readOnly, onFold }: Props) {
  const screen = useScreen()
  const { project, marks, meaning } = screen
  const [zoom, setZoom] = useState<Zoom>('week')
  const scroll = useRef<HTMLDivElement>(null)
  const lanes = useRef<HTMLDivElement>(null)
  const usual = useHeights()
  const heights = useMemo(() => ({ ...usual, cols: HEAD_PX }), [usual])
  const [, note] = useState(0)
  const rows = useMemo(() => new Rows(project.id, () => note((n) => n + 1)), [project.id])
  const revision = useTasksRevision()
  const scale = useMemo(
    () => scaleFor(zoom, spans, layout.everything, meaning.today),
    [zoom, spans, layout, meaning.today],
  )
  const { measures, first, last, reveal } = useWindow(scroll, layout, heights, of)
  useEffect(() => rows.want(wantedAround(layout, first, last)), [rows, layout, first, last])
  useEffect(() => stands(), [])
  const toDay = (day: string, part: number) => {
    const element = scroll.current
    if (element) element.scrollLeft = scale.x(day) - element.clientWidth * part
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another scale looks at today anew
  useLayoutEffect(() => toDay(meaning.today, 0.2), [zoom, scale.from])
  const cursor = useCursor(marks)
  const held = cursor === undefined ? undefined : layout.indexOf(cursor)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the cursor scrolls
  useEffect(() => {
    if (held === undefined || cursor === undefined) return
    reveal(held)
    const span = spans.of(cursor)
    const element = scroll.current
    if (!span || !element) return
    const lane = element.clientWidth - (lanes.current?.offsetLeft ?? 0)
    const { scrollLeft: left } = element
    const seen = scale.x(lastOf(span)) > left && scale.x(firstOf(span)) < left + lane
    if (!seen) toDay(firstOf(span), 0.1)
  }, [cursor])
  const on = () => cursor !== undefined && !readOnly && screen.locked === undefined
  const by = (start?: number, due?: number) => () => {
    const step = { ...(start !== undefined && { start }), ...(due !== undefined && { due }) }
    if (cursor !== undefined) move(screen, cursor, step)
  }
  useKeys(m.keysTimeline, [
    { keys: 'alt+arrowright', label: m.further, when: on, repeats: true, run: by(1, 1) },
    { keys: 'alt+arrowleft', label: m.sooner, when: on, repeats: true, run: by(-1, -1) },
    {
      keys: 'alt+shift+arrowright',
      label: m.dueFurther,
      when: on,
      repeats: true,
      run: by(undefined, 1),
    },
    {
      keys: 'alt+shift+arrowleft',
      label: m.dueSooner,
      when: on,
      repeats: true,
      run: by(undefined, -1),
    },
    { keys: 'alt+shift+arrowdown', label: m.startFurther, when: on, repeats: true, run: by(1) },
    { keys: 'alt+shift+arrowup', label: m.startSooner, when: on, repeats: true, run: by(-1) },
    { keys: 't', label: m.today, run: () => toDay(meaning.today, 0.2) },
  ])
  const press = ({ target }: MouseEvent) => {
    const row = target instanceof Element ? target.closest<HTMLElement>('[data-number]') : null
    if (row) marks.moveTo(Number(row.dataset.number))
  }
  const indexes = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at)
  if (held !== undefined && (held < first || held > last)) indexes.push(held)
  return (
    <>
      <div className="plan-bar acts">
        <MenuButton
          label={`${m.zoom}: ${m.zooms[zoom]}`}
          items={ZOOMS.map((one) => ({
            ...{ id: one, label: m.zooms[one], checked: one === zoom },
            run: () => setZoom(one),
          }))}
        >
          <span className="quiet">{m.zoom}</span> {m.zooms[zoom]}
        </MenuButton>
        <Button kind="plain" keys="t" onClick={() => toDay(meaning.today, 0.2)}>
          {m.today}
        </Button>
      </div>
      <div className="scroll plan" ref={scroll}>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: every row has its keys, told by "?" */}
        <div
          className="plan-grid"
          role="grid"
          aria-label={m.timelineOf(project.name)}
          aria-rowcount={layout.size + 1}
          aria-colcount={2}
          tabIndex={held === undefined ? 0 : -1}
          onFocus={({ target, currentTarget }) => {
            if (target === currentTarget) marks.moveTo(wantedAround(layout, first, last)[0])
          }}
          onClick={press}
          style={{ blockSize: measures.total, '--width': `${scale.width}px` } as object}
        >
          <ScaleHead scale={scale} scroll={scroll} lanes={lanes} today={meaning.today} />
          {indexes.map((index) => {
            const item = layout.at(index)
            const top = measures.startOf(index)
            if (!item) return null
            const { section } = item
            if (item.kind === 'head') {
              return <PlanGroup key={section.key} {...{ section, index, top, onFold }} />
            }
            if (item.kind === 'add') return <QuickAdd key="add" {...{ section, index, top }} />
            const { number } = item.line
            const id = rows.gone.has(number) ? null : idOfNumber(project.id, number)
            const late = spans.lateBlockersOf(number).join()
            return (
              <PlanRow
                key={`${section.key} ${number}`}
                {...{ number, id, index, top, scale, readOnly, late }}
                span={spans.of(number)}
              />
            )
          })}
          <Links {...{ layout, measures, spans, scale, first, last, revision }} />
        </div>
      </div>
      <Tray
        numbers={unplanned}
        label={m.unscheduled(unplanned.length)}
        {...{ rows, readOnly }}
        dayAt={(under, x) => {
          const left = lanes.current?.getBoundingClientRect().left
          const isLane = under?.closest('.plan') && left !== undefined && x >= left
          return isLane ? scale.dayAt(x - left) : undefined
        }}
      />
    </>
  )
}
