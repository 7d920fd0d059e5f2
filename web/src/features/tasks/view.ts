import { useNavigate, useSearch } from '@tanstack/react-router'
import { createContext, useCallback, useMemo } from 'react'
import { type Filter, formatFilter, parseFilter } from './filter.ts'

export const GROUPS = ['status', 'assignee', 'priority', 'tag', 'due', 'parent', 'none'] as const
export type GroupBy = (typeof GROUPS)[number]
/** What a board's columns may be: a task stands in one of them. */
export const BOARD_GROUPS = ['status', 'priority'] as const

/** What may lie across the columns of a board; not what these are. */
export const LANES = ['none', 'assignee', 'priority'] as const
export type LanesBy = (typeof LANES)[number]

export const SHAPES = ['list', 'board', 'timeline', 'calendar'] as const
export type Shape = (typeof SHAPES)[number]

export const SORTS = [
  'position',
  'priority',
  'due_date',
  'created_at',
  'updated_at',
  'title',
  'number',
] as const
export type SortBy = (typeof SORTS)[number]

/** How a project is looked at; all of it is in the address. */
export interface View {
  shape: Shape
  filter: Filter
  group: GroupBy
  /** Of a board alone. */
  lanes: LanesBy
  sort: SortBy
  descending: boolean
}

const FROM = '/w/$workspaceId/p/$prefix'
/** These are looked at from their end first. */
const FROM_END: readonly SortBy[] = ['priority', 'created_at', 'updated_at']

export const sortText = ({ sort, descending }: Pick<View, 'sort' | 'descending'>): string =>
  descending ? `-${sort}` : sort

/** A sort key as it is chosen first. */
export const firstOrder = (sort: SortBy) => ({ sort, descending: FROM_END.includes(sort) })

/** A view as an address has it. */
interface Search {
  view?: Exclude<Shape, 'list'>
  f?: string
  sort?: string
  group?: string
  lanes?: string
}

/** What an address says of a view; what is not said is as usual. */
export function viewOf({ view, f = '', sort, group: grouped, lanes }: Search): View {
  const shape = view ?? 'list'
  const group = groupOf(grouped, shape)
  return { shape, ...orderOf(sort), group, lanes: lanesOf(lanes, group), filter: parseFilter(f) }
}

/** What an address has to say for a view. */
export function searchOfView(view: View): Search {
  const { shape, group, lanes } = view
  const typed = formatFilter(view.filter)
  const order = sortText(view)
  return {
    ...(shape !== 'list' && { view: shape }),
    ...(typed && { f: typed }),
    ...(order !== 'position' && { sort: order }),
    ...(group !== 'status' && { group }),
    ...(lanes !== 'none' && { lanes }),
  }
}

/** The view that the address names, and what changes it. */
export function useView(): { view: View; look: (change: Partial<View>) => void; open?: string } {
  const { view: shape, f, sort, group, lanes, task } = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const view = useMemo(
    () =>
      viewOf({
        ...(shape && { view: shape }),
        ...(f && { f }),
        ...(sort && { sort }),
        ...(group && { group }),
        ...(lanes && { lanes }),
      }),
    [shape, f, sort, group, lanes],
  )
  const look = useCallback(
    (change: Partial<View>) => {
      const next = { ...view, ...change }
      void navigate({
        search: ({ task: open, saved }) => ({
          ...(open && { task: open }),
          ...(saved && { saved }),
          ...searchOfView(next),
        }),
      })
    },
    [view, navigate],
  )
  return { view, look, ...(task && { open: task }) }
}

function orderOf(text: string | undefined) {
  const descending = text?.startsWith('-') ?? false
  const name = descending ? text?.slice(1) : text
  const sort = SORTS.find((one) => one === name)
  return sort ? { sort, descending } : { sort: 'position' as const, descending: false }
}

function groupOf(text: string | undefined, shape: Shape): GroupBy {
  const among: readonly GroupBy[] = shape === 'board' ? BOARD_GROUPS : GROUPS
  return among.find((one) => one === text) ?? 'status'
}

const lanesOf = (text: string | undefined, group: GroupBy): LanesBy =>
  LANES.find((one) => one === text && one !== group) ?? 'none'

/** The view that is shown, for what stands in it. */
export const ViewContext = createContext<View>({
  ...{ shape: 'list', filter: [], group: 'status', lanes: 'none' },
  ...{ sort: 'position', descending: false },
})
