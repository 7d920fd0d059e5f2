import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { boot, loadBoot, projectByPrefix } from './data/boot.ts'
import { isSettled, stayIn } from './data/elsewhere.ts'
import { beginIndex } from './data/project-index.ts'
import { switchWorkspace } from './data/session.ts'
import { part } from './data/version.ts'
import type { ReportAddress } from './features/reports/address.ts'
import { Missing, PageTrouble, ScreenTrouble } from './features/shell/page-trouble.tsx'
import { Shell } from './features/shell/shell.tsx'
import { Problem } from './lib/problem.ts'
import { safePath } from './lib/safe-path.ts'
import { sessionEnded } from './lib/signed-out.ts'

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: Missing,
  errorComponent: PageTrouble,
})

type Text = string | undefined
/** What stands in the address as `q=42` was read as a number. */
const text = (value: unknown): Text =>
  /^(string|number|boolean)$/.test(typeof value) && value !== '' ? String(value) : undefined

/** A screen that is loaded when it is opened: by the router alone, a page would load itself anew after a failure. */
const screen = <K extends string>(load: () => Promise<Record<K, ComponentType>>, name: K) =>
  lazyRouteComponent(() => part(load), name)

/** Small, and mostly opened one after the other. */
const accounts = () => import('./features/accounts/accounts.ts')
const mine = () => import('./features/mine.ts')

interface SignInSearch {
  next?: string
  /** Somebody is signed in, and has to prove it once more. */
  again?: 1
  /** The e-mail address of whom is expected. */
  hint?: string
}

/** Pages for who is not signed in. */
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search): SignInSearch => {
    const next = text(search.next)
    return {
      ...(next && { next: safePath(next) }),
      ...(search.again === 1 && { again: 1 }),
      ...(text(search.hint) && { hint: String(search.hint) }),
    }
  },
  component: screen(accounts, 'SignIn'),
})
const company = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/company',
  component: screen(accounts, 'Company'),
})
const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  component: screen(accounts, 'SignUp'),
})
const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: screen(accounts, 'Setup'),
})
const forgot = createRoute({
  getParentRoute: () => root,
  path: '/forgot',
  component: screen(accounts, 'Forgot'),
})
const reset = createRoute({
  getParentRoute: () => root,
  path: '/reset/$token',
  component: screen(accounts, 'Reset'),
})
const invite = createRoute({
  getParentRoute: () => root,
  path: '/invite/$token',
  component: screen(accounts, 'Invite'),
})
const consent = createRoute({
  getParentRoute: () => root,
  path: '/oauth/consent/$uid',
  validateSearch: (search): Pick<SignInSearch, 'hint'> =>
    text(search.hint) ? { hint: String(search.hint) } : {},
  component: screen(accounts, 'Consent'),
})

/** Where an owner comes whose workspace is deleted. */
const deleted = createRoute({
  getParentRoute: () => root,
  path: '/deleted',
  component: screen(accounts, 'Deleted'),
})

/** Where somebody comes who has signed in and is in none. */
const noWorkspace = createRoute({
  getParentRoute: () => root,
  path: '/no-workspace',
  component: screen(accounts, 'NoWorkspace'),
})

/** Where somebody comes whose workspace demands a second factor. */
const secondFactor = createRoute({
  getParentRoute: () => root,
  path: '/second-factor',
  validateSearch: (search): Pick<SignInSearch, 'next'> => {
    const next = text(search.next)
    return next ? { next: safePath(next) } : {}
  },
  component: screen(accounts, 'Demanded'),
})

/** Addresses without a workspace lead into the current one. */
const anyTask = createRoute({
  getParentRoute: () => root,
  path: '/t/$shortId',
  beforeLoad: async ({ params: { shortId }, location }) => {
    const { session } = await signedIn(location.href)
    const params = { workspaceId: session.workspace.id, shortId }
    throw redirect({ to: '/w/$workspaceId/t/$shortId', params, replace: true })
  },
})
const start = createRoute({
  getParentRoute: () => root,
  path: '/start',
  beforeLoad: async ({ location }) => {
    const { session } = await signedIn(location.href)
    const params = { workspaceId: session.workspace.id }
    throw redirect({ to: '/w/$workspaceId/my', params, replace: true })
  },
})

/** Everything in a workspace; what every screen needs is loaded before the first. */
export const workspace = createRoute({
  getParentRoute: () => root,
  path: '/w/$workspaceId',
  validateSearch: (search): { task?: string } => {
    const task = text(search.task)
    return task ? { task } : {}
  },
  // The address names the workspace: the session follows it, where the person is a member.
  beforeLoad: async ({ params: { workspaceId }, location: { href }, preload }) => {
    if (preload) return
    const { session } = await signedIn(href)
    if (session.workspace.id !== workspaceId) {
      if (isSettled()) return leaveFor(href)
      await switchWorkspace(workspaceId)
    }
    stayIn(boot.get()?.session ?? session)
  },
  component: Shell,
  errorComponent: PageTrouble,
})

/** All that a page knows belongs to one workspace: another one gets a page of its own. */
function leaveFor(href: string): Promise<never> {
  location.assign(href)
  return new Promise(() => undefined)
}

async function signedIn(href: string) {
  try {
    return boot.get() ?? (await loadBoot())
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.code === 'workspace_deleted') throw redirect({ to: '/deleted' })
    if (error.status !== 401) throw error
    sessionEnded.set(false)
    throw redirect({ to: '/sign-in', search: { next: safePath(href) } })
  }
}

const home = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/w/$workspaceId/my', params, replace: true })
  },
})
const my = createRoute({
  getParentRoute: () => workspace,
  path: '/my',
  component: screen(mine, 'MyWork'),
})
const inbox = createRoute({
  getParentRoute: () => workspace,
  path: '/inbox',
  component: screen(mine, 'Inbox'),
})
/** What a search has in its address: words, the id of an assignee, the prefix of a project, places. */
export interface SearchAddress {
  q?: string
  who?: string
  project?: string
  /** `title,description,comments` or some of them. */
  in?: string
}
const search = createRoute({
  getParentRoute: () => workspace,
  path: '/search',
  validateSearch: (query): SearchAddress => ({
    ...(text(query.q) && { q: String(query.q) }),
    ...(text(query.who) && { who: String(query.who) }),
    ...(text(query.project) && { project: String(query.project) }),
    ...(text(query.in) && { in: String(query.in) }),
  }),
  component: screen(mine, 'Search'),
})
const projects = createRoute({
  getParentRoute: () => workspace,
  path: '/projects',
  component: screen(mine, 'Projects'),
})

/** What a project's screens have in their address: all of the view, so that a link shows the same. */
export interface ProjectSearch {
  view?: 'board' | 'timeline' | 'calendar'
  /** Filter, as it is typed: `status:todo assignee:me -tag:infra`. */
  f?: string
  sort?: string
  group?: string
  lanes?: string
  /** The saved view from which one came; what is shown is said by the rest alone. */
  saved?: string
}
const SHAPES = ['board', 'timeline', 'calendar'] as const
const viewIn = (wanted: unknown): Pick<ProjectSearch, 'view'> => {
  const view = SHAPES.find((one) => one === wanted)
  return view ? { view } : {}
}
export const project = createRoute({
  getParentRoute: () => workspace,
  path: '/p/$prefix',
  validateSearch: (query): ProjectSearch => ({
    ...viewIn(query.view),
    ...(text(query.f) && { f: String(query.f) }),
    ...(text(query.sort) && { sort: String(query.sort) }),
    ...(text(query.group) && { group: String(query.group) }),
    ...(text(query.lanes) && { lanes: String(query.lanes) }),
    ...(text(query.saved) && { saved: String(query.saved) }),
  }),
  beforeLoad: ({ params: { prefix }, search, preload }) => {
    const now = boot.get()
    const found = now && projectByPrefix(now, prefix)
    const usual = Object.values({ ...search, task: undefined }).every(
      (value) => value === undefined,
    )
    // The usual view is asked for while its screen is still on its way.
    if (found && usual && !preload) {
      beginIndex(found.id, { group: 'status', sort: 'position' })
    }
  },
  component: screen(() => import('./features/tasks/project-page.tsx'), 'ProjectPage'),
})
const projectSettings = createRoute({
  getParentRoute: () => workspace,
  path: '/p/$prefix/settings',
  validateSearch: (query): { tab?: string } => {
    const tab = text(query.tab)
    return tab ? { tab } : {}
  },
  component: screen(mine, 'ProjectSettings'),
})
/** What reports have in their address. */
const reportsIn = (query: Record<string, unknown>): ReportAddress => ({
  ...(text(query.tab) && { tab: String(query.tab) }),
  ...(typeof query.weeks === 'number' && { weeks: query.weeks }),
  ...(text(query.after) && { after: String(query.after) }),
  ...(text(query.before) && { before: String(query.before) }),
  ...(text(query.project) && { project: String(query.project) }),
  ...(text(query.who) && { who: String(query.who) }),
  ...(text(query.tag) && { tag: String(query.tag) }),
})
const Reports = screen(() => import('./features/reports/reports.tsx'), 'Reports')
const reports = createRoute({
  getParentRoute: () => workspace,
  path: '/reports',
  validateSearch: reportsIn,
  component: Reports,
})
const projectReports = createRoute({
  getParentRoute: () => workspace,
  path: '/p/$prefix/reports',
  validateSearch: reportsIn,
  component: Reports,
})
const task = createRoute({
  getParentRoute: () => workspace,
  path: '/t/$shortId',
  component: screen(() => import('./features/task/task.ts'), 'TaskPage'),
})
const settings = createRoute({
  getParentRoute: () => workspace,
  path: '/settings/$section',
  validateSearch: (query): { webhook?: string; delivery?: string; app?: string } => ({
    ...(text(query.app) && { app: String(query.app) }),
    ...(text(query.webhook) && { webhook: String(query.webhook) }),
    ...(text(query.delivery) && { delivery: String(query.delivery) }),
  }),
  component: screen(() => import('./features/settings/settings.tsx'), 'Settings'),
})

const routeTree = root.addChildren([
  ...[
    signIn,
    company,
    signUp,
    setup,
    forgot,
    reset,
    invite,
    consent,
    anyTask,
    start,
    deleted,
    noWorkspace,
    secondFactor,
  ],
  workspace.addChildren([
    home,
    my,
    inbox,
    search,
    projects,
    project,
    projectSettings,
    task,
    settings,
    reports,
    projectReports,
  ]),
])

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultPendingMs: 120,
  defaultErrorComponent: ScreenTrouble,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
