import { memo, Suspense, useContext, useEffect, useMemo, useReducer, useRef } from 'react'
import { getStatusName, type Task } from '../../../data/tasks/task-patch.ts'
import { isTempId, useStoredTask } from '../../../data/tasks/task-store.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { useProgressiveRow } from '../../../ui/layout/use-progressive-row.ts'
import { Icon } from '../../../ui/marks/icon.tsx'
import { ShortId } from '../../../ui/marks/short-id.tsx'
import { StatusButton } from '../../../ui/marks/status-mark.tsx'
import { getTaskMark, type StatusMarkName } from '../../../ui/marks/status-mark-name.ts'
import type { ColumnId } from '../../property-definitions.ts'
import { BlockedBadge } from '../blocked-badge.tsx'
import { FoundTasksContext } from '../grouping/use-found-tasks.ts'
import { LazyMatchedTitle, LazyMatchSnippet } from '../lazy/deferred-components.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import { CursorFocus } from '../selection/cursor-focus.ts'
import { useRowSelectionState } from '../selection/list-selection.ts'
import { openBeside } from './open-beside.ts'
import { TaskCountBadges } from './task-badges.tsx'
import { renderTaskCell } from './task-cell.tsx'
import { TitleField } from './title-field.tsx'

export interface TaskListRowProps {
  /** A prop, because React would compare a context for each row whenever the list renders. */
  context: ProjectPageContext
  id: string
  depth: number
  /** Depth in the tree of groups, tasks and subtasks, from 1. */
  level: number
  index: number
  /** Distance from the header of its group, px. */
  top: number
  columns: readonly ColumnId[]
  tagsWidth: number | undefined
}

/**
 * One task of the list. A change of the task or of its selection state renders this row, not the
 * list. While the list scrolls, the row takes one task after another.
 */
export const TaskListRow = memo(function TaskRow({
  context,
  id,
  depth,
  level,
  index,
  top,
  columns,
  tagsWidth,
}: TaskListRowProps) {
  const { view: task, conflict, touchedAt = 0 } = useStoredTask(id) ?? {}
  const { cursor, selected, editing, open } = useRowSelectionState(context.selection, id)
  const isFull = useProgressiveRow(task !== undefined)
  const row = useRef<HTMLDivElement>(null)
  const changedByOthers = useChangedByOthers(id, touchedAt)
  const mark = task && getTaskMark(context.projectOf(task), task)
  return (
    <div
      ref={row}
      className={task ? 'row' : 'row bone'}
      role="row"
      aria-rowindex={index + 2}
      aria-level={level}
      aria-selected={selected}
      aria-current={open || undefined}
      tabIndex={cursor ? 0 : -1}
      data-task={id}
      data-number={task?.number}
      data-s={mark}
      data-depth={depth || undefined}
      data-live={changedByOthers || undefined}
      data-gone={task === undefined || undefined}
      style={{ insetBlockStart: top }}
      onFocus={() => context.selection.followFocus(id)}
    >
      {task && mark && isFull ? (
        <TaskRowCells
          {...{ context, task, mark, columns, tagsWidth, selected, editing }}
          conflict={conflict !== undefined}
        />
      ) : (
        <RowSkeleton short_id={task?.short_id} title={task?.title} />
      )}
      {cursor && !editing && <CursorFocus row={row} selection={context.selection} />}
    </div>
  )
})

interface TaskRowCellsProps {
  context: ProjectPageContext
  task: Task
  mark: StatusMarkName
  columns: readonly ColumnId[]
  tagsWidth: number | undefined
  selected: boolean
  editing: boolean
  /** Somebody else changed the same field; the user has to choose which value to keep. */
  conflict: boolean
}

function TaskRowCells({
  context,
  task,
  mark,
  columns,
  tagsWidth,
  selected,
  editing,
  conflict,
}: TaskRowCellsProps) {
  const { projectOf, selection, open, taskHref } = context
  const { short_id, id } = task
  const match = useContext(FoundTasksContext).get(id)
  const isSaved = !isTempId(id)
  const status = getStatusName(projectOf(task), task.status)
  const handleOpen = openBeside(context, id, short_id, match?.comment_id ?? undefined)
  return (
    <>
      <div className="gut" role="gridcell">
        <label>
          <input
            type="checkbox"
            tabIndex={-1}
            checked={selected}
            aria-label={projectViewMessages.select(short_id)}
            // With Shift, the list selects the range up to here.
            onChange={({ nativeEvent }) => {
              if (!('shiftKey' in nativeEvent && nativeEvent.shiftKey)) selection.toggle(id)
            }}
          />
        </label>
        {isSaved ? (
          <a className="no" tabIndex={-1} href={taskHref(short_id)} onClick={handleOpen}>
            <ShortId id={short_id} />
          </a>
        ) : (
          projectViewMessages.coming
        )}
      </div>
      <div className="what" role="gridcell">
        <StatusButton
          mark={mark}
          of={short_id}
          tabIndex={-1}
          label={projectViewMessages.toggle(status, short_id)}
          data-field="done"
        />
        {editing ? (
          <TitleField key={id} task={task} onEnd={() => selection.edit(undefined)} />
        ) : (
          <a
            className="title"
            tabIndex={-1}
            href={isSaved ? taskHref(short_id) : undefined}
            data-open={short_id}
            onClick={handleOpen}
            onDoubleClick={() => context.locked === undefined && selection.edit(id)}
          >
            {match ? (
              <Suspense fallback={task.title}>
                <LazyMatchedTitle title={task.title} {...match} />
              </Suspense>
            ) : (
              task.title
            )}
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
            {projectViewMessages.conflict}
          </button>
        )}
        <BlockedBadge task={task} />
        <TaskCountBadges task={task} />
        {match && (
          <Suspense>
            <LazyMatchSnippet {...match} />
          </Suspense>
        )}
      </div>
      {columns.map((id) => renderTaskCell({ id, task, context, tagsWidth }))}
    </>
  )
}

interface RowSkeletonProps {
  short_id: string | undefined
  /** The full row follows in a moment. Undefined if the task does not exist any more. */
  title: string | undefined
}

const RowSkeleton = ({ short_id, title }: RowSkeletonProps) => (
  <>
    <div className="gut" role="gridcell">
      {short_id !== undefined && (
        <span className="no">
          <ShortId id={short_id} />
        </span>
      )}
    </div>
    <div className="what" role="gridcell">
      {title === undefined ? projectViewMessages.gone : <TitlePreview title={title} />}
    </div>
  </>
)

/** The title at its final place, next to an empty status mark. */
const TitlePreview = ({ title }: { title: string }) => (
  <>
    <span className="st" />
    <span className="title">{title}</span>
  </>
)

const HIGHLIGHT_MS = 1_200

/** Whether another user has changed the task within the last moment. */
function useChangedByOthers(id: string, changedAt: number): boolean {
  // What has changed before the row took this task is not new here.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another task begins anew
  const since = useMemo(() => Date.now(), [id])
  const [, rerender] = useReducer((count: number) => count + 1, 0)
  const isRecent = changedAt >= since && Date.now() - changedAt < HIGHLIGHT_MS
  useEffect(() => {
    if (!isRecent) return
    const timer = setTimeout(rerender, changedAt + HIGHLIGHT_MS - Date.now())
    return () => clearTimeout(timer)
  }, [isRecent, changedAt])
  return isRecent
}
