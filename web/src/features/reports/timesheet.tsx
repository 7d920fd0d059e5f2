import { type KeyboardEvent, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { DAY_SECONDS } from '#lib/durations.ts'
import { parseDuration } from '#lib/typed-duration.ts'
import { loadAppModule } from '../../data/app/app-version.ts'
import { setCellTime, type TimesheetCell, useTimesheet } from '../../data/resources/timesheet.ts'
import { type CellEntry, sumSeconds } from '../../data/resources/timesheet-changes.ts'
import { useBoot, useProject } from '../../data/session/boot.ts'
import { useLoadTasks } from '../../data/tasks/task-queries.ts'
import { useTask } from '../../data/tasks/task-store.ts'
import { formatDuration } from '../../lib/dates/duration.ts'
import { addDaysToDate, formatDay, type PlainDate, today } from '../../lib/dates/plain-date.ts'
import { deleteDraft, findDraftKeys, readDraft, saveDraft } from '../../lib/state/drafts.ts'
import { reportMessages } from '../../messages/projects/reports.ts'
import { taskDetailMessages } from '../../messages/tasks/task-detail.ts'
import { ErrorMessage, showErrorToast } from '../../ui/feedback/error-message.tsx'
import { Skeleton } from '../../ui/layout/skeleton.tsx'
import { Icon } from '../../ui/marks/icon.tsx'
import { ShortId } from '../../ui/marks/short-id.tsx'
import { PickerButton } from '../../ui/overlays/picker-button.tsx'
import { createTaskSearch, listCachedTaskOptions, TaskLink } from '../task-detail/index.ts'
import { formatHours } from './report-view.ts'
import './timesheet.css'

interface TimesheetProps {
  /** The first day of the week. */
  week: PlainDate
  /** The ids of the projects whose tasks are shown; undefined for all. */
  projects: string[] | undefined
  onOpenTask: (short_id: string) => void
}

/** A week of the viewer's time as a table to fill: a row for each task, a column for each day. */
export function Timesheet({ week, projects, onOpenTask }: TimesheetProps) {
  const { projects: allProjects } = useBoot('projects')
  const { entries, error, retry } = useTimesheet(week)
  const shownEntries = useMemo(
    () =>
      entries?.filter(({ project_id }) => !project_id || (projects?.includes(project_id) ?? true)),
    [entries, projects],
  )
  const table = useRef<HTMLTableElement>(null)
  const [fault, setFault] = useState<{ cell: string; text: string }>()
  const task_ids = useTaskRows(shownEntries ?? [], week)
  useLoadTasks(task_ids.all)
  if (error && !entries) return <ErrorMessage error={error} onRetry={retry} />
  if (!shownEntries) return <Skeleton rows={8} />
  const days = Array.from({ length: 7 }, (_, n) => addDaysToDate(week, n))
  const total = sumSeconds(shownEntries)
  const { timesheet: t } = reportMessages
  const moveFocus = ([row, column]: CellOffset, step: CellOffset): boolean => {
    const next = [row + step[0], column + step[1]] as const
    const cell = table.current?.querySelector<HTMLInputElement>(`[data-cell="${next.join(' ')}"]`)
    // Those of archived projects cannot have the focus.
    if (cell?.disabled) return moveFocus(next, step)
    cell?.focus()
    return cell != null
  }
  const scope = {
    projects: allProjects,
    without: task_ids.all,
    ...(projects?.length === 1 && projects[0] !== undefined && { project_id: projects[0] }),
  }
  return (
    <section className="report timesheet" aria-label={t.name}>
      <header>
        <span className="gut">{reportMessages.unit.time}</span>
        <div>
          <h2>{total === 0 ? t.none : t.total(formatDuration(total))}</h2>
          <p>
            {t.say} <span className="only-wide">{t.keys}</span>
          </p>
        </div>
      </header>
      <table ref={table}>
        <thead>
          <tr>
            <th scope="col">{t.task}</th>
            {days.map((day) => (
              <th key={day} scope="col" aria-current={day === today() ? 'date' : undefined}>
                <span>{formatDay(day, 'weekday')}</span> {Number(day.slice(8))}
              </th>
            ))}
            <th scope="col">{t.sum}</th>
          </tr>
        </thead>
        <tbody>
          {task_ids.all.map((task_id, row) => (
            <TimesheetRow
              key={task_id}
              task_id={task_id}
              row={row}
              week={week}
              days={days}
              entries={shownEntries.filter((entry) => entry.task_id === task_id)}
              onOpenTask={onOpenTask}
              onMove={moveFocus}
              onFault={(cell, text) =>
                setFault((now) =>
                  text !== undefined ? { cell, text } : now?.cell === cell ? undefined : now,
                )
              }
            />
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">
              <span className="gut" />
              {t.sum}
            </th>
            {days.map((day) => (
              <td key={day}>
                {hoursOrNone(shownEntries.filter(({ spent_on }) => spent_on === day))}
              </td>
            ))}
            <td>{formatHours(total)}</td>
          </tr>
        </tfoot>
      </table>
      {fault && (
        <p className="line error" role="alert">
          <span className="gut" />
          <span>
            <Icon name="warning" /> {fault.text}
          </span>
        </p>
      )}
      <div className="line">
        <span className="gut" />
        <span className="add-row">
          <PickerButton
            kind="plain"
            icon="plus"
            label={t.addTask}
            pick={{
              options: listCachedTaskOptions(scope),
              picked: [],
              search: createTaskSearch(scope),
              onPick: ([id]) => id && task_ids.add(id),
            }}
          >
            {t.addTask}
          </PickerButton>
          {task_ids.all.length === 0 && <span className="quiet">{t.empty}</span>}
        </span>
      </div>
    </section>
  )
}

/** Where what is typed in a cell is kept until it is saved or discarded. */
const getCellDraftKey = ({ week, task_id, day }: TimesheetCell): string =>
  `${getWeekDraftPrefix(week)}${task_id}.${day}`
const getWeekDraftPrefix = (week: PlainDate): string => `timesheet.${week}.`

const listDraftedTaskIds = (week: PlainDate): string[] =>
  findDraftKeys(getWeekDraftPrefix(week)).flatMap((key) => key.split('.')[2] ?? [])

/**
 * The tasks of the rows: those with time or a draft, and those that were added. A row stays where it is, also when
 * its time is deleted.
 */
function useTaskRows(entries: readonly CellEntry[], week: PlainDate) {
  const [rows, setRows] = useState<readonly string[]>(() => [...new Set(listDraftedTaskIds(week))])
  const withTime = entries
    .toSorted((a, b) => (a.spent_on < b.spent_on ? -1 : a.spent_on > b.spent_on ? 1 : 0))
    .map(({ task_id }) => task_id)
  const all = [...new Set([...rows, ...withTime])]
  if (all.length > rows.length) setRows(all)
  return { all, add: (id: string) => setRows([...all, id]) }
}

const hoursOrNone = (entries: readonly CellEntry[]): string =>
  entries.length === 0 ? '' : formatHours(sumSeconds(entries))

/** A place in the table, or a way from one to another. */
type CellOffset = readonly [rows: number, columns: number]

interface TimesheetRowProps {
  task_id: string
  row: number
  week: PlainDate
  days: readonly PlainDate[]
  entries: readonly CellEntry[]
  onOpenTask: (short_id: string) => void
  onMove: (from: CellOffset, step: CellOffset) => boolean
  onFault: (cell: string, text: string | undefined) => void
}

function TimesheetRow(props: TimesheetRowProps) {
  const { task_id, row, week, days, entries, onOpenTask, onMove, onFault } = props
  const task = useTask(task_id)
  const project = useProject(task?.project_id)
  const name = task?.short_id ?? ''
  return (
    <tr>
      <th scope="row">
        {task && (
          <>
            <TaskLink className="gut no" shortId={name} onGo={onOpenTask}>
              <ShortId id={name} />
            </TaskLink>
            <TaskLink className="clip" shortId={name} onGo={onOpenTask}>
              {task.title}
            </TaskLink>
          </>
        )}
      </th>
      {days.map((day, column) => (
        <td key={day}>
          <CellInput
            cell={{ week, task_id, day, name }}
            place={[row, column]}
            seconds={sumSeconds(entries.filter(({ spent_on }) => spent_on === day))}
            reason={project?.status === 'archived' ? taskDetailMessages.archived : undefined}
            onMove={onMove}
            onFault={onFault}
          />
        </td>
      ))}
      <td>{hoursOrNone(entries)}</td>
    </tr>
  )
}

interface CellInputProps {
  cell: TimesheetCell
  place: CellOffset
  seconds: number
  /** Why the time cannot be changed. */
  reason: string | undefined
  onMove: (from: CellOffset, step: CellOffset) => boolean
  onFault: (cell: string, text: string | undefined) => void
}

/** The time of a task on a day. What is typed is saved when the focus leaves the field, or on Enter. */
function CellInput({ cell, place, seconds, reason, onMove, onFault }: CellInputProps) {
  const draftKey = getCellDraftKey(cell)
  const [restored] = useState(() => readDraft(draftKey))
  const [draft, setDraft] = useState(restored)
  const [isInvalid, setInvalid] = useState(false)
  const saved = seconds === 0 ? '' : formatHours(seconds)
  const key = `${cell.task_id} ${cell.day}`
  const reset = () => {
    deleteDraft(draftKey)
    setDraft(undefined)
    setInvalid(false)
    onFault(key, undefined)
  }
  const save = async () => {
    if (draft === undefined) return
    if (draft.trim() === saved) return reset()
    const parsed = parseCell(draft)
    setInvalid('fault' in parsed)
    onFault(key, 'fault' in parsed ? parsed.fault : undefined)
    if ('fault' in parsed) return
    await setCellTime(cell, parsed.seconds)
    // Something else may have been typed until the entry could be changed.
    if (readDraft(draftKey) === draft) deleteDraft(draftKey)
    setDraft((now) => (now === draft ? undefined : now))
  }
  // A page that has ended may have saved a draft after all. It is not saved here: its writes may still be to come.
  const showRestored = useEffectEvent((savedSeconds: number) => {
    if (draft === undefined || draft !== restored) return
    const parsed = parseCell(draft)
    if ('seconds' in parsed && parsed.seconds === savedSeconds) return reset()
    setInvalid('fault' in parsed)
    onFault(key, 'fault' in parsed ? parsed.fault : reportMessages.timesheet.unsaved)
  })
  useEffect(() => showRestored(seconds), [seconds])
  // Going back takes the field away without a blur.
  const saveAtUnmount = useEffectEvent(save)
  useEffect(() => () => void saveAtUnmount(), [])
  const handleKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const { key: pressed, currentTarget: field } = event
    const isUndo = pressed.toLowerCase() === 'z' && (event.ctrlKey || event.metaKey)
    if (isUndo && draft === undefined) {
      // As for the shortcut of the app, the code of that is loaded after the page.
      loadAppModule(() => import('../../data/app/undo.ts')).then(
        ({ reverseLatest }) => reverseLatest(event.shiftKey ? 'undone' : 'done'),
        showErrorToast,
      )
    } else if (event.ctrlKey || event.metaKey || event.altKey) return
    else if (pressed === 'Escape' && draft !== undefined) {
      event.stopPropagation()
      reset()
    } else {
      const step = toStep(event, field)
      if (!step) return
      const hasMoved = onMove(place, step)
      if (!hasMoved && pressed === 'Enter') void save()
    }
    event.preventDefault()
  }
  return (
    <input
      data-cell={place.join(' ')}
      aria-label={reportMessages.timesheet.cell(cell.name, formatDay(cell.day))}
      aria-invalid={isInvalid || undefined}
      autoComplete="off"
      enterKeyHint="next"
      disabled={reason !== undefined}
      title={reason}
      value={draft ?? saved}
      data-restored={draft !== undefined && draft === restored ? '' : undefined}
      onChange={({ target }) => {
        setDraft(target.value)
        saveDraft(draftKey, target.value)
      }}
      onFocus={({ target }) => target.select()}
      onBlur={() => void save()}
      onKeyDown={handleKeyDown}
    />
  )
}

/** Where a key moves to: arrows by cell, left and right only from the end of what is typed; Enter down. */
function toStep(
  { key, shiftKey }: KeyboardEvent,
  { selectionStart, selectionEnd, value }: HTMLInputElement,
): CellOffset | undefined {
  const isAll = selectionStart === 0 && selectionEnd === value.length
  const isCaret = selectionStart === selectionEnd
  if (key === 'Enter') return shiftKey ? [-1, 0] : [1, 0]
  if (shiftKey) return undefined
  if (key === 'ArrowUp') return [-1, 0]
  if (key === 'ArrowDown') return [1, 0]
  if (key === 'ArrowLeft' && (isAll || (isCaret && selectionStart === 0))) return [0, -1]
  if (key === 'ArrowRight' && (isAll || (isCaret && selectionEnd === value.length))) return [0, 1]
  return undefined
}

/** The typed time of a cell in seconds, of which an empty text has none; or why it is not accepted. */
export function parseCell(typed: string): { seconds: number } | { fault: string } {
  const seconds = typed.trim() === '' ? 0 : parseDuration(typed)
  if (seconds === undefined) return { fault: reportMessages.timesheet.notTime(typed) }
  return seconds > DAY_SECONDS ? { fault: reportMessages.timesheet.tooLong } : { seconds }
}
