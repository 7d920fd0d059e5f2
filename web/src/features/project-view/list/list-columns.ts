import { localStore } from '../../../lib/state/browser-storage.ts'
import { type ColumnId, getColumn, LIST_COLUMNS } from '../../property-definitions.ts'

export interface ColumnSettings {
  shown: readonly ColumnId[]
  /** In rem, for the columns that the user has resized. */
  widths: Readonly<Partial<Record<ColumnId, number>>>
}

const DEFAULT_COLUMNS: ColumnSettings = {
  shown: ['tags', 'time', 'due', 'priority', 'who'],
  widths: {},
}
/** The columns that stay visible on narrow screens. */
const NARROW_COLUMNS: readonly ColumnId[] = ['due', 'priority', 'who']
const MIN_WIDTH_REM = 2
const MAX_WIDTH_REM = 32

const storageKey = (project_id: string) => `docket.columns.${project_id}`

/** Reads the column settings of a project from this browser. */
export function readColumnSettings(project_id: string): ColumnSettings {
  const stored = localStore.read(storageKey(project_id))
  if (!stored) return DEFAULT_COLUMNS
  try {
    const { shown, widths } = JSON.parse(stored) as Partial<ColumnSettings>
    if (!Array.isArray(shown)) return DEFAULT_COLUMNS
    return { shown: filterColumns((id) => shown.includes(id)), widths: { ...widths } }
  } catch {
    return DEFAULT_COLUMNS
  }
}

export function saveColumnSettings(project_id: string, columns: ColumnSettings): void {
  localStore.write(storageKey(project_id), JSON.stringify(columns))
}

export const toggleColumn = ({ shown, widths }: ColumnSettings, id: ColumnId): ColumnSettings => ({
  shown: filterColumns((one) => shown.includes(one) !== (one === id)),
  widths,
})

export const resizeColumn = (
  { shown, widths }: ColumnSettings,
  id: ColumnId,
  rem: number,
): ColumnSettings => ({
  shown,
  widths: {
    ...widths,
    [id]: Math.round(Math.min(MAX_WIDTH_REM, Math.max(MIN_WIDTH_REM, rem)) * 8) / 8,
  },
})

export const getColumnWidth = ({ widths }: ColumnSettings, id: ColumnId): number =>
  widths[id] ?? getColumn(id)?.width ?? MIN_WIDTH_REM

/**
 * CSS grid tracks for wide and narrow screens, of fixed widths, so that rows align without
 * measuring.
 */
export function toGridTracks(columns: ColumnSettings) {
  const tracks = (ids: readonly ColumnId[]) =>
    [
      'var(--gutter)',
      'minmax(0, 1fr)',
      ...ids.map((id) => `${getColumnWidth(columns, id)}rem`),
    ].join(' ')
  return {
    '--tracks': tracks(columns.shown),
    '--tracks-narrow': tracks(columns.shown.filter((id) => NARROW_COLUMNS.includes(id))),
  }
}

const filterColumns = (keep: (id: ColumnId) => boolean): ColumnId[] =>
  LIST_COLUMNS.map(({ id }) => id).filter(keep)
