import { useNavigate, useSearch } from '@tanstack/react-router'
import { createContext, useCallback, useMemo } from 'react'
import {
  FILTER_PROPERTIES,
  formatSort,
  type GroupProperty,
  initialOrder,
  type SortBy,
  VIEW_SORTS,
} from '../property-definitions.ts'
import { formatFilter, parseFilter, type ViewFilter } from './filter/view-filter.ts'
import { useProjectPageContext } from './project-page-context.ts'

export type GroupBy = GroupProperty | 'none'
export const VIEW_GROUPS: readonly GroupBy[] = [
  ...FILTER_PROPERTIES.flatMap((one) => ('isGroup' in one ? [one.id] : [])),
  'none',
]
/** The properties that can form the columns of a board; a task has one value of each. */
export const BOARD_GROUPS = ['status', 'priority'] as const

/** The properties that can form the lanes of a board, except that of its columns. */
export const VIEW_LANES = ['none', 'assignee', 'priority'] as const
export type LanesBy = (typeof VIEW_LANES)[number]

export const VIEW_KINDS = ['list', 'board', 'timeline', 'calendar'] as const
export type ViewKind = (typeof VIEW_KINDS)[number]

/** How a project is displayed. The URL holds all of it. */
export interface ProjectView {
  kind: ViewKind
  filter: ViewFilter
  group: GroupBy
  /** Used by the board only. */
  lanes: LanesBy
  sort: SortBy
  descending: boolean
}

/** The search parameters of a view in the URL. */
interface ViewSearch {
  view?: Exclude<ViewKind, 'list'>
  f?: string
  sort?: string
  group?: string
  lanes?: string
}

/** Those that stay when the view changes. */
interface PageSearch {
  task?: string
  saved?: string
}

/** Parses the search parameters of a view; missing ones have their defaults. */
export function parseViewSearch({
  view,
  f = '',
  sort,
  group: grouped,
  lanes,
}: { [N in keyof ViewSearch]?: ViewSearch[N] | undefined }): ProjectView {
  const shape = view ?? 'list'
  const group = parseGroup(grouped, shape)
  return {
    kind: shape,
    ...parseOrder(sort),
    group,
    lanes: parseLanes(lanes, group),
    filter: parseFilter(f),
  }
}

/** The search parameters of a view, without those that have their default values. */
export function toViewSearch(view: ProjectView): ViewSearch {
  const { kind, group, lanes } = view
  const typed = formatFilter(view.filter)
  const order = formatSort(view)
  return {
    ...(kind !== 'list' && { view: kind }),
    ...(typed && { f: typed }),
    ...(order !== 'position' && { sort: order }),
    ...(group !== 'status' && { group }),
    ...(lanes !== 'none' && { lanes }),
  }
}

/** A view and the function that changes it. */
export interface ViewControls {
  view: ProjectView
  /** Changes the view; `replace` takes the place of the last entry of the history. */
  setView: (change: Partial<ProjectView>, replace?: boolean) => void
}

/**
 * The view in the URL, and the short id of the task that is open beside it. Only the tasks of a project
 * have an order by hand; those of all projects are by priority.
 */
export function useViewInAddress(isOfProject: boolean): ViewControls & { open?: string } {
  const search: ViewSearch & PageSearch = useSearch({ strict: false })
  const { view: shape, f, sort, group, lanes, task } = search
  const navigate = useNavigate()
  const view = useMemo(() => {
    const parsed = parseViewSearch({ view: shape, f, sort, group, lanes })
    const isUnordered = !isOfProject && parsed.sort === 'position'
    return isUnordered ? { ...parsed, ...initialOrder('priority') } : parsed
  }, [isOfProject, shape, f, sort, group, lanes])
  const look = useCallback(
    (change: Partial<ProjectView>, replace = false) => {
      const next = { ...view, ...change }
      void navigate({
        to: '.',
        replace,
        search: ({ task: open, saved }: PageSearch) => ({
          ...(open && { task: open }),
          ...(saved && { saved }),
          ...toViewSearch(next),
        }),
      })
    },
    [view, navigate],
  )
  return { view, setView: look, ...(task && { open: task }) }
}

/** The same for what is inside of the page. */
export const useProjectView = (): ReturnType<typeof useViewInAddress> =>
  useViewInAddress(useProjectPageContext().project !== undefined)

function parseOrder(text: string | undefined) {
  const descending = text?.startsWith('-') ?? false
  const name = descending ? text?.slice(1) : text
  const sort = VIEW_SORTS.find((one) => one === name)
  return sort ? { sort, descending } : { sort: 'position' as const, descending: false }
}

function parseGroup(text: string | undefined, shape: ViewKind): GroupBy {
  const allowed: readonly GroupBy[] = shape === 'board' ? BOARD_GROUPS : VIEW_GROUPS
  return allowed.find((one) => one === text) ?? 'status'
}

const parseLanes = (text: string | undefined, group: GroupBy): LanesBy =>
  VIEW_LANES.find((one) => one === text && one !== group) ?? 'none'

/** The current view, for the components inside it. */
export const ProjectViewContext = createContext<ProjectView>({
  kind: 'list',
  filter: [],
  group: 'status',
  lanes: 'none',
  sort: 'position',
  descending: false,
})
