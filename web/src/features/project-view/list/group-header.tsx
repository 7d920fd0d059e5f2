import { memo, useContext } from 'react'
import { useBoot } from '../../../data/session/boot.ts'
import { formatDuration } from '../../../lib/dates/duration.ts'
import { isPlainDate } from '../../../lib/dates/plain-date.ts'
import { formatNumber } from '../../../messages/plural.ts'
import { myWorkMessages } from '../../../messages/tasks/my-work.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { Icon } from '../../../ui/marks/icon.tsx'
import { type ColumnId, getColumnClass } from '../../property-definitions.ts'
import { runCommand } from '../commands/run-command.tsx'
import { setDueDate } from '../commands/task-commands.ts'
import type { TaskSection } from '../layout/list-layout.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import { ProjectViewContext } from '../project-view.ts'
import { useCursorFocus } from '../selection/cursor-focus.ts'
import { useCursorGroup } from '../selection/list-selection.ts'

interface GroupHeaderProps {
  section: TaskSection
  index: number
  columns: readonly ColumnId[]
  onFold: (key: string) => void
}

/**
 * The header of a group, with its number of tasks and their sums. It stays in view while they
 * scroll.
 */
export const GroupHeader = memo(function GroupHead({
  section,
  index,
  columns,
  onFold,
}: GroupHeaderProps) {
  const { key, label, count, folded, estimate, spent } = section
  const { selection } = useProjectPageContext()
  const hasCursor = useCursorGroup(selection) === key
  const isPlan = useContext(ProjectViewContext).group === 'day'
  const row = useCursorFocus(hasCursor, selection)
  return (
    <div
      ref={row}
      className="row group"
      role="row"
      aria-rowindex={index + 2}
      aria-level={1}
      aria-expanded={!folded}
      tabIndex={hasCursor ? 0 : -1}
      data-group={key}
      onFocus={() => {
        if (selection.cursorGroup !== key) selection.moveToGroup(key)
      }}
    >
      <div className="gut" role="gridcell">
        <b>{formatNumber(count)}</b>
      </div>
      <div className="what" role="rowheader">
        <button
          type="button"
          className="fold"
          tabIndex={-1}
          aria-label={folded ? projectViewMessages.unfold(label) : projectViewMessages.fold(label)}
          onClick={() => onFold(key)}
        >
          <Icon name={folded ? 'right' : 'down'} />
        </button>
        <span className="clip">{label}</span>
        {isPlan && <DayLoad section={section} />}
      </div>
      {columns.map((id) => (
        <div key={id} className={getColumnClass(id)} role="gridcell">
          {id === 'time' &&
            (spent > 0 || estimate > 0) &&
            `${formatDuration(spent)} / ${formatDuration(estimate)}`}
          {id === 'estimate' && estimate > 0 && formatDuration(estimate)}
        </div>
      ))}
    </div>
  )
})

/** Of a day of the plan: what is left to do against the hours of a day. Of what is overdue: a way out. */
function DayLoad({ section: { key, remaining, lines } }: { section: TaskSection }) {
  const context = useProjectPageContext()
  const { hours_per_day } = useBoot('session').session
  const { today } = context.filterContext
  if (key === 'overdue') {
    const ids = lines.map(({ id }) => id)
    const toToday = {
      ...setDueDate(context, { date: today, at: null }),
      label: myWorkMessages.movedToToday,
    }
    return (
      <button type="button" className="link" onClick={() => runCommand(context, ids, toToday)}>
        {myWorkMessages.toToday}
      </button>
    )
  }
  if (!isPlainDate(key) || remaining === 0) return null
  const limit = hours_per_day * HOUR_SECONDS
  return (
    <span className={remaining > limit ? 'time over' : 'time'}>
      {myWorkMessages.dayLoad(formatDuration(remaining), formatDuration(limit))}
    </span>
  )
}

const HOUR_SECONDS = 3_600
