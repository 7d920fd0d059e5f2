import './sidebar.css'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useWithPendingPatches } from '../../data/mutations/pending-patches.ts'
import { useUnreadCount } from '../../data/resources/notifications.ts'
import { getSavedViewLink } from '../../data/resources/saved-view-search.ts'
import { useBoot } from '../../data/session/boot.ts'
import { canCreateWorkspace } from '../../data/session/rights.ts'
import { useOverdueCount } from '../../data/tasks/overdue.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { roleMessages } from '../../messages/app/roles.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { formatNumber } from '../../messages/plural.ts'
import { ShortcutKeys } from '../../ui/keyboard/shortcut-keys.tsx'
import { Icon, Logo } from '../../ui/marks/icon.tsx'
import { ProjectIcon } from '../../ui/marks/project-icon.tsx'
import { MenuButton, type MenuSection } from '../../ui/overlays/menu-button.tsx'
import { openPalette } from '../palette/index.ts'
import { AccountMenu, loadFirstSteps, loadShellOverlays } from './account-menu.tsx'
import { triedSteps } from './first-steps-state.ts'
import { goToWorkspace } from './go-to-workspace.ts'
import { startNewTask } from './start-new-task.ts'

/** The main navigation: my work, inbox, projects, saved views and settings. */
export function Sidebar() {
  const { session, projects } = useBoot('session', 'projects')
  const overdue = useOverdueCount()
  const unread = useUnreadCount()
  useEffect(() => {
    // Some browsers have the function and no icon.
    navigator.setAppBadge?.(unread).catch(() => undefined)
  }, [unread])
  const params = { workspaceId: session.workspace.id }
  const active = projects.filter(({ status }) => status === 'active')
  return (
    <nav className="side" aria-label={shellMessages.main}>
      <div className="brand">
        <Logo />
        <WorkspaceSwitcher />
      </div>
      <button type="button" className="go" title={shellMessages.find} onClick={() => openPalette()}>
        <Icon name="search" />
        <span className="lbl">{shellMessages.find}</span>
        <ShortcutKeys of="mod+k" />
      </button>
      <Link to="/w/$workspaceId/my" params={params} search={NO_SEARCH} title={shellMessages.myWork}>
        <Icon name="day" />
        <span className="lbl">{shellMessages.myWork}</span>
        {overdue > 0 && (
          <span className="n late" title={shellMessages.overdue}>
            {overdue}
          </span>
        )}
      </Link>
      <Link
        to="/w/$workspaceId/all"
        params={params}
        search={NO_SEARCH}
        activeOptions={{ includeSearch: false }}
        title={shellMessages.allTasks}
      >
        <Icon name="slips" />
        <span className="lbl">{shellMessages.allTasks}</span>
      </Link>
      <Link
        to="/w/$workspaceId/inbox"
        params={params}
        search={NO_SEARCH}
        title={shellMessages.inbox}
      >
        <Icon name="inbox" />
        <span className="lbl">{shellMessages.inbox}</span>
        {unread > 0 && (
          <span className="n" title={shellMessages.unread(unread)}>
            {unread}
          </span>
        )}
      </Link>
      <Link
        to="/w/$workspaceId/projects"
        params={params}
        search={NO_SEARCH}
        activeOptions={{ exact: true }}
        title={shellMessages.allProjects}
      >
        <Icon name="project" />
        <span className="lbl">{shellMessages.allProjects}</span>
      </Link>
      <Link
        to="/w/$workspaceId/reports"
        params={params}
        search={NO_SEARCH}
        title={shellMessages.reports}
      >
        <Icon name="chart" />
        <span className="lbl">{shellMessages.reports}</span>
      </Link>
      {active.length > 0 && <h2>{shellMessages.projects}</h2>}
      {active.map(
        ({
          id,
          prefix,
          name,
          icon,
          color,
          visibility,
          task_counts: { backlog, unstarted, started },
        }) => (
          <Link
            key={id}
            to="/w/$workspaceId/p/$prefix"
            params={{ ...params, prefix }}
            search={NO_SEARCH}
            activeOptions={{ includeSearch: false }}
            title={name}
          >
            <span className="pre">{prefix}</span>
            <ProjectIcon project={{ icon, color }} />
            <span className="lbl clip">{name}</span>
            {visibility === 'private' && <Icon name="lock" label={shellMessages.private} />}
            <span className="n">{formatNumber(backlog + unstarted + started)}</span>
          </Link>
        ),
      )}
      <PinnedViews />
      <div className="foot">
        <FirstStepsButton />
        <Link
          to="/w/$workspaceId/trash"
          params={params}
          search={NO_SEARCH}
          title={shellMessages.trash}
        >
          <Icon name="trash" />
          <span className="lbl">{shellMessages.trash}</span>
        </Link>
        <Link
          to="/w/$workspaceId/settings/$section"
          params={{ ...params, section: 'profile' }}
          search={NO_SEARCH}
          title={shellMessages.settings}
        >
          <Icon name="gear" />
          <span className="lbl">{shellMessages.settings}</span>
        </Link>
        <AccountMenu>
          <Icon name="person" />
          <span className="lbl clip">{session.user.name}</span>
        </AccountMenu>
      </div>
    </nav>
  )
}

/** Opens the checklist of a new person until they dismiss it. */
function FirstStepsButton() {
  const tried = useAtom(triedSteps)
  if (!tried) return null
  return (
    <button
      type="button"
      className="steps"
      title={shellMessages.firstSteps}
      onClick={() => void loadFirstSteps()}
    >
      <Icon name="book" />
      <span className="lbl">{shellMessages.firstSteps}</span>
    </button>
  )
}

/** Links to the saved views that the user has pinned. */
function PinnedViews() {
  const { session, projects, ...boot } = useBoot('session', 'projects', 'views')
  const views = useWithPendingPatches(boot.views) ?? []
  const pinned = views.flatMap((view) => {
    const link = getSavedViewLink(view, session.workspace.id, projects)
    const project = projects.find(({ id }) => id === view.project_id)
    return link ? { view, link, project } : []
  })
  if (pinned.length === 0) return null
  return (
    <>
      <h2>{shellMessages.views}</h2>
      {pinned.map(({ view, link, project }) => (
        <Link
          key={view.id}
          {...link}
          activeOptions={{ includeSearch: true }}
          title={`${view.name}, ${project?.name ?? shellMessages.allTasks}`}
        >
          <Icon name="slips" />
          <span className="lbl clip">{view.name}</span>
          <span className="n">{project?.prefix ?? shellMessages.all}</span>
        </Link>
      ))}
    </>
  )
}

/** Another screen opens without the task in the side panel of the current one. */
const NO_SEARCH = {}

/** The main navigation on phones, at the bottom of the screen. */
export function TabBar() {
  const { session } = useBoot('session')
  const unread = useUnreadCount()
  const navigate = useNavigate()
  const [workspaces, ...others] = useWorkspaceSections()
  const params = { workspaceId: session.workspace.id }
  return (
    <nav className="tabbar" aria-label={shellMessages.mainNarrow}>
      <Link to="/w/$workspaceId/my" params={params} search={NO_SEARCH}>
        <Icon name="day" />
        {shellMessages.myWork}
      </Link>
      <Link to="/w/$workspaceId/projects" params={params} search={NO_SEARCH}>
        <Icon name="slips" />
        {shellMessages.projects}
      </Link>
      <button type="button" className="new" onClick={() => startNewTask()}>
        <Icon name="plus" />
        {shellMessages.newShort}
      </button>
      <Link to="/w/$workspaceId/inbox" params={params} search={NO_SEARCH}>
        <Icon name="inbox" />
        <span>
          {shellMessages.inbox}
          {unread > 0 && <b title={shellMessages.unread(unread)}>{` ${unread}`}</b>}
        </span>
      </Link>
      <AccountMenu
        label={shellMessages.menuShort}
        before={[
          { id: 'find', label: shellMessages.find, run: openPalette },
          {
            id: 'all-tasks',
            label: shellMessages.allTasks,
            run: () => void navigate({ to: '/w/$workspaceId/all', params, search: {} }),
          },
          {
            id: 'reports',
            label: shellMessages.reports,
            run: () => void navigate({ to: '/w/$workspaceId/reports', params, search: {} }),
          },
          {
            id: 'trash',
            label: shellMessages.trash,
            run: () => void navigate({ to: '/w/$workspaceId/trash', params, search: {} }),
          },
        ]}
        after={[{ items: [], ...workspaces, label: shellMessages.switchWorkspace }, ...others]}
      >
        <Icon name="menu" />
        {shellMessages.menuShort}
      </AccountMenu>
    </nav>
  )
}

/** The sections of a menu: all workspaces of the user, and the command for another one, if they may have one. */
function useWorkspaceSections(): MenuSection[] {
  const { session, settings } = useBoot('session', 'settings')
  const { user, workspace, workspaces } = session
  return [
    {
      items: workspaces.map(({ id, name, role, deleted_at }) => ({
        id,
        label: name,
        hint: deleted_at === null ? roleMessages[role].name : shellMessages.deletedWorkspace,
        checked: id === workspace.id,
        run: () => {
          if (id !== workspace.id) goToWorkspace(id)
        },
      })),
    },
    ...(canCreateWorkspace(user, settings)
      ? [
          {
            items: [
              {
                id: 'new',
                label: shellMessages.newWorkspace,
                run: () => loadShellOverlays().then((it) => it.openNewWorkspace()),
              },
            ],
          },
        ]
      : []),
  ]
}

/** The name of the workspace; opens a menu with all workspaces of the user. */
function WorkspaceSwitcher() {
  const { name } = useBoot('session').session.workspace
  const label = shellMessages.switchFrom(name)
  return (
    <MenuButton className="switch" label={label} sections={useWorkspaceSections()}>
      <span className="lbl clip">{name}</span>
      <Icon name="updown" />
    </MenuButton>
  )
}
