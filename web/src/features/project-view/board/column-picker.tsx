import { type RefObject, useState } from 'react'
import { flushSync } from 'react-dom'
import { formatNumber } from '../../../messages/plural.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import type { TaskSection } from '../layout/list-layout.ts'

interface ColumnPickerProps {
  columns: readonly TaskSection[]
  board: RefObject<HTMLDivElement | null>
  onUnfold: (key: string) => void
}

/**
 * Chooses the visible column on phones, where only one fits; swiping works as well. Collapsed columns
 * take no space there: choosing one expands it.
 */
export function ColumnPicker({ columns, board, onUnfold }: ColumnPickerProps) {
  const [chosen, setChosen] = useState('')
  // A column that was collapsed after it was chosen can be chosen again.
  const expanded = columns.filter(({ folded }) => !folded)
  const current = expanded.find(({ key }) => key === chosen) ?? expanded[0]
  const scrollTo = (key: string) => {
    setChosen(key)
    if (columns.some((column) => column.key === key && column.folded)) {
      flushSync(() => onUnfold(key))
    }
    board.current
      ?.querySelector(`[data-column="${CSS.escape(key)}"]`)
      ?.scrollIntoView({ inline: 'start', block: 'nearest' })
  }
  return (
    <label className="column-picker only-narrow">
      <span className="sr">{viewMessages.columnPicker}</span>
      <select
        className="field"
        value={current?.key ?? ''}
        onChange={({ target }) => scrollTo(target.value)}
      >
        {!current && <option value="" />}
        {columns.map(({ key, label, count }) => (
          <option key={key} value={key}>{`${label} (${formatNumber(count)})`}</option>
        ))}
      </select>
    </label>
  )
}
