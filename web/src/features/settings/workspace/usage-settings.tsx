import '../../../styles/chart.css'
import './usage.css'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { getUsage, WorkspaceUsage as UsageReply } from '#resources/workspace/internal.ts'
import { formatTime } from '../../../lib/dates/instant.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { formatNumber } from '../../../messages/plural.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { workspaceMessages } from '../../../messages/settings/workspace.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { DataTable, TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { ManagersOnly } from '../managers-only.tsx'
import { SectionHeader, SettingsHeader } from '../settings-header.tsx'
import {
  describeRejected,
  describeStorage,
  describeUsage,
  describeWebAppUsage,
} from './describe-usage.ts'
import { UsageChart } from './usage-chart.tsx'
import { toUsageSpans } from './usage-series.ts'

const HOUR_MINUTES = 60
const HOUR_COLUMNS = workspaceMessages.hourColumns.map((label) => ({ label }))
const TOP_COLUMNS = workspaceMessages.topColumns.map((label) => ({ label }))

/** The requests per minute of the last 24 hours, the limit, and the busiest credentials. */
export function UsageSettings() {
  const title = settingsMessages.sections.usage
  return (
    <ManagersOnly title={title} why={workspaceMessages.usageWhy}>
      <SettingsHeader title={title}>{workspaceMessages.usageWhy}</SettingsHeader>
      <div className="scroll">
        <WorkspaceUsage />
      </div>
    </ManagersOnly>
  )
}

function WorkspaceUsage() {
  const [view, setView] = useState<'chart' | 'table'>('chart')
  const { data, error, refetch, dataUpdatedAt } = useQuery({
    queryKey: ['usage'],
    queryFn: ({ signal }) =>
      requestEndpoint<typeof getUsage>('GET /internal/workspace/usage', {}, { signal }),
  })
  return (
    <section aria-label={workspaceMessages.usage}>
      <SectionHeader
        title={workspaceMessages.usage}
        actions={
          <Button onClick={() => setView(view === 'chart' ? 'table' : 'chart')}>
            {view === 'chart' ? workspaceMessages.table : workspaceMessages.chart}
          </Button>
        }
      />
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={6} />}
      {data && (
        <>
          <UsageSummary usage={data} />
          {view === 'chart' ? (
            <UsageChart usage={data} now={dataUpdatedAt} />
          ) : (
            <HourlyUsage usage={data} now={dataUpdatedAt} />
          )}
          <BusiestCredentials usage={data} />
        </>
      )}
    </section>
  )
}

function UsageSummary({ usage }: { usage: UsageReply }) {
  const rejected = describeRejected(usage.minutes)
  return (
    <div className="report">
      <header>
        <span className="gut" />
        <div>
          <h2>{describeUsage(usage)}</h2>
          <p>
            {rejected && <span className="over-limit">{rejected} </span>}
            {describeWebAppUsage(usage)} {describeStorage(usage)}
          </p>
        </div>
      </header>
    </div>
  )
}

interface HourlyUsageProps {
  usage: UsageReply
  /** The time of the response: ms since 1970. */
  now: number
}

function HourlyUsage({ usage, now }: HourlyUsageProps) {
  return (
    <DataTable label={workspaceMessages.usage} className="hours" columns={HOUR_COLUMNS}>
      {toUsageSpans(usage.minutes, HOUR_MINUTES, now)
        .toReversed()
        .map(({ from, sum, peak, refused }) => (
          <TableRow key={from}>
            <TableCell className="gut">{formatTime(new Date(from).toISOString())}</TableCell>
            <TableCell>{formatNumber(sum)}</TableCell>
            <TableCell>{formatNumber(peak)}</TableCell>
            <TableCell className={refused > 0 ? 'bad' : 'quiet'}>{formatNumber(refused)}</TableCell>
          </TableRow>
        ))}
    </DataTable>
  )
}

function BusiestCredentials({ usage: { credentials } }: { usage: UsageReply }) {
  if (credentials.length === 0) return null
  return (
    <>
      <SectionHeader title={workspaceMessages.top} />
      <DataTable label={workspaceMessages.top} className="busiest" columns={TOP_COLUMNS}>
        {credentials.map(({ type, id, name, used }) => (
          <TableRow key={`${type} ${id}`}>
            <TableCell className="gut">
              <b>{formatNumber(used)}</b>
            </TableCell>
            <TableCell>
              <span className="clip">{name ?? workspaceMessages.types[type]}</span>
            </TableCell>
            <TableCell className="quiet">
              {name !== null && workspaceMessages.types[type]}
            </TableCell>
          </TableRow>
        ))}
      </DataTable>
    </>
  )
}
