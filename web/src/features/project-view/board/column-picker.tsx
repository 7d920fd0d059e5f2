import type { RefObject } from 'react'
import { formatNumber } from '../../../messages/plural.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import type { TaskSection } from '../layout/list-layout.ts'

interface ColumnPickerProps {
  columns: readonly TaskSection[]
  board: RefObject<HTMLDivElement | null>
}

/** Chooses the visible column on phones, where only one fits; swiping works as well. */
export function ColumnPicker({ columns, board }: ColumnPickerProps) {
  const scrollTo = (key: string) =>
    board.current
      ?.querySelector(`[data-column="${CSS.escape(key)}"]`)
      ?.scrollIntoView({ inline: 'start', block: 'nearest' })
  return (
    <label className="column-picker only-narrow">
      <span className="sr">{projectViewMessages.columnPicker}</span>
      <select className="field" onChange={({ target }) => scrollTo(target.value)}>
        {columns
          .filter(({ folded }) => !folded)
          .map(({ key, label, count }) => (
            <option key={key} value={key}>{`${label} (${formatNumber(count)})`}</option>
          ))}
      </select>
    </label>
  )
}
