import { type MouseEvent, memo, useEffect, useRef } from 'react'
import { useTask } from '../../../data/task-store.ts'
import { number as numberText } from '../../../messages/plural.ts'
import { m as t } from '../../../messages/tasks.ts'
import { m } from '../../../messages/views.ts'
import { Icon } from '../../../ui/icon.tsx'
import { MenuButton } from '../../../ui/menu.tsx'
import { ShortId } from '../../../ui/short-id.tsx'
import { stampOf } from '../../../ui/stamp.ts'
import { StatusButton } from '../../../ui/status-mark.tsx'
import { act, targetsOf } from '../act.tsx'
import * as acts from '../acts.ts'
import type { Section } from '../layout.ts'
import { useMarked } from '../marks.ts'
import { datesMenu } from '../plan/reschedule.ts'
import { type Span, wordsOf } from '../plan/spans.ts'
import { useScreen } from '../screen.ts'
import { TitleField } from '../title-field.tsx'
import { Bar } from './bar.tsx'
import type { Scale } from './scale.ts'

interface GroupProps {
  section: Section
  index: number
  top: number
  onFold: (key: string) => void
}

/** The head of a group. */
export function PlanGroup({ section, index, top, onFold }: GroupProps) {
  const { key, label, count, folded } = section
  return (
    <div
      className="row group plan-group"
      role="row"
      aria-rowindex={index + 2}
      style={{ insetBlockStart: top }}
    >
      <div className="plan-side" role="rowheader">
        <span className="gut">
          <b>{numberText(count)}</b>
        </span>
        <button
          type="button"
          className="fold"
          aria-expanded={!folded}
          aria-label={folded ? t.unfold(label) : t.fold(label)}
          onClick={() => onFold(key)}
        >
          <Icon name={folded ? 'right' : 'down'} />
        </button>
        <span className="clip">{label}</span>
      </div>
    </div>
  )
}

interface RowProps {
  number: number
  /** Undefined while it is not read yet; null if it is gone. */
  id: string | undefined | null
  index: number
  top: number
  span: Span | undefined
  scale: Scale
  /** Numbers of what it waits for and what ends too late, with commas. */
  late: string
  readOnly: boolean
}

/** A task and its bar. */
export const PlanRow = memo(function PlanRow(props: RowProps) {
  const { number, id, index, top, span, scale, late, readOnly } = props
  const screen = useScreen()
  const { project, marks } = screen
  const task = useTask(id ?? undefined)
  const { cursor, selected, editing } = useMarked(marks, number)
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (cursor && !editing && isFree(row.current)) row.current?.focus({ preventScroll: true })
  }, [cursor, editing])
  const mark = task && stampOf(project.statuses, task.status, task.status_category)
  const blockers = late ? late.split(',').map((one) => `${project.prefix}-${one}`) : []
  return (
    <div
      ref={row}
      className="row plan-row"
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      tabIndex={cursor ? 0 : -1}
      data-number={number}
      data-s={mark}
      style={{ insetBlockStart: top }}
      onFocus={() => marks.cursor !== number && marks.moveTo(number)}
    >
      <div className="plan-side" role="gridcell">
        <Side {...{ number, task, mark, editing, readOnly }} gone={id === null} />
      </div>
      <div className="plan-lane" role="gridcell">
        {span && (
          <>
            <span className="sr">
              {wordsOf(span)}
              {blockers.length > 0 && `, ${m.late(blockers.join(', '))}`}
            </span>
            <Bar
              {...{ number, span, scale, mark }}
              late={blockers.length > 0}
              fixed={readOnly || screen.locked !== undefined || !task || number < 0}
            />
          </>
        )}
      </div>
    </div>
  )
})

interface SideProps extends Pick<RowProps, 'number' | 'readOnly'> {
  task: ReturnType<typeof useTask>
  mark: ReturnType<typeof stampOf> | undefined
  editing: boolean
  gone: boolean
}

function Side({ number, task, mark, editing, gone, readOnly }: SideProps) {
  const screen = useScreen()
  const { project, marks, open, pageOf } = screen
  const short_id = `${project.prefix}-${number}`
  const menu = useRef<HTMLSpanElement>(null)
  const go = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    marks.moveTo(number)
    open(short_id)
  }
  const toggle = () => {
    const wish = task && acts.toggleDone(screen, task)
    if (wish) act(screen, targetsOf(screen, number), wish)
  }
  return (
    <>
      <span className="gut">
        {number > 0 ? (
          <a className="no" tabIndex={-1} href={pageOf(short_id)} onClick={go}>
            <ShortId id={short_id} />
          </a>
        ) : (
          t.coming
        )}
      </span>
      {task && mark && (
        <StatusButton
          mark={mark}
          tabIndex={-1}
          label={t.toggle(statusOf(project, task.status), short_id)}
          onClick={toggle}
        />
      )}
      {task && editing ? (
        <TitleField task={task} />
      ) : (
        <a
          className="title"
          tabIndex={-1}
          href={number > 0 ? pageOf(short_id) : undefined}
          data-open={short_id}
          onClick={go}
        >
          {gone ? t.gone : (task?.title ?? '')}
        </a>
      )}
      {task && !readOnly && number > 0 && (
        <span ref={menu} className="plan-menu">
          <MenuButton
            icon="dots"
            tabIndex={cursorTab(marks.cursor === number)}
            label={m.menuOf(short_id)}
            items={datesMenu(screen, number, () => menu.current)}
          />
        </span>
      )}
    </>
  )
}

/** The menu of the row at hand is reached by Tab: it does what drawing does. */
const cursorTab = (here: boolean) => (here ? 0 : -1)

const statusOf = (
  { statuses }: { statuses: readonly { key: string; name: string }[] },
  key: string,
) => statuses.find((one) => one.key === key)?.name ?? key

/** Whether nothing outside of the timeline would lose the focus. */
function isFree(row: HTMLElement | null): boolean {
  const { activeElement, body } = document
  if (!activeElement || activeElement === body) return true
  return activeElement.closest('[role="grid"]') !== null && !row?.contains(activeElement)
}
