import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { projectByPrefix, useBoot } from '../../data/boot.ts'
import { addDays, formatDay } from '../../lib/day.ts'
import { useTitle } from '../../lib/title.ts'
import { m } from '../../messages/reports.ts'
import { useKeys } from '../../ui/keys.ts'
import { PanelBeside } from '../task/beside.tsx'
import { daysIn, idsIn, type ReportAddress, TABS, tabIn } from './address.ts'
import { Filters } from './filters.tsx'
import { Read } from './read.tsx'
import '../../styles/reports.css'

/** How work goes, in the whole workspace or in a project; the address holds all of it. */
export function Reports() {
  const { prefix } = useParams({ strict: false })
  const address: ReportAddress & { task?: string } = useSearch({ strict: false })
  const navigate = useNavigate()
  const boot = useBoot()
  const tab = tabIn(address.tab)
  const days = daysIn(address)
  const chosen = prefix === undefined ? idsIn(address.project) : [prefix]
  const projects = chosen.flatMap((one) => projectByPrefix(boot, one) ?? [])
  const [only] = projects
  const project = projects.length === 1 ? only : undefined
  useTitle(m.title)
  const look = useCallback(
    (change: ReportAddress) => {
      const search = (now: object) => ({ ...now, ...change })
      void navigate({ to: '.', search, replace: true })
    },
    [navigate],
  )
  useKeys(
    m.title,
    TABS.map((name, n) => ({
      ...{ keys: String(n + 1), label: m.tabs[name] },
      run: () => look({ tab: name }),
    })),
  )
  return (
    <>
      <main className="paper" id="work">
        <header className="head">
          <div className="head-top">
            <span className="gut">{project && <b>{project.prefix}</b>}</span>
            <h1>{m.title}</h1>
            <p className="say only-wide">
              {project?.name ?? m.all},{' '}
              {m.fromTo(formatDay(days.after), formatDay(addDays(days.before, -1)))}
            </p>
          </div>
          <div className="head-bar reports-bar">
            <span className="gut" />
            <nav className="views" aria-label={m.views}>
              {TABS.map((name) => (
                <button
                  key={name}
                  type="button"
                  aria-current={name === tab ? 'page' : undefined}
                  onClick={() => look({ tab: name })}
                >
                  {m.tabs[name]}
                </button>
              ))}
            </nav>
            <Filters
              address={address}
              days={days}
              project={project}
              ofProject={prefix !== undefined}
              look={look}
            />
          </div>
        </header>
        <div className="scroll">
          <Read
            tab={tab}
            days={days}
            projects={chosen.length > 0 ? projects.map(({ id }) => id) : undefined}
            members={idsIn(address.who)}
            tags={project ? idsIn(address.tag) : []}
          />
        </div>
      </main>
      <PanelBeside shortId={address.task} siblings={[]} />
    </>
  )
}
