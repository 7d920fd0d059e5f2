import { useQuery } from '@tanstack/react-query'
import type { getTimeReport, TimeGroup } from '#resources/time-entries/contract.ts'
import type {
  burnUpReport,
  cycleReport,
  estimateReport,
  flowReport,
  throughputReport,
} from '#resources/web-app/reports/contract.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { reportMessages } from '../../messages/projects/reports.ts'
import { ErrorMessage } from '../../ui/feedback/error-message.tsx'
import { EmptyState } from '../../ui/layout/empty-state.tsx'
import { Skeleton } from '../../ui/layout/skeleton.tsx'
import { EntriesDownload } from './entries-download.tsx'
import { toBurnUpView, toFlowView } from './progress-views.ts'
import { Report } from './report.tsx'
import type { ReportDateRange, ReportTab, TimeGrouping } from './report-search-params.ts'
import { type KeyFigure, NO_VALUE, type ReportView } from './report-view.ts'
import { toCycleTimeView, toEstimatesView, toThroughputView } from './task-views.ts'
import { toTimeView } from './time-view.ts'

/** A tab that lists reports; the timesheet is none. */
type ListedReportTab = Exclude<ReportTab, 'timesheet'>

interface ReportListProps {
  tab: ListedReportTab
  days: ReportDateRange
  /** The ids of the projects; undefined for all. */
  projects: string[] | undefined
  members: string[]
  tags: string[]
  grouping: TimeGrouping
}

export type ReportApiQuery = { after: string; before: string } & Partial<
  Record<'project_id' | 'member_id' | 'tag_id', string[]>
> & { group_by?: TimeGroup[] }

/** How to load each report of a tab. Reports load independently of each other. */
const REPORTS_BY_TAB: Record<
  ListedReportTab,
  Record<string, (query: ReportApiQuery, signal: AbortSignal) => Promise<ReportView>>
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
    time: async ({ after, before, member_id, ...query }, signal) =>
      toTimeView(
        await requestEndpoint<typeof getTimeReport>(
          'GET /api/v1/reports/time',
          {
            query: {
              ...query,
              ...(member_id && { user_id: member_id }),
              spent_after: after,
              spent_before: before,
            },
          },
          { signal },
        ),
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

export function ReportList({ tab, days, projects, members, tags, grouping }: ReportListProps) {
  // Only unknown prefixes were given, so no project is left to report on.
  if (projects?.length === 0) return <EmptyState text={reportMessages.none} />
  const { after, before } = days
  const query: ReportApiQuery = {
    after,
    before,
    ...(projects && { project_id: projects }),
    ...(members.length > 0 && { member_id: members }),
    ...(tags.length > 0 && { tag_id: tags }),
    ...(tab === 'time' && { group_by: [...grouping.groups] }),
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
  tab: ListedReportTab
  name: string
  query: ReportApiQuery
}

function useReport({ tab, name, query }: ReportRequest) {
  return useQuery({
    queryKey: ['reports', name, query],
    queryFn: ({ signal }) => REPORTS_BY_TAB[tab][name]?.(query, signal),
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
  const { query, tab } = request
  if (error) return <ErrorMessage error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton rows={8} />
  const { project_id, member_id, tag_id } = query
  const filter = {
    ...(project_id && { project_id }),
    ...(member_id && { assignee_id: member_id }),
    ...(tag_id && { tag_id }),
  }
  return (
    <Report
      view={data}
      range={query}
      filter={filter}
      actions={tab === 'time' && data.rows.length > 0 && <EntriesDownload query={query} />}
    />
  )
}
