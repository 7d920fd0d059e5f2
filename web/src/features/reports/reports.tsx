import '../../styles/chart.css'
import './reports.css'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { findProjectByPrefix, useBoot } from '../../data/session/boot.ts'
import { useTitle } from '../../lib/browser/use-title.ts'
import {
  addDaysToDate,
  formatDay,
  isPlainDate,
  type PlainDate,
  startOfWeek,
  today,
} from '../../lib/dates/plain-date.ts'
import { reportMessages } from '../../messages/projects/reports.ts'
import { Button, IconButton } from '../../ui/form/button.tsx'
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts'
import { TaskSidePanel } from '../task-detail/index.ts'
import { ReportFilters } from './report-filters.tsx'
import { ReportList } from './report-list.tsx'
import {
  parseIdList,
  parseReportDateRange,
  parseReportTab,
  parseTimeGrouping,
  REPORT_TABS,
  type ReportSearchParams,
} from './report-search-params.ts'
import { Timesheet } from './timesheet.tsx'

/** The reports of the workspace or of one project. All of their state is in the URL. */
export function Reports() {
  const { prefix } = useParams({ strict: false })
  const address: ReportSearchParams & { task?: string } = useSearch({ strict: false })
  const navigate = useNavigate()
  const boot = useBoot('projects')
  const tab = parseReportTab(address.tab)
  const { week: weekDay = '' } = address
  const week = startOfWeek(isPlainDate(weekDay) ? weekDay : today())
  const days =
    tab === 'timesheet'
      ? { after: week, before: addDaysToDate(week, 7) }
      : parseReportDateRange(address)
  const prefixes = prefix === undefined ? parseIdList(address.project) : [prefix]
  const projects = prefixes.flatMap((one) => findProjectByPrefix(boot, one) ?? [])
  const [first] = projects
  const project = projects.length === 1 ? first : undefined
  const projectIds = prefixes.length > 0 ? projects.map(({ id }) => id) : undefined
  useTitle(reportMessages.title)
  const updateSearch = useCallback(
    (change: ReportSearchParams) => {
      const search = (current: object) => ({ ...current, ...change })
      void navigate({ to: '.', search, replace: true })
    },
    [navigate],
  )
  useShortcuts(
    'screen',
    reportMessages.title,
    REPORT_TABS.map((name, n) => ({
      keys: String(n + 1),
      label: reportMessages.tabs[name],
      run: () => updateSearch({ tab: name }),
    })),
  )
  return (
    <>
      <main className="paper" id="work">
        <header className="head">
          <div className="head-top">
            <span className="gut">{project && <b>{project.prefix}</b>}</span>
            <h1>{reportMessages.title}</h1>
            <p className="say only-wide">
              {project?.name ?? reportMessages.all},{' '}
              {reportMessages.fromTo(
                formatDay(days.after),
                formatDay(addDaysToDate(days.before, -1)),
              )}
            </p>
          </div>
          <div className="head-bar reports-bar">
            <span className="gut" />
            <nav className="views" aria-label={reportMessages.views}>
              {REPORT_TABS.map((name) => (
                <button
                  key={name}
                  type="button"
                  aria-current={name === tab ? 'page' : undefined}
                  onClick={() => updateSearch({ tab: name })}
                >
                  {reportMessages.tabs[name]}
                </button>
              ))}
            </nav>
            {tab === 'timesheet' ? (
              <WeekButtons week={week} updateSearch={updateSearch} />
            ) : (
              <ReportFilters
                tab={tab}
                address={address}
                days={days}
                project={project}
                isOfProject={prefix !== undefined}
                updateSearch={updateSearch}
              />
            )}
          </div>
        </header>
        <div className="scroll">
          {tab === 'timesheet' ? (
            <Timesheet
              key={week}
              week={week}
              projects={projectIds}
              onOpenTask={(task) =>
                void navigate({ to: '.', search: (current: object) => ({ ...current, task }) })
              }
            />
          ) : (
            <ReportList
              tab={tab}
              days={days}
              projects={projectIds}
              members={parseIdList(address.who)}
              tags={project ? parseIdList(address.tag) : []}
              grouping={parseTimeGrouping(address.by)}
            />
          )}
        </div>
      </main>
      <TaskSidePanel shortId={address.task} siblings={[]} />
    </>
  )
}

interface WeekButtonsProps {
  week: PlainDate
  updateSearch: (change: ReportSearchParams) => void
}

/** Goes to another week of the timesheet. */
function WeekButtons({ week, updateSearch }: WeekButtonsProps) {
  const { timesheet, periods } = reportMessages
  const go = (days: number) => updateSearch({ week: addDaysToDate(week, days) })
  return (
    <div className="acts end">
      <IconButton icon="left" label={timesheet.previous} onClick={() => go(-7)} />
      <Button
        kind="plain"
        aria-pressed={week === startOfWeek(today())}
        onClick={() => updateSearch({ week: undefined })}
      >
        {periods['this-week']}
      </Button>
      <IconButton icon="right" label={timesheet.next} onClick={() => go(7)} />
    </div>
  )
}
