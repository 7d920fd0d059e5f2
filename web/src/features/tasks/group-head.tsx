import { memo } from 'react'
import { clockOf } from '../../lib/duration.ts'
import { number } from '../../messages/plural.ts'
import { m } from '../../messages/tasks.ts'
import { Icon } from '../../ui/icon.tsx'
import { classOf } from './column-heads.tsx'
import type { ColumnId } from './columns.ts'
import type { Section } from './layout.ts'

interface Props {
  section: Section
  index: number
  columns: readonly ColumnId[]
  onFold: (key: string) => void
}

/** The head of a group stays in view while its tasks scroll by: how many there are, and their sums. */
export const GroupHead = memo(function GroupHead({ section, index, columns, onFold }: Props) {
  const { key, label, count, folded, estimate, spent } = section
  return (
    <div className="row group" role="row" aria-rowindex={index + 2} data-group={key}>
      <div className="gut" role="gridcell">
        <b>{number(count)}</b>
      </div>
      <div className="what" role="rowheader">
        <button
          type="button"
          className="fold"
          aria-expanded={!folded}
          aria-label={folded ? m.unfold(label) : m.fold(label)}
          onClick={() => onFold(key)}
        >
          <Icon name={folded ? 'right' : 'down'} />
        </button>
        <span className="clip">{label}</span>
      </div>
      {columns.map((id) => (
        <div key={id} className={classOf(id)} role="gridcell">
          {id === 'time' &&
            (spent > 0 || estimate > 0) &&
            `${clockOf(spent)} / ${clockOf(estimate)}`}
          {id === 'estimate' && estimate > 0 && clockOf(estimate)}
        </div>
      ))}
    </div>
  )
})
