import { createContext } from 'react'

/** The columns of a board, for what moves cards between them. */
export interface BoardColumns {
  columns: readonly { key: string; label: string }[]
  /** None where the board has no lanes. */
  lanes: readonly { key: string; label: string }[]
  /** Moves a card to the end of another column, or cell. */
  move: (number: number, from: string, to: string) => void
}

export const ColumnsContext = createContext<BoardColumns>({
  columns: [],
  lanes: [],
  move: () => undefined,
})
