import { useQuery } from '@tanstack/react-query'
import type {
  burnUpReport,
  cycleReport,
  estimateReport,
  flowReport,
  throughputReport,
  timeReport,
} from '#resources/web-app/reports/contract.ts'
import { type Boot, getMemberName, useBoot } from '../../data/session/boot.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { reportMessages } from '../../messages/projects/reports.ts'
import { ErrorMessage } from '../../ui/feedback/error-message.tsx'
import { EmptyState } from '../../ui/layout/empty-state.tsx'
import { Skeleton } from '../../ui/layout/skeleton.tsx'
import { toBurnUpView, toFlowView } from './progress-views.ts'
import { Report } from './report.tsx'
import type { ReportDateRange, ReportTab } from './report-search-params.ts'
import { type KeyFigure, NO_VALUE, type ReportView } from './report-view.ts'
import { toCycleTimeView, toEstimatesView, toThroughputView } from './task-views.ts'
import { toTimeView } from './time-view.ts'

interface ReportListProps {
  tab: ReportTab
  days: ReportDateRange
  /** The ids of the projects; undefined for all. */
  projects: string[] | undefined
  members: string[]
  tags: string[]
}

type ReportApiQuery = { after: string; before: string } & Partial<
  Record<'project_id' | 'member_id' | 'tag_id', string[]>
>

/** The names that reports show. */
type ReportBoot = Pick<Boot, 'projects' | 'members' | 'former'>

/** How to load each report of a tab. Reports load independently of each other. */
const REPORTS_BY_TAB: Record<
  ReportTab,
  Record<
    string,
    (query: ReportApiQuery, signal: AbortSignal, boot: ReportBoot) => Promise<ReportView>
  >
> = {
  progress: {
    burnUp: async (query, signal) =>
      toBurnUpView(
        await requestEndpoint<typeof burnUpReport>(
          'GET /internal/reports/burn-up',
          { query },
          { signal },
        ),
      ),
    flow: async (query, signal) =>
      toFlowView(
        await requestEndpoint<typeof flowReport>(
          'GET /internal/reports/flow',
          { query },
          { signal },
        ),
      ),
  },
  time: {
    time: async (query, signal, boot) =>
      toTimeView(
        await requestEndpoint<typeof timeReport>(
          'GET /internal/reports/time',
          { query },
          { signal },
        ),
        {
          member: (id) => getMemberName(boot, id),
          project: (id) =>
            boot.projects.find((one) => one.id === id)?.prefix ?? reportMessages.time.hidden,
        },
      ),
  },
  cycle: {
    cycle: async (query, signal) =>
      toCycleTimeView(
        await requestEndpoint<typeof cycleReport>(
          'GET /internal/reports/cycle-time',
          { query },
          { signal },
        ),
      ),
  },
  throughput: {
    throughput: async (query, signal) =>
      toThroughputView(
        await requestEndpoint<typeof throughputReport>(
          'GET /internal/reports/throughput',
          { query },
          { signal },
        ),
      ),
  },
  estimates: {
    estimates: async (query, signal) =>
      toEstimatesView(
        await requestEndpoint<typeof estimateReport>(
          'GET /internal/reports/estimates',
          { query },
          { signal },
        ),
      ),
  },
}

export function ReportList({ tab, days, projects, members, tags }: ReportListProps) {
  // Only unknown prefixes were given, so no project is left to report on.
  if (projects?.length === 0) return <EmptyState text={reportMessages.none} />
  const { after, before } = days
  const query: ReportApiQuery = {
    after,
    before,
    ...(projects && { project_id: projects }),
    ...(members.length > 0 && { member_id: members }),
    ...(tags.length > 0 && { tag_id: tags }),
  }
  return (
    <>
      {tab === 'progress' && (
        <div className="figures">
          <span className="gut" />
          <dl>
            <KeyFigures tab="progress" name="burnUp" query={query} count={2} />
            <KeyFigures tab="cycle" name="cycle" query={query} count={1} />
            <KeyFigures tab="estimates" name="estimates" query={query} count={1} />
          </dl>
        </div>
      )}
      {Object.keys(REPORTS_BY_TAB[tab]).map((name) => (
        <ReportLoader key={JSON.stringify([name, query])} tab={tab} name={name} query={query} />
      ))}
    </>
  )
}

interface ReportRequest {
  tab: ReportTab
  name: string
  query: ReportApiQuery
}

function useReport({ tab, name, query }: ReportRequest) {
  const boot = useBoot('projects', 'members', 'former')
  return useQuery({
    queryKey: ['reports', name, query],
    queryFn: ({ signal }) => REPORTS_BY_TAB[tab][name]?.(query, signal, boot),
  })
}

/** The key figures of one report. Placeholders keep their space until the report is loaded. */
function KeyFigures({ count, ...request }: ReportRequest & { count: number }) {
  const { data, error } = useReport(request)
  const placeholder: KeyFigure = { name: '\u00A0', value: error ? NO_VALUE : '\u00A0' }
  const figures = data?.figures ?? Array.from({ length: count }, () => placeholder)
  return figures.map(({ name, value, note }, n) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: figures have a fixed order
    <div key={n}>
      <dt>{name}</dt>
      <dd>
        <b>{value}</b> {note}
      </dd>
    </div>
  ))
}

function ReportLoader(request: ReportRequest) {
  const { data, error, refetch } = useReport(request)
  const { query } = request
  if (error) return <ErrorMessage error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton rows={8} />
  const { project_id, member_id, tag_id } = query
  const filter = {
    ...(project_id && { project_id }),
    ...(member_id && { assignee_id: member_id }),
    ...(tag_id && { tag_id }),
  }
  return <Report view={data} range={query} filter={filter} />
}
