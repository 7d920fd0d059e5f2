import { createContext } from 'react'

/** The columns and lanes of a board, for menus that move cards between them. */
interface BoardColumns {
  columns: readonly { key: string; label: string }[]
  /** Empty if the board has no lanes. */
  lanes: readonly { key: string; label: string }[]
  /** Moves a card to the end of another column or cell. */
  move: (id: string, from: string, to: string) => void
}

export const BoardColumnsContext = createContext<BoardColumns>({
  columns: [],
  lanes: [],
  move: () => undefined,
})
