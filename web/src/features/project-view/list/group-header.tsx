import { memo } from 'react'
import { formatDuration } from '../../../lib/dates/duration.ts'
import { formatNumber } from '../../../messages/plural.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { Icon } from '../../../ui/marks/icon.tsx'
import { type ColumnId, getColumnClass } from '../../property-definitions.ts'
import type { TaskSection } from '../layout/list-layout.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import { useCursorFocus } from '../selection/cursor-focus.ts'
import { useCursorGroup } from '../selection/list-selection.ts'

interface GroupHeaderProps {
  section: TaskSection
  index: number
  columns: readonly ColumnId[]
  onFold: (key: string) => void
}

/**
 * The header of a group, with its id of tasks and their sums. It stays in view while they
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
