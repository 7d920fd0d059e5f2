import { type MouseEvent, memo, useEffect, useRef, useState } from 'react'
import { touchedAt, useConflict, useTask } from '../../data/task-store.ts'
import type { Task } from '../../data/task-view.ts'
import { m } from '../../messages/tasks.ts'
import { Icon } from '../../ui/icon.tsx'
import { ShortId } from '../../ui/short-id.tsx'
import { stampOf } from '../../ui/stamp.ts'
import { StatusButton } from '../../ui/status-mark.tsx'
import { Cell } from './cells.tsx'
import type { ColumnId } from './columns.ts'
import { useMarked } from './marks.ts'
import { Blocked, Counts } from './minis.tsx'
import { useRipe } from './ripening.ts'
import { useScreen } from './screen.ts'
import { TitleField } from './title-field.tsx'

interface Props {
  number: number
  /** Undefined while it is not read yet; null if it is gone. */
  id: string | undefined | null
  depth: number
  index: number
  /** Distance from the head of its group, px. */
  top: number
  columns: readonly ColumnId[]
}

/** One task in the list. It renders when its task changes or when it is marked; the list does not. */
export const TaskRow = memo(function TaskRow({ number, id, depth, index, top, columns }: Props) {
  const screen = useScreen()
  const task = useTask(id ?? undefined)
  const { cursor, selected, editing } = useMarked(screen.marks, number)
  const ripe = useRipe(task !== undefined)
  const row = useRef<HTMLDivElement>(null)
  const live = useLive(id ? touchedAt(id) : 0)
  const conflict = useConflict(id ?? '') !== undefined
  useEffect(() => {
    if (cursor && !editing && isFree(row.current)) row.current?.focus({ preventScroll: true })
  }, [cursor, editing])
  const mark = task && stampOf(screen.project.statuses, task.status, task.status_category)
  return (
    <div
      ref={row}
      className={task ? 'row' : 'row bone'}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      tabIndex={cursor ? 0 : -1}
      data-number={number}
      data-s={mark}
      data-depth={depth || undefined}
      data-live={live || undefined}
      data-gone={id === null || undefined}
      style={{ insetBlockStart: top }}
      onFocus={() => screen.marks.cursor !== number && screen.marks.moveTo(number)}
    >
      {task && mark && ripe ? (
        <Cells task={task} mark={mark} columns={columns} {...{ selected, editing, conflict }} />
      ) : (
        <Bones number={number} gone={id === null} title={task?.title} />
      )}
    </div>
  )
})

interface CellsProps {
  task: Task
  mark: ReturnType<typeof stampOf>
  columns: readonly ColumnId[]
  selected: boolean
  editing: boolean
  /** Somebody else changed the same: the task asks which is to be kept. */
  conflict: boolean
}

function Cells({ task, mark, columns, selected, editing, conflict }: CellsProps) {
  const screen = useScreen()
  const { project, marks, open, pageOf } = screen
  const { short_id, number } = task
  const made = number > 0
  const status = project.statuses.find(({ key }) => key === task.status)?.name ?? task.status
  const go = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    marks.moveTo(number)
    open(short_id)
  }
  return (
    <>
      <div className="gut" role="gridcell">
        <label>
          <input
            type="checkbox"
            tabIndex={-1}
            checked={selected}
            aria-label={m.select(short_id)}
            onChange={() => marks.toggle(number)}
          />
        </label>
        {made ? (
          <a className="no" tabIndex={-1} href={pageOf(short_id)} onClick={go}>
            <ShortId id={short_id} />
          </a>
        ) : (
          m.coming
        )}
      </div>
      <div className="what" role="gridcell">
        <StatusButton
          mark={mark}
          tabIndex={-1}
          label={m.toggle(status, short_id)}
          data-field="done"
        />
        {editing ? (
          <TitleField task={task} />
        ) : (
          <a
            className="title"
            tabIndex={-1}
            href={pageOf(short_id)}
            data-open={short_id}
            onClick={go}
            onDoubleClick={() => screen.locked === undefined && marks.edit(number)}
          >
            {task.title}
          </a>
        )}
        {conflict && (
          <button
            type="button"
            className="mini conflict"
            tabIndex={-1}
            onClick={() => open(short_id)}
          >
            <Icon name="warning" />
            {m.conflict}
          </button>
        )}
        <Blocked task={task} />
        <Counts task={task} />
      </div>
      {columns.map((id) => (
        <Cell key={id} id={id} task={task} screen={screen} />
      ))}
    </>
  )
}

interface BonesProps {
  number: number
  gone: boolean
  /** Of a task that is known, and drawn in full in a moment. */
  title: string | undefined
}

function Bones({ number, gone, title }: BonesProps) {
  const { project } = useScreen()
  return (
    <>
      <div className="gut" role="gridcell">
        <span className="no">
          <ShortId id={`${project.prefix}-${number}`} />
        </span>
      </div>
      <div className="what" role="gridcell">
        {gone ? m.gone : title === undefined ? <i aria-hidden="true" /> : <Coming title={title} />}
      </div>
    </>
  )
}

/** Where the title will stand, beside the mark of the status. */
const Coming = ({ title }: { title: string }) => (
  <>
    <span className="st" />
    <span className="title">{title}</span>
  </>
)

/** Whether nothing outside of the list would lose the focus. */
function isFree(row: HTMLElement | null): boolean {
  const { activeElement, body } = document
  if (!activeElement || activeElement === body) return true
  return activeElement.closest('[role="grid"]') !== null && !row?.contains(activeElement)
}

const LIVE_MS = 1_200

/** Whether others changed it just now. */
function useLive(at: number): boolean {
  const [over, setOver] = useState(at)
  const live = at > over && Date.now() - at < LIVE_MS
  useEffect(() => {
    if (!live) return
    const timer = setTimeout(() => setOver(at), LIVE_MS)
    return () => clearTimeout(timer)
  }, [live, at])
  return live
}
