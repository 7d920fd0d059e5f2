import type { RefObject } from 'react'
import { number } from '../../../messages/plural.ts'
import { m } from '../../../messages/tasks.ts'
import type { Section } from '../layout.ts'

interface Props {
  columns: readonly Section[]
  board: RefObject<HTMLDivElement | null>
}

/** On a phone one column is seen at a time: it is swiped to, or chosen here. */
export function ColumnPicker({ columns, board }: Props) {
  const go = (key: string) =>
    board.current
      ?.querySelector(`[data-column="${CSS.escape(key)}"]`)
      ?.scrollIntoView({ inline: 'start', block: 'nearest' })
  return (
    <label className="column-picker only-narrow">
      <span className="sr">{m.columnPicker}</span>
      <select className="field" onChange={({ target }) => go(target.value)}>
        {columns
          .filter(({ folded }) => !folded)
          .map(({ key, label, count }) => (
            <option key={key} value={key}>{`${label} (${number(count)})`}</option>
          ))}
      </select>
    </label>
  )
}
