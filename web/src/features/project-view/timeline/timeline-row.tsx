import { memo, useRef } from 'react'
import { getStatusName } from '../../../data/tasks/task-patch.ts'
import { getCachedTask, isTempId, useTask } from '../../../data/tasks/task-store.ts'
import { formatNumber as numberText } from '../../../messages/plural.ts'
import { projectViewMessages as t } from '../../../messages/tasks/project-view.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import { Icon } from '../../../ui/marks/icon.tsx'
import { ShortId } from '../../../ui/marks/short-id.tsx'
import { StatusButton } from '../../../ui/marks/status-mark.tsx'
import { getTaskMark, type StatusMarkName } from '../../../ui/marks/status-mark-name.ts'
import { MenuButton } from '../../../ui/overlays/menu-button.tsx'
import { resolveTargets, runCommand } from '../commands/run-command.tsx'
import * as commands from '../commands/task-commands.ts'
import type { TaskSection } from '../layout/list-layout.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import { openBeside } from '../rows/open-beside.ts'
import { TitleField } from '../rows/title-field.tsx'
import { buildDatesMenu } from '../schedule/reschedule-task.ts'
import { type DateSpan, formatSpan } from '../schedule/task-spans.ts'
import { useCursorFocus } from '../selection/cursor-focus.ts'
import { useRowSelectionState } from '../selection/list-selection.ts'
import type { TimeScale } from './time-scale.ts'
import { TimelineBar } from './timeline-bar.tsx'

interface TimelineGroupProps {
  section: TaskSection
  index: number
  top: number
  onFold: (key: string) => void
}

/** The header of a group. */
export function TimelineGroupHeader({ section, index, top, onFold }: TimelineGroupProps) {
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

interface TimelineRowProps {
  id: string
  index: number
  top: number
  span: DateSpan | undefined
  scale: TimeScale
  /**
   * The ids of the blockers that end too late, joined by commas so that `memo` compares them by
   * value.
   */
  late: string
  readOnly: boolean
}

/** A row of the timeline: a task and its bar. */
export const TimelineRow = memo(function PlanRow(props: TimelineRowProps) {
  const { id, index, top, span, scale, late, readOnly } = props
  const context = useProjectPageContext()
  const { projectOf, selection } = context
  const task = useTask(id)
  const { cursor, selected, editing, open } = useRowSelectionState(selection, id)
  const row = useCursorFocus(cursor && !editing)
  const mark = task && getTaskMark(projectOf(task), task)
  const blockers = late ? late.split(',').flatMap((one) => getCachedTask(one)?.short_id ?? []) : []
  return (
    <div
      ref={row}
      className="row plan-row"
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      aria-current={open || undefined}
      tabIndex={cursor ? 0 : -1}
      data-task={id}
      data-number={task?.number}
      data-s={mark}
      style={{ insetBlockStart: top }}
      onFocus={() => selection.followFocus(id)}
    >
      <div className="plan-side" role="gridcell">
        <TimelineRowSide {...{ id, task, mark, editing, readOnly }} />
      </div>
      <div className="plan-lane" role="gridcell">
        {span && (
          <>
            <span className="sr">
              {formatSpan(span)}
              {blockers.length > 0 && `, ${viewMessages.late(blockers.join(', '))}`}
            </span>
            <TimelineBar
              {...{ id, span, scale, mark }}
              late={blockers.length > 0}
              fixed={readOnly || context.locked !== undefined || !task || isTempId(id)}
            />
          </>
        )}
      </div>
    </div>
  )
})

interface TimelineRowSideProps extends Pick<TimelineRowProps, 'id' | 'readOnly'> {
  task: ReturnType<typeof useTask>
  mark: StatusMarkName | undefined
  editing: boolean
}

function TimelineRowSide({ id, task, mark, editing, readOnly }: TimelineRowSideProps) {
  const context = useProjectPageContext()
  const { projectOf, selection, taskHref } = context
  const { short_id = '' } = task ?? {}
  const isSaved = !isTempId(id)
  const menu = useRef<HTMLSpanElement>(null)
  const handleOpen = openBeside(context, id, short_id)
  const toggle = () => {
    const command = task && commands.toggleCompleted(context, task)
    if (command) runCommand(context, resolveTargets(context, id), command)
  }
  return (
    <>
      <span className="gut">
        {isSaved ? (
          <a className="no" tabIndex={-1} href={taskHref(short_id)} onClick={handleOpen}>
            <ShortId id={short_id} />
          </a>
        ) : (
          t.coming
        )}
      </span>
      {task && mark && (
        <StatusButton
          mark={mark}
          of={short_id}
          tabIndex={-1}
          label={t.toggle(getStatusName(projectOf(task), task.status), short_id)}
          onClick={toggle}
        />
      )}
      {task && editing ? (
        <TitleField key={id} task={task} onEnd={() => selection.edit(undefined)} />
      ) : (
        <a
          className="title"
          tabIndex={-1}
          href={isSaved ? taskHref(short_id) : undefined}
          data-open={short_id}
          onClick={handleOpen}
        >
          {task?.title}
        </a>
      )}
      {task && !readOnly && isSaved && (
        <span ref={menu} className="plan-menu">
          <MenuButton
            icon="dots"
            tabIndex={menuTabIndex(selection.cursor === id)}
            label={viewMessages.menuOf(short_id)}
            items={buildDatesMenu(context, id, () => menu.current)}
          />
        </span>
      )}
    </>
  )
}

/** Tab reaches only the menu of the cursor's row; it offers what dragging does. */
const menuTabIndex = (isCursor: boolean) => (isCursor ? 0 : -1)
