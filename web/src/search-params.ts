import type { ReportSearchParams } from './features/reports/index.ts'
import { toSafePath } from './lib/text/safe-path.ts'

/* The search parameters of each screen, as its address has them and the router has parsed them. */

type RawSearchParams = Record<string, unknown>

type OptionalText = string | undefined
/** A search parameter as text. The router parses `q=42` as a number. */
const text = (value: unknown): OptionalText =>
  /^(string|number|boolean)$/.test(typeof value) && value !== '' ? String(value) : undefined

/** The search parameters with these names that are in the address, as text. */
function pickTexts<K extends string>(search: RawSearchParams, ...names: K[]) {
  const texts: Partial<Record<K, string>> = {}
  for (const name of names) {
    const value = text(search[name])
    if (value !== undefined) texts[name] = value
  }
  return texts
}

interface SignInParams {
  next?: string
  /** The person is signed in and has to authenticate again. */
  again?: 1
  /** The expected email address, which fills the form. */
  hint?: string
}
export const parseSignInParams = (search: RawSearchParams): SignInParams => {
  const next = text(search.next)
  return {
    ...(next && { next: toSafePath(next) }),
    ...(search.again === 1 && { again: 1 }),
    ...parseSignInHint(search),
  }
}
export const parseSignInHint = (search: RawSearchParams): Pick<SignInParams, 'hint'> =>
  pickTexts(search, 'hint')
/** Where the person goes on after the sign-in is complete. */
export const parseSignInTarget = (search: RawSearchParams): Pick<SignInParams, 'next'> => {
  const next = text(search.next)
  return next ? { next: toSafePath(next) } : {}
}

/** The parameter of every screen of a workspace: the task that is open beside it. */
export const parseWorkspaceParams = (search: RawSearchParams): { task?: string } =>
  pickTexts(search, 'task')

/** Search parameters of a project's screens: the whole view, so that a link shows the same. */
interface ProjectPageParams {
  view?: 'board' | 'timeline' | 'calendar'
  /** The filter as it is typed: `status:todo assignee:me -tag:infra`. */
  f?: string
  sort?: string
  group?: string
  lanes?: string
  /** The saved view that was opened; the other parameters alone determine what is shown. */
  saved?: string
}
const VIEWS_WITH_PARAMETER = ['board', 'timeline', 'calendar'] as const
const parseViewKind = (value: unknown): Pick<ProjectPageParams, 'view'> => {
  const view = VIEWS_WITH_PARAMETER.find((kind) => kind === value)
  return view ? { view } : {}
}
export const parseProjectPageParams = (query: RawSearchParams): ProjectPageParams => ({
  ...parseViewKind(query.view),
  ...pickTexts(query, 'f', 'sort', 'group', 'lanes', 'saved'),
})

const MY_WORK_VIEWS = ['created', 'blocked', 'done'] as const
/** The view of My work, the plan of the week without it, and how the person has changed it. */
export const parseMyWorkParams = (
  query: RawSearchParams,
): Omit<ProjectPageParams, 'view'> & { view?: (typeof MY_WORK_VIEWS)[number] | undefined } => {
  const view = MY_WORK_VIEWS.find((name) => name === query.view)
  return { ...(view && { view }), ...pickTexts(query, 'f', 'sort', 'group') }
}

export const parseProjectSettingsParams = (query: RawSearchParams): { tab?: OptionalText } =>
  pickTexts(query, 'tab')

export const parseReportParams = (query: RawSearchParams): ReportSearchParams => ({
  ...pickTexts(query, 'tab', 'after', 'before', 'period', 'project', 'who', 'tag', 'by', 'week'),
  ...(typeof query.weeks === 'number' && { weeks: query.weeks }),
})

interface SettingsParams {
  webhook?: string
  delivery?: string
  app?: string
}
export const parseSettingsParams = (query: RawSearchParams): SettingsParams =>
  pickTexts(query, 'app', 'webhook', 'delivery')
