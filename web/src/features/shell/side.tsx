import { Link } from '@tanstack/react-router'
import { type Boot, useBoot } from '../../data/boot.ts'
import { addressOf } from '../../data/saved-address.ts'
import { m } from '../../messages/shell.ts'
import { Icon, Logo } from '../../ui/icon.tsx'
import { Person } from '../../ui/person.tsx'
import { openPalette } from '../palette/open.ts'
import { Account } from './account.tsx'
import { newTask } from './new-task.ts'
import { WorkspaceSwitch } from './workspace-switch.tsx'

/** Where to go: my work, inbox, projects, settings. */
export function Side() {
  const boot = useBoot()
  const { session, projects, mine, inbox } = boot
  const params = { workspaceId: session.workspace.id }
  const active = projects.filter(({ status }) => status === 'active')
  return (
    <nav className="side" aria-label={m.main}>
      <div className="brand">
        <Logo />
        <WorkspaceSwitch />
      </div>
      <button type="button" className="go" title={m.find} onClick={() => openPalette()}>
        <Icon name="search" />
        <span className="lbl">{m.find}</span>
        <kbd>{m.findKeys}</kbd>
      </button>
      <Link to="/w/$workspaceId/my" params={params} search={NO_SEARCH} title={m.myWork}>
        <Icon name="day" />
        <span className="lbl">{m.myWork}</span>
        {mine.overdue > 0 && (
          <span className="n late" title={m.overdue}>
            {mine.overdue}
          </span>
        )}
      </Link>
      <Link to="/w/$workspaceId/inbox" params={params} search={NO_SEARCH} title={m.inbox}>
        <Icon name="inbox" />
        <span className="lbl">{m.inbox}</span>
        {inbox.unread > 0 && (
          <span className="n" title={m.unread(inbox.unread)}>
            {inbox.unread}
          </span>
        )}
      </Link>
      <Link
        to="/w/$workspaceId/projects"
        params={params}
        search={NO_SEARCH}
        activeOptions={{ exact: true }}
        title={m.allProjects}
      >
        <Icon name="project" />
        <span className="lbl">{m.allProjects}</span>
      </Link>
      <Link to="/w/$workspaceId/reports" params={params} search={NO_SEARCH} title={m.reports}>
        <Icon name="chart" />
        <span className="lbl">{m.reports}</span>
      </Link>
      {active.length > 0 && <h2>{m.projects}</h2>}
      {active.map(({ id, prefix, name, task_counts: { backlog, unstarted, started } }) => (
        <Link
          key={id}
          to="/w/$workspaceId/p/$prefix"
          params={{ ...params, prefix }}
          search={NO_SEARCH}
          activeOptions={{ includeSearch: false }}
          title={name}
        >
          <span className="pre">{prefix}</span>
          <span className="lbl clip">{name}</span>
          <span className="n">{backlog + unstarted + started}</span>
        </Link>
      ))}
      <Pinned boot={boot} />
      <div className="foot">
        <Link
          to="/w/$workspaceId/settings/$section"
          params={{ ...params, section: 'profile' }}
          search={NO_SEARCH}
          title={m.settings}
        >
          <Icon name="gear" />
          <span className="lbl">{m.settings}</span>
        </Link>
        <Account>
          <Person name={session.user.name} me named />
        </Account>
      </div>
    </nav>
  )
}

/** The saved views that the person has pinned, each at its own address. */
function Pinned({ boot: { session, projects, views } }: { boot: Boot }) {
  const shown = views.flatMap((view) => {
    const project = projects.find(({ id }) => id === view.project_id)
    return project ? { view, project } : []
  })
  if (shown.length === 0) return null
  return (
    <>
      <h2>{m.views}</h2>
      {shown.map(({ view, project: { prefix, name } }) => (
        <Link
          key={view.id}
          to="/w/$workspaceId/p/$prefix"
          params={{ workspaceId: session.workspace.id, prefix }}
          search={addressOf(view)}
          activeOptions={{ includeSearch: true }}
          title={`${view.name}, ${name}`}
        >
          <span className="pre">{prefix}</span>
          <span className="lbl clip">{view.name}</span>
        </Link>
      ))}
    </>
  )
}

/** Another screen begins without the task that is open beside this one. */
const NO_SEARCH = {}

/** The same on a phone: at the bottom, where the thumb is. */
export function TabBar() {
  const { session, inbox } = useBoot()
  const params = { workspaceId: session.workspace.id }
  return (
    <nav className="tabbar" aria-label={m.mainNarrow}>
      <Link to="/w/$workspaceId/my" params={params} search={NO_SEARCH}>
        <Icon name="day" />
        {m.myWork}
      </Link>
      <Link to="/w/$workspaceId/projects" params={params} search={NO_SEARCH}>
        <Icon name="slips" />
        {m.projects}
      </Link>
      <button type="button" className="new" onClick={newTask}>
        <Icon name="plus" />
        {m.newShort}
      </button>
      <Link to="/w/$workspaceId/inbox" params={params} search={NO_SEARCH}>
        <Icon name="inbox" />
        <span>
          {m.inbox}
          {inbox.unread > 0 && <b title={m.unread(inbox.unread)}> {inbox.unread}</b>}
        </span>
      </Link>
      <button type="button" onClick={() => openPalette()}>
        <Icon name="menu" />
        {m.menuShort}
      </button>
    </nav>
  )
}
