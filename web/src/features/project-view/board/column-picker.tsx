import { type RefObject, useEffect, useState } from 'react'
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
  const keys = expanded.map(({ key }) => key).join(' ')
  // The chosen column is the one in sight: of two neighbors, less than this part of one is.
  useEffect(() => {
    const follow = (entries: readonly IntersectionObserverEntry[]) => {
      const shown = entries.find(({ isIntersecting }) => isIntersecting)?.target
      if (shown instanceof HTMLElement) setChosen(shown.dataset.column ?? '')
    }
    const observer = new IntersectionObserver(follow, { root: board.current, threshold: 0.7 })
    for (const key of keys.split(' ')) {
      const column = findColumn(board.current, key)
      if (column) observer.observe(column)
    }
    return () => observer.disconnect()
  }, [keys, board])
  const scrollTo = (key: string) => {
    setChosen(key)
    if (columns.some((column) => column.key === key && column.folded)) {
      flushSync(() => onUnfold(key))
    }
    findColumn(board.current, key)?.scrollIntoView({ inline: 'start', block: 'nearest' })
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

const findColumn = (board: HTMLElement | null, key: string) =>
  board?.querySelector(`[data-column="${CSS.escape(key)}"]`)
