/** The columns that a list can have beside number and title, in their order; widths in rem. */
export const COLUMNS = [
  { id: 'status', width: 8 },
  { id: 'tags', width: 12.5 },
  { id: 'time', width: 8.5 },
  { id: 'estimate', width: 5.5 },
  { id: 'due', width: 6 },
  { id: 'priority', width: 2 },
  { id: 'who', width: 4.5 },
  { id: 'created', width: 6.5 },
  { id: 'updated', width: 6.5 },
] as const
export type ColumnId = (typeof COLUMNS)[number]['id']

export interface Columns {
  shown: readonly ColumnId[]
  /** In rem, where another than the usual one was chosen. */
  widths: Readonly<Partial<Record<ColumnId, number>>>
}

const USUAL: Columns = { shown: ['tags', 'time', 'due', 'priority', 'who'], widths: {} }
/** What is left where the paper is narrow. */
const NARROW: readonly ColumnId[] = ['due', 'priority', 'who']
const LEAST = 2
const MOST = 32

const keyOf = (project_id: string) => `docket.columns.${project_id}`

/** The columns that were chosen for a project in this browser. */
export function readColumns(project_id: string): Columns {
  const stored = localStorage.getItem(keyOf(project_id))
  if (!stored) return USUAL
  try {
    const { shown, widths } = JSON.parse(stored) as Partial<Columns>
    if (!Array.isArray(shown)) return USUAL
    return { shown: inOrder((id) => shown.includes(id)), widths: { ...widths } }
  } catch {
    return USUAL
  }
}

export function keepColumns(project_id: string, columns: Columns): void {
  localStorage.setItem(keyOf(project_id), JSON.stringify(columns))
}

export const toggled = ({ shown, widths }: Columns, id: ColumnId): Columns => ({
  shown: inOrder((one) => shown.includes(one) !== (one === id)),
  widths,
})

export const widened = ({ shown, widths }: Columns, id: ColumnId, rem: number): Columns => ({
  shown,
  widths: { ...widths, [id]: Math.round(Math.min(MOST, Math.max(LEAST, rem)) * 8) / 8 },
})

export const widthOf = ({ widths }: Columns, id: ColumnId): number =>
  widths[id] ?? COLUMNS.find((one) => one.id === id)?.width ?? LEAST

/** The tracks of the grid, wide and narrow: fixed, so that rows align without measuring. */
export function tracksOf(columns: Columns) {
  const tracks = (ids: readonly ColumnId[]) =>
    ['var(--gutter)', 'minmax(0, 1fr)', ...ids.map((id) => `${widthOf(columns, id)}rem`)].join(' ')
  return {
    '--tracks': tracks(columns.shown),
    '--tracks-narrow': tracks(columns.shown.filter((id) => NARROW.includes(id))),
  }
}

const inOrder = (keep: (id: ColumnId) => boolean): ColumnId[] =>
  COLUMNS.map(({ id }) => id).filter(keep)
