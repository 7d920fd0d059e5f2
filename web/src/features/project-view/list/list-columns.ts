import { localStore } from '../../../lib/state/browser-storage.ts'
import {
  type ColumnId,
  getColumn,
  isCustomProperty,
  listColumns,
} from '../../property-definitions.ts'
import type { PageKind } from '../project-page-context.ts'

export interface ColumnSettings {
  shown: readonly ColumnId[]
  /** In rem, for the columns that the user has resized. */
  widths: Readonly<Partial<Record<ColumnId, number>>>
}

/** The columns of each kind of page until the person chooses others: My work shows only their own tasks. */
const DEFAULT_COLUMNS: Record<PageKind, readonly ColumnId[]> = {
  project: ['tags', 'time', 'due', 'priority', 'who'],
  all: ['project', 'tags', 'time', 'due', 'priority', 'who'],
  mine: ['project', 'tags', 'time', 'due', 'priority'],
}
/** The columns that stay visible on narrow screens. */
const NARROW_COLUMNS: readonly ColumnId[] = ['due', 'priority', 'who']
const MIN_WIDTH_REM = 2
const MAX_WIDTH_REM = 32

const storageKey = (pageKey: string) => `docket.columns.${pageKey}`

/** Reads the column settings of a page from this browser. */
export function readColumnSettings(page: PageKind, pageKey: string): ColumnSettings {
  const initial = { shown: DEFAULT_COLUMNS[page], widths: {} }
  const stored = localStore.read(storageKey(pageKey))
  if (!stored) return initial
  try {
    const { shown, widths } = JSON.parse(stored) as Partial<ColumnSettings>
    if (!Array.isArray(shown)) return initial
    return { shown: orderColumns(shown), widths: { ...widths } }
  } catch {
    return initial
  }
}

export function saveColumnSettings(pageKey: string, columns: ColumnSettings): void {
  localStore.write(storageKey(pageKey), JSON.stringify(columns))
}

export const toggleColumn = ({ shown, widths }: ColumnSettings, id: ColumnId): ColumnSettings => ({
  shown: orderColumns(shown.includes(id) ? shown.filter((one) => one !== id) : [...shown, id]),
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
 * CSS grid tracks for wide and narrow screens, of definite widths, so that rows align without
 * measuring. Where there is no room for all, the tags give way to the title.
 */
export function toGridTracks(columns: ColumnSettings) {
  const tracks = (ids: readonly ColumnId[]) =>
    [
      'var(--gutter)',
      'minmax(min(20rem, 35%), 1fr)',
      ...ids.map((id) => {
        const width = `${getColumnWidth(columns, id)}rem`
        return id === 'tags' ? `minmax(0, ${width})` : width
      }),
    ].join(' ')
  return {
    '--tracks': tracks(columns.shown),
    '--tracks-narrow': tracks(columns.shown.filter((id) => NARROW_COLUMNS.includes(id))),
  }
}

/** The columns in their order; those of custom fields, in which they were chosen, are at the end. */
const orderColumns = (ids: readonly string[]): ColumnId[] => [
  ...listColumns([]).filter((id) => ids.includes(id)),
  ...ids.filter(isCustomProperty),
]
