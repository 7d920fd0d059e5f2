import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { loadAppModule } from './data/app/app-version.ts'
import { bootState, findProjectByPrefix, loadBoot, whenBootExact } from './data/session/boot.ts'
import { hasCurrentSession, setCurrentSession } from './data/session/current-session.ts'
import { switchToWorkspace } from './data/session/switch-workspace.ts'
import { holdProject } from './data/tasks/held-tasks.ts'
import {
  NotFoundPage,
  PageError,
  ScreenError,
  Shell,
  startNewTask,
} from './features/shell/index.ts'
import { firstScreenLoaded } from './lib/browser/schedule-preload.ts'
import { setSessionConfirmation } from './lib/http/page-session.ts'
import { ApiResponseError, setRemedyFinder } from './lib/http/problem.ts'
import { hasSessionEnded } from './lib/http/session-ended.ts'
import { toSafePath } from './lib/text/safe-path.ts'
import {
  parseMyWorkParams,
  parseProjectPageParams,
  parseProjectSettingsParams,
  parseReportParams,
  parseSettingsParams,
  parseSignInHint,
  parseSignInParams,
  parseSignInTarget,
  parseWorkspaceParams,
} from './search-params.ts'

const rootRoute = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: PageError,
})

/** A lazy screen. By itself the router would reload the page after a failed import. */
const screen = <K extends string>(load: () => Promise<Record<K, ComponentType>>, name: K) =>
  lazyRouteComponent(() => loadAppModule(load), name)

/** These screens are small and mostly opened together, so they share a chunk. */
const accountScreens = () => import('./features/accounts/accounts.ts')
setSessionConfirmation(async () => (await accountScreens()).confirmSessionInDialog())
const taskScreens = () => import('./features/task-detail/task-detail.ts')
const taskLists = () => import('./features/project-view/project-page.tsx')
const workScreens = () => import('./features/screens-bundle.ts')

/** Pages for visitors who are not signed in. */
const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: parseSignInParams,
  component: screen(accountScreens, 'SignIn'),
})
const companyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in/company',
  component: screen(accountScreens, 'SsoCallback'),
})
const signUpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-up',
  component: screen(accountScreens, 'SignUp'),
})
const setupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/setup',
  component: screen(accountScreens, 'Setup'),
})
const forgotRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgot',
  component: screen(accountScreens, 'ForgotPassword'),
})
const resetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset/$token',
  component: screen(accountScreens, 'ResetPassword'),
})
const confirmEmailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/confirm-email/$token',
  component: screen(accountScreens, 'ConfirmEmail'),
})
const inviteRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invite/$token',
  component: screen(accountScreens, 'AcceptInvitation'),
})
const consentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/oauth/consent/$uid',
  validateSearch: parseSignInHint,
  component: screen(accountScreens, 'Consent'),
})

/** Shown to an owner whose workspace is deleted. */
const deletedRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/deleted',
  component: screen(accountScreens, 'WorkspaceDeleted'),
})

/** Shown to a signed-in person without a workspace. */
const noWorkspaceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/no-workspace',
  component: screen(accountScreens, 'NoWorkspace'),
})

/** Shown to a person whose workspace requires a second factor. */
const secondFactorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/second-factor',
  validateSearch: parseSignInTarget,
  component: screen(accountScreens, 'SecondFactorRequired'),
})

/** Addresses without a workspace redirect to the current one. */
const anyTaskRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/t/$shortId',
  beforeLoad: async ({ params: { shortId }, location }) => {
    const { session } = await requireSignIn(location.href)
    const params = { workspaceId: session.workspace.id, shortId }
    throw redirect({ to: '/w/$workspaceId/t/$shortId', params, replace: true })
  },
})
const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/start',
  beforeLoad: async ({ location }) => {
    const { session } = await requireSignIn(location.href)
    const params = { workspaceId: session.workspace.id }
    // What other apps share, and a shortcut of the installed app (public/manifest.webmanifest).
    const { searchStr } = location
    if (/[?&](title|text|url)=/.test(searchStr))
      void firstScreenLoaded.then(() => startNewTask(undefined, searchStr))
    throw redirect({ to: '/w/$workspaceId/my', params, replace: true })
  },
})

/** The parent of all screens of a workspace; it loads the boot data before the first one. */
const workspaceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/w/$workspaceId',
  validateSearch: parseWorkspaceParams,
  // The address determines the workspace: the session switches to it if the person is a member.
  beforeLoad: async ({ params: { workspaceId }, location: { href }, preload }) => {
    if (preload) return
    const { session } = await requireSignIn(href)
    if (session.workspace.id !== workspaceId) {
      if (hasCurrentSession()) return loadNewPage(href)
      await switchToWorkspace(workspaceId)
    }
    setCurrentSession(bootState.get()?.session ?? session)
  },
  component: Shell,
  errorComponent: PageError,
})

/** Loads a new page for another workspace, because all data of a page belongs to one workspace. */
function loadNewPage(href: string): Promise<never> {
  location.assign(href)
  return new Promise(() => undefined)
}

async function requireSignIn(href: string) {
  try {
    return bootState.get() ?? (await loadBoot())
  } catch (error) {
    if (!(error instanceof ApiResponseError)) throw error
    if (error.code === 'workspace_deleted') throw redirect({ to: '/deleted' })
    if (error.status !== 401) throw error
    hasSessionEnded.set(false)
    throw redirect({ to: '/sign-in', search: { next: toSafePath(href) } })
  }
}

const homeRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/w/$workspaceId/my', params, replace: true })
  },
})
const myRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/my',
  validateSearch: parseMyWorkParams,
  component: screen(taskLists, 'MyWork'),
})
const inboxRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/inbox',
  component: screen(workScreens, 'Inbox'),
})
const projectsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/projects',
  component: screen(workScreens, 'Projects'),
})
const trashRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/trash',
  component: screen(taskScreens, 'Trash'),
})

const projectRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/p/$prefix',
  validateSearch: parseProjectPageParams,
  beforeLoad: async ({ params: { prefix }, preload }) => {
    const findProject = () => {
      const boot = bootState.get()
      return boot && findProjectByPrefix(boot, prefix)
    }
    // Boot data from the cache may be older than the project.
    if (!findProject()) await whenBootExact()
    const openedProject = findProject()
    // The tasks are requested while the code of the screen is still loading.
    if (openedProject && !preload) holdProject(openedProject.id)
  },
  component: screen(taskLists, 'ProjectPage'),
})
const allTasksRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/all',
  validateSearch: parseProjectPageParams,
  component: screen(taskLists, 'AllTasksPage'),
})
const projectSettingsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/p/$prefix/settings',
  validateSearch: parseProjectSettingsParams,
  component: screen(workScreens, 'ProjectSettings'),
})
const Reports = screen(() => import('./features/reports/reports.tsx'), 'Reports')
const reportsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/reports',
  validateSearch: parseReportParams,
  component: Reports,
})
const projectReportsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/p/$prefix/reports',
  validateSearch: parseReportParams,
  component: Reports,
})
const taskRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/t/$shortId',
  component: screen(taskScreens, 'TaskPage'),
})
const settingsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/settings/$section',
  validateSearch: parseSettingsParams,
  component: screen(() => import('./features/settings/settings-page.tsx'), 'SettingsPage'),
})
const approvalRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/approvals/$approvalId',
  component: screen(() => import('./features/settings/lazy-sections.ts'), 'ApprovalPage'),
})

const routeTree = rootRoute.addChildren([
  signInRoute,
  companyRoute,
  signUpRoute,
  setupRoute,
  forgotRoute,
  resetRoute,
  confirmEmailRoute,
  inviteRoute,
  consentRoute,
  anyTaskRoute,
  startRoute,
  deletedRoute,
  noWorkspaceRoute,
  secondFactorRoute,
  workspaceRoute.addChildren([
    homeRoute,
    myRoute,
    inboxRoute,
    projectsRoute,
    trashRoute,
    allTasksRoute,
    projectRoute,
    projectSettingsRoute,
    taskRoute,
    settingsRoute,
    approvalRoute,
    reportsRoute,
    projectReportsRoute,
  ]),
])

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultPendingMs: 120,
  defaultErrorComponent: ScreenError,
  scrollRestoration: true,
})

/** The remedies are loaded with the first error that the server replies. */
setRemedyFinder(async (error) => {
  const { findRemedyOf } = await import('./data/app/remedies.ts')
  return findRemedyOf(error, async (workspaceId, section) => {
    const to = '/w/$workspaceId/settings/$section'
    await router.navigate({ to, params: { workspaceId, section }, search: {} })
  })
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
