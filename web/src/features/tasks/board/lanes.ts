import type { ProjectIndex } from '../../../data/project-index.ts'
import type { Layout, Section } from '../layout.ts'
import type { Line } from '../placement.ts'
import type { Screen } from '../screen.ts'
import { laneLabel } from '../sections.ts'
import type { View } from '../view.ts'

/** A row of a board: of every column the part whose tasks have the same property. */
export interface Lane {
  key: string
  label: string
  count: number
  folded: boolean
  cells: readonly Section[]
}

/** Where the lane of what has no such property stands, and what is kept of a lane that is folded. */
const NONE = 'none'
export const foldOf = (lane: string): string => `/${lane}`

const PRIORITIES = ['urgent', 'high', 'medium', 'low']

interface Wanted {
  lanes: View['lanes']
  /** The view grouped by what its lanes are. */
  index: ProjectIndex
  folded: Readonly<Record<string, boolean>>
  /** The cell in which a new task is typed: it is seen. */
  adding: string | undefined
}

/** The columns of a board cut into lanes. Tasks of several people have a lane of their own. */
export function lanesOf(
  screen: Screen,
  columns: readonly Section[],
  { lanes, index, folded, adding }: Wanted,
): Lane[] {
  const of = new Map<number, string>()
  // Ids in the order of the alphabet: who shares tasks has one lane, whoever was there first.
  for (const { key, numbers } of index.groups.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    for (const number of numbers) of.set(number, of.has(number) ? `${of.get(number)},${key}` : key)
  }
  const cut = columns.map(({ lines }) => Map.groupBy(lines, ({ number }) => of.get(number) ?? NONE))
  const keys = new Set([...cut.flatMap((by) => [...by.keys()]), NONE])
  const found = [...keys].map((key): Lane => {
    const label = laneLabel(screen, lanes, key)
    const isFolded = (folded[foldOf(key)] ?? false) && adding?.endsWith(`/${key}`) !== true
    const cells = columns.map((column, at) => {
      const lines = cut[at]?.get(key) ?? NO_LINES
      return {
        ...{ ...column, lines, count: lines.length, folded: column.folded || isFolded },
        ...{ key: `${column.key}/${key}`, label: `${column.label}, ${label}` },
      }
    })
    const count = cells.reduce((sum, cell) => sum + cell.count, 0)
    return { key, label, count, folded: isFolded, cells }
  })
  return found.toSorted((a, b) => rankOf(a) - rankOf(b) || a.label.localeCompare(b.label))
}

const NO_LINES: readonly Line[] = []

/** Priorities in their order; people before those who share tasks, and nobody last. */
function rankOf({ key }: Lane): number {
  const priority = PRIORITIES.indexOf(key)
  return key === NONE ? Number.MAX_SAFE_INTEGER : priority < 0 ? key.length : priority
}

/** The section beside another one; undefined at the end of its lane. */
export function beside(layout: Layout, at: number, by: number): Section | undefined {
  const { sections, below } = layout
  const isWithin = below === 1 || Math.floor(at / below) === Math.floor((at + by) / below)
  return at < 0 || isWithin ? sections[at + by] : undefined
}
