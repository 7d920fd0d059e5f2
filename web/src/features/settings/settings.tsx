import '../../styles/settings.css'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type ComponentType, lazy, Suspense } from 'react'
import { useBoot } from '../../data/boot.ts'
import { m } from '../../messages/settings.ts'
import { Boundary } from '../../ui/boundary.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import Applications from './applications/applications.tsx'
import { Head } from './head.tsx'
import Keys from './keys/keys.tsx'
import Members from './members/members.tsx'
import Profile from './profile/profile.tsx'
import { isSection, SECTIONS, type Section } from './sections.ts'
import Webhooks from './webhooks/webhooks.tsx'
import Workspace from './workspace/workspace.tsx'

/** They come together, for they share most of what they are made of; the audit log is seldom read. */
const SCREENS: Record<Section, ComponentType> = {
  profile: Profile,
  applications: Applications,
  webhooks: Webhooks,
  members: Members,
  workspace: Workspace,
  audit: lazy(() => import('./records.ts').then((it) => ({ default: it.Audit }))),
  api: Keys,
}

/** `/settings/:section`: the sections stand where the projects are elsewhere; on phones in a select. */
export function Settings() {
  const { section } = useParams({ from: '/w/$workspaceId/settings/$section' })
  const known = isSection(section) ? section : undefined
  const Screen = known && SCREENS[known]
  return (
    <>
      <SettingsSide />
      <main className="paper settings" id="work">
        <SectionSelect section={section} />
        {Screen ? (
          <Boundary resetKey={section}>
            <Suspense fallback={<Skeleton lines={6} />}>
              <Screen />
            </Suspense>
          </Boundary>
        ) : (
          <Head title={m.title}>{m.missing(section)}</Head>
        )}
      </main>
    </>
  )
}

function SettingsSide() {
  const { session } = useBoot()
  const params = { workspaceId: session.workspace.id }
  const link = (section: Section) => (
    <Link
      key={section}
      to="/w/$workspaceId/settings/$section"
      params={{ ...params, section }}
      search={{}}
      activeOptions={{ includeSearch: false }}
    >
      <span className="lbl">{m.sections[section]}</span>
    </Link>
  )
  return (
    <nav className="side settings-side" aria-label={m.title}>
      <Link className="brand" to="/w/$workspaceId/my" params={params} search={{}}>
        <Icon name="left" />
        <span className="lbl">{m.back}</span>
      </Link>
      <h2>{session.user.name}</h2>
      {SECTIONS.own.map(link)}
      <h2>{session.workspace.name}</h2>
      {SECTIONS.shared.map(link)}
    </nav>
  )
}

function SectionSelect({ section }: { section: string }) {
  const { session } = useBoot()
  const navigate = useNavigate()
  const go = (to: string) =>
    void navigate({
      to: '/w/$workspaceId/settings/$section',
      params: { workspaceId: session.workspace.id, section: to },
      search: {},
    })
  return (
    <div className="line settings-select">
      <span className="gut" />
      <select
        className="field"
        aria-label={m.section}
        value={section}
        onChange={({ target }) => go(target.value)}
      >
        {[...SECTIONS.own, ...SECTIONS.shared].map((one) => (
          <option key={one} value={one}>
            {m.sections[one]}
          </option>
        ))}
      </select>
    </div>
  )
}
