import '../../styles/settings-form.css'
import './settings-page.css'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type ComponentType, Suspense } from 'react'
import { useBoot } from '../../data/session/boot.ts'
import { settingsMessages } from '../../messages/settings/settings.ts'
import { ErrorBoundary } from '../../ui/feedback/error-boundary.tsx'
import { Skeleton } from '../../ui/layout/skeleton.tsx'
import { Icon } from '../../ui/marks/icon.tsx'
import ApiAccessSettings from './api-keys/api-access-settings.tsx'
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
  applications: ApplicationSettings,
  webhooks: WebhookSettings,
  members: MemberSettings,
  workspace: WorkspaceSettings,
  audit: createLazySection('AuditLog'),
  api: ApiAccessSettings,
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
      <SettingsSidebar />
      <main className="paper settings" id="work">
        <SectionSelect section={section} />
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

function SettingsSidebar() {
  const { session } = useBoot('session')
  const params = { workspaceId: session.workspace.id }
  const link = (section: SettingsSection) => (
    <Link
      key={section}
      to="/w/$workspaceId/settings/$section"
      params={{ ...params, section }}
      search={{}}
      activeOptions={{ includeSearch: false }}
    >
      <span className="lbl">{settingsMessages.sections[section]}</span>
    </Link>
  )
  return (
    <nav className="side settings-side" aria-label={settingsMessages.title}>
      <Link className="brand" to="/w/$workspaceId/my" params={params} search={{}}>
        <Icon name="left" />
        <span className="lbl">{settingsMessages.back}</span>
      </Link>
      <h2>{session.user.name}</h2>
      {SETTINGS_SECTIONS.own.map(link)}
      <h2>{session.workspace.name}</h2>
      {SETTINGS_SECTIONS.shared.map(link)}
    </nav>
  )
}

function SectionSelect({ section }: { section: string }) {
  const { session } = useBoot('session')
  const navigate = useNavigate()
  const openSection = (name: string) =>
    void navigate({
      to: '/w/$workspaceId/settings/$section',
      params: { workspaceId: session.workspace.id, section: name },
      search: {},
    })
  return (
    <div className="line settings-select">
      <span className="gut" />
      <select
        className="field"
        aria-label={settingsMessages.section}
        value={section}
        onChange={({ target }) => openSection(target.value)}
      >
        {[...SETTINGS_SECTIONS.own, ...SETTINGS_SECTIONS.shared].map((one) => (
          <option key={one} value={one}>
            {settingsMessages.sections[one]}
          </option>
        ))}
      </select>
    </div>
  )
}

/** The names of the sections, as in the URL: personal ones, and those of the workspace. */
const SETTINGS_SECTIONS = {
  own: ['profile', 'api'],
  shared: ['members', 'webhooks', 'applications', 'workspace', 'audit'],
} as const

type SettingsSection = (typeof SETTINGS_SECTIONS)[keyof typeof SETTINGS_SECTIONS][number]

const isSettingsSection = (name: string): name is SettingsSection =>
  [...SETTINGS_SECTIONS.own, ...SETTINGS_SECTIONS.shared].some((section) => section === name)
