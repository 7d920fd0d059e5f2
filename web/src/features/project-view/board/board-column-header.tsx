import { useContext } from 'react'
import { formatNumber } from '../../../messages/plural.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import { IconButton } from '../../../ui/form/button.tsx'
import { PriorityMark } from '../../../ui/marks/priority-mark.tsx'
import { StatusMark } from '../../../ui/marks/status-mark.tsx'
import { getStatusMark } from '../../../ui/marks/status-mark-name.ts'
import { MenuButton } from '../../../ui/overlays/menu-button.tsx'
import type { TaskSection } from '../layout/list-layout.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import { ProjectViewContext } from '../project-view.ts'
import { useQuickAdd } from '../quick-add/quick-add-context.ts'
import { openColumnLimitDialog } from './column-limit-dialog.tsx'

export interface BoardColumnHeaderProps {
  section: TaskSection
  limit: number | undefined
  onFold: () => void
  onLimit: (limit: number | undefined) => void
  id: string
  /** Whether the board has lanes; then a folded column keeps a horizontal header. */
  low?: boolean
}

/**
 * The header of a column with its number of tasks. A number above the limit is highlighted, and
 * stated in words.
 */
export function BoardColumnHeader({
  section,
  limit,
  onFold,
  onLimit,
  id,
  low = false,
}: BoardColumnHeaderProps) {
  const { locked } = useProjectPageContext()
  const { begin } = useQuickAdd()
  const { key, label, count, folded, lines } = section
  /** Of completed tasks, only the recent ones may be shown. */
  const shown = folded ? count : lines.length
  const isOverLimit = limit !== undefined && count > limit
  const countText =
    limit === undefined ? formatNumber(shown) : viewMessages.countLimit(shown, limit)
  return (
    <header>
      {!(folded && low) && <ColumnMark columnKey={key} />}
      <h2 id={id}>
        {folded ? (
          <button
            type="button"
            title={low ? label : undefined}
            aria-label={viewMessages.unfoldColumn(label)}
            onClick={onFold}
          >
            {low ? <ColumnMark columnKey={key} /> : label}
          </button>
        ) : (
          label
        )}
      </h2>
      {!(folded && low) && (
        <span className={isOverLimit ? 'n over' : 'n'}>
          {folded ? formatNumber(count) : countText}
        </span>
      )}
      {!folded && (
        <>
          <MenuButton
            icon="dots"
            className="column-menu"
            label={viewMessages.columnMenu(label)}
            items={[
              {
                id: 'limit',
                label: viewMessages.setLimit,
                run: () => openColumnLimitDialog(label, limit, onLimit),
                ...(limit !== undefined && { hint: formatNumber(limit) }),
              },
              { id: 'fold', label: viewMessages.foldColumn, run: onFold },
            ]}
          />
          <IconButton
            icon="plus"
            label={viewMessages.newTaskIn(label)}
            reason={locked}
            onClick={() => begin({ group: key })}
          />
        </>
      )}
    </header>
  )
}

function ColumnMark({ columnKey }: { columnKey: string }) {
  const { statuses } = useProjectPageContext()
  const { group } = useContext(ProjectViewContext)
  if (group === 'status') return <StatusMark mark={getStatusMark(statuses, columnKey)} />
  return (
    <span className="st">
      <PriorityMark priority={columnKey as Parameters<typeof PriorityMark>[0]['priority']} silent />
    </span>
  )
}
