import { useNavigate, useSearch } from '@tanstack/react-router'
import { createContext, useCallback, useMemo } from 'react'
import { DEFAULT_SORTS } from '../../data/resources/saved-view-search.ts'
import {
  type FilterProperty,
  formatSort,
  isCustomProperty,
  isSort,
  listFilterProperties,
  type SortBy,
  VIEW_LANES,
} from '../property-definitions.ts'
import { formatFilter, parseFilter, type ViewFilter } from './filter/view-filter.ts'
import { type PageKind, useProjectPageContext } from './project-page-context.ts'

export type GroupBy = FilterProperty | 'day' | 'none'

/** The groups to choose from. */
export const listGroups = (fields: readonly string[]): GroupBy[] => [
  ...listFilterProperties(fields),
  'day',
  'none',
]
const isGroup = (text: string): text is GroupBy =>
  isCustomProperty(text) || listGroups([]).some((one) => one === text)

/** The properties that can form the columns of a board; a task has one value of each. */
export const BOARD_GROUPS = ['status', 'priority'] as const

type LanesBy = (typeof VIEW_LANES)[number]

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

type ViewParams = { [N in keyof ViewSearch]?: ViewSearch[N] | undefined }

/** The views of My work, by the name that the address has. */
export const MY_WORK_VIEWS = {
  mine: { f: 'assignee:me', group: 'day', sort: '-priority' },
  created: { f: 'creator:me', sort: '-updated_at' },
  blocked: { f: 'assignee:me blocked:yes', group: 'project', sort: '-priority' },
  done: { f: 'assignee:me completed:<30d', group: 'none', sort: '-updated_at' },
} as const satisfies Record<string, ViewParams>
export type MyWorkView = keyof typeof MY_WORK_VIEWS

/** The view of a project, of which addresses have only what differs. */
const PROJECT_VIEW: ViewParams = {
  f: '',
  sort: DEFAULT_SORTS.project,
  group: 'status',
  lanes: 'none',
}
const ALL_TASKS_VIEW: ViewParams = { ...PROJECT_VIEW, sort: DEFAULT_SORTS.all }

/** Parses the search parameters of a view; missing ones are those of the page. */
export function parseViewSearch(
  { view: kind, ...params }: ViewParams,
  page: ViewParams = PROJECT_VIEW,
): ProjectView {
  const ofPage = { ...PROJECT_VIEW, ...page }
  const view: ViewKind = kind ?? 'list'
  const { f = ofPage.f, sort = ofPage.sort, lanes } = params
  const group = parseGroup(params.group ?? ofPage.group, view)
  return {
    kind: view,
    ...(parseOrder(sort) ?? parseOrder(ofPage.sort) ?? { sort: 'position', descending: false }),
    group,
    lanes: parseLanes(lanes, group),
    filter: parseFilter(f ?? ''),
  }
}

/** The search parameters of a view, without those that are the ones of the page. */
function toViewSearch(view: ProjectView, page: ViewParams = PROJECT_VIEW): ViewSearch {
  const { kind, group, lanes } = view
  const ofPage = { ...PROJECT_VIEW, ...page }
  const f = formatFilter(view.filter)
  const sort = formatSort(view)
  return {
    ...(kind !== 'list' && { view: kind }),
    ...(f !== ofPage.f && { f }),
    ...(sort !== ofPage.sort && { sort }),
    ...(group !== ofPage.group && { group }),
    ...(lanes !== ofPage.lanes && { lanes }),
  }
}

/** A view and the function that changes it. */
export interface ViewControls {
  view: ProjectView
  /** Changes the view; `replace` takes the place of the last entry of the history. */
  setView: (change: Partial<ProjectView>, replace?: boolean) => void
}

/** The search parameters of a page that shows tasks. `view` is one of My work, or the kind of view. */
interface PageAddress extends Omit<ViewSearch, 'view'>, PageSearch {
  view?: ViewSearch['view'] | MyWorkView
}

/** The view in the URL, and the short id of the task that is open beside it. */
export function useViewInAddress(page: PageKind): ViewControls & { open?: string } {
  const { view: name, f, sort, group, lanes, task }: PageAddress = useSearch({ strict: false })
  const navigate = useNavigate()
  const kind = name === 'board' || name === 'timeline' || name === 'calendar' ? name : undefined
  const ofPage = getPageView(page, name)
  const view = useMemo(
    () => parseViewSearch({ view: kind, f, sort, group, lanes }, ofPage),
    [kind, ofPage, f, sort, group, lanes],
  )
  const look = useCallback(
    (change: Partial<ProjectView>, replace = false) => {
      const next = { ...view, ...change }
      void navigate({
        to: '.',
        replace,
        search: ({ task: open, saved, view: shown }: PageAddress) => ({
          ...(open && { task: open }),
          ...(saved && { saved }),
          ...toViewSearch(next, ofPage),
          ...(page === 'mine' && shown && shown !== 'mine' && { view: shown }),
        }),
      })
    },
    [view, page, ofPage, navigate],
  )
  return { view, setView: look, ...(task && { open: task }) }
}

function getPageView(page: PageKind, name: string | undefined): ViewParams {
  if (page === 'project') return PROJECT_VIEW
  return page === 'mine' ? MY_WORK_VIEWS[getMyWorkView(name)] : ALL_TASKS_VIEW
}

/** The view of My work with a name; that of today without one. */
export const getMyWorkView = (name: string | undefined): MyWorkView =>
  (Object.keys(MY_WORK_VIEWS) as MyWorkView[]).find((one) => one === name) ?? 'mine'

/** The same for what is inside of the page. */
export const useProjectView = (): ReturnType<typeof useViewInAddress> =>
  useViewInAddress(useProjectPageContext().page)

/** Whether the filter of a view is another one than that of the page. */
export function useHasOwnFilter({ filter }: ProjectView): boolean {
  const { page } = useProjectPageContext()
  const name = useSearch({ strict: false, select: ({ view }) => view })
  return formatFilter(filter) !== getPageView(page, name).f
}

/** The search parameters of a view on the page. */
export function useToViewSearch(): (view: ProjectView) => ViewSearch {
  const { page } = useProjectPageContext()
  return (view) => toViewSearch(view, getPageView(page, undefined))
}

function parseOrder(text: string | undefined) {
  const descending = text?.startsWith('-') ?? false
  const sort = descending ? text?.slice(1) : text
  return sort !== undefined && isSort(sort) ? { sort, descending } : undefined
}

function parseGroup(text: string | undefined, shape: ViewKind): GroupBy {
  if (shape === 'board') return BOARD_GROUPS.find((one) => one === text) ?? 'status'
  return text !== undefined && isGroup(text) ? text : 'status'
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
