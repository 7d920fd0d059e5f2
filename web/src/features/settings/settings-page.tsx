import '../../styles/settings-form.css'
import './settings-page.css'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type ComponentType, Suspense } from 'react'
import { useBoot } from '../../data/session/boot.ts'
import { settingsMessages } from '../../messages/settings/settings.ts'
import { ErrorBoundary } from '../../ui/feedback/error-boundary.tsx'
import { Skeleton } from '../../ui/layout/skeleton.tsx'
import { Icon } from '../../ui/marks/icon.tsx'
import ApiKeySettings from './api-keys/api-key-settings.tsx'
import ApplicationSettings from './applications/application-settings.tsx'
import { createLazySection } from './lazy-section.tsx'
import MemberSettings from './members/member-settings.tsx'
import ProfileSettings from './profile/profile-settings.tsx'
import { SettingsHeader } from './settings-header.tsx'
import WebhookSettings from './webhooks/webhook-settings.tsx'
import WorkspaceSettings from './workspace/workspace-settings.tsx'

/** The sections share most of their code, so they are one chunk without the rarely opened ones. */
const COMPONENT_BY_SECTION: Record<SettingsSection, ComponentType> = {
  profile: ProfileSettings,
  agents: createLazySection('AgentSettings'),
  workspace: WorkspaceSettings,
  members: MemberSettings,
  import: createLazySection('ImportExport'),
  usage: createLazySection('UsageSettings'),
  audit: createLazySection('AuditLog'),
  api: ApiKeySettings,
  webhooks: WebhookSettings,
  applications: ApplicationSettings,
}

/**
 * `/settings/:section`: the sidebar lists the sections instead of the projects; on phones a select
 * replaces it.
 */
export function SettingsPage() {
  const { section } = useParams({ from: '/w/$workspaceId/settings/$section' })
  const validSection = isSettingsSection(section) ? section : undefined
  const SectionComponent = validSection && COMPONENT_BY_SECTION[validSection]
  return (
    <>
      <SettingsSidebar section={section} />
      <main className="paper settings" id="work">
        <SectionSelect section={section} />
        {isIntegration(section) && <IntegrationTabs section={section} />}
        {SectionComponent ? (
          <ErrorBoundary resetKey={section}>
            <Suspense fallback={<Skeleton lines={6} />}>
              <SectionComponent />
            </Suspense>
          </ErrorBoundary>
        ) : (
          <SettingsHeader title={settingsMessages.title}>
            {settingsMessages.missing(section)}
          </SettingsHeader>
        )}
      </main>
    </>
  )
}

function SettingsSidebar({ section: current }: { section: string }) {
  const { session } = useBoot('session')
  const params = { workspaceId: session.workspace.id }
  const link = (entry: MenuEntry) => (
    <Link
      key={entry}
      to="/w/$workspaceId/settings/$section"
      params={{ ...params, section: sectionOf(entry) }}
      search={{}}
      aria-current={entry === entryOf(current) ? 'page' : undefined}
    >
      <span className="lbl">{settingsMessages.sections[entry]}</span>
    </Link>
  )
  return (
    <nav className="side settings-side" aria-label={settingsMessages.title}>
      <Link className="brand" to="/w/$workspaceId/my" params={params} search={{}}>
        <Icon name="left" />
        <span className="lbl">{settingsMessages.back}</span>
      </Link>
      <h2>{session.user.name}</h2>
      {MENU.own.map(link)}
      <h2>{session.workspace.name}</h2>
      {MENU.shared.map(link)}
    </nav>
  )
}

/** Keys, webhooks and applications are one place: what connects Docket with other programs. */
function IntegrationTabs({ section }: { section: string }) {
  const { session } = useBoot('session')
  return (
    <div className="head-bar integrations">
      <span className="gut" />
      <nav className="views" aria-label={settingsMessages.sections.integrations}>
        {INTEGRATIONS.map((one) => (
          <Link
            key={one}
            to="/w/$workspaceId/settings/$section"
            params={{ workspaceId: session.workspace.id, section: one }}
            search={{}}
            aria-current={one === section ? 'page' : undefined}
          >
            {settingsMessages.sections[one]}
          </Link>
        ))}
      </nav>
    </div>
  )
}

function SectionSelect({ section }: { section: string }) {
  const { session } = useBoot('session')
  const navigate = useNavigate()
  const openEntry = (entry: string) =>
    void navigate({
      to: '/w/$workspaceId/settings/$section',
      params: { workspaceId: session.workspace.id, section: sectionOf(entry) },
      search: {},
    })
  return (
    <div className="line settings-select">
      <span className="gut" />
      <select
        className="field"
        aria-label={settingsMessages.section}
        value={entryOf(section)}
        onChange={({ target }) => openEntry(target.value)}
      >
        {[...MENU.own, ...MENU.shared].map((one) => (
          <option key={one} value={one}>
            {settingsMessages.sections[one]}
          </option>
        ))}
      </select>
    </div>
  )
}

/** The sections that stand behind one entry of the menu, as tabs. */
const INTEGRATIONS = ['api', 'webhooks', 'applications'] as const
/** The entries of the menu: personal ones, and those of the workspace. */
const MENU = {
  own: ['profile', 'agents'],
  shared: ['workspace', 'members', 'import', 'usage', 'integrations', 'audit'],
} as const

type MenuEntry = (typeof MENU)[keyof typeof MENU][number]
/** The names of the sections, as in the URL. */
type SettingsSection = Exclude<MenuEntry, 'integrations'> | (typeof INTEGRATIONS)[number]

const isIntegration = (section: string) => INTEGRATIONS.some((one) => one === section)
const entryOf = (section: string) => (isIntegration(section) ? 'integrations' : section)
const sectionOf = (entry: string) => (entry === 'integrations' ? INTEGRATIONS[0] : entry)
const isSettingsSection = (name: string): name is SettingsSection =>
  Object.hasOwn(COMPONENT_BY_SECTION, name)
