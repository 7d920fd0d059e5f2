import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { getUsage, Usage as UsageReply } from '#resources/workspace/internal.ts'
import { call } from '../../../lib/call.ts'
import { timeOf } from '../../../lib/instant.ts'
import { number } from '../../../messages/plural.ts'
import { m } from '../../../messages/workspace.ts'
import { Button } from '../../../ui/button.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Cell, Row, Table } from '../../../ui/table.tsx'
import { Trouble } from '../../../ui/trouble.tsx'
import { Band } from '../head.tsx'
import { findingOf } from './finding.ts'
import { spansOf } from './series.ts'
import { UsageChart } from './usage-chart.tsx'

const HOUR = 60
const HOUR_COLUMNS = m.hourColumns.map((label) => ({ label }))
const TOP_COLUMNS = m.topColumns.map((label) => ({ label }))

/** Requests a minute over the last 24 hours against the limit, and who asked most. */
export function Usage() {
  const [view, setView] = useState<'chart' | 'table'>('chart')
  const { data, error, refetch, dataUpdatedAt } = useQuery({
    queryKey: ['usage'],
    queryFn: ({ signal }) => call<typeof getUsage>('GET /internal/workspace/usage', {}, { signal }),
  })
  return (
    <section aria-label={m.usage}>
      <Band
        title={m.usage}
        acts={
          <Button onClick={() => setView(view === 'chart' ? 'table' : 'chart')}>
            {view === 'chart' ? m.table : m.chart}
          </Button>
        }
      />
      {error && <Trouble error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={6} />}
      {data && (
        <>
          <Finding usage={data} />
          {view === 'chart' ? (
            <UsageChart usage={data} now={dataUpdatedAt} />
          ) : (
            <ByHour usage={data} now={dataUpdatedAt} />
          )}
          <Busiest usage={data} />
        </>
      )}
    </section>
  )
}

function Finding({ usage }: { usage: UsageReply }) {
  const over = usage.minutes.filter(({ refused }) => refused > 0)
  const refused = over.reduce((sum, one) => sum + one.refused, 0)
  return (
    <div className="report">
      <header>
        <span className="gut" />
        <div>
          <h2>{findingOf(usage)}</h2>
          <p>
            {refused > 0 && (
              <span className="over-limit">{m.usageRefused(refused, over.length)} </span>
            )}
            {m.usageWhy}
          </p>
        </div>
      </header>
    </div>
  )
}

interface Figures {
  usage: UsageReply
  /** When they were read: ms since 1970. */
  now: number
}

function ByHour({ usage, now }: Figures) {
  return (
    <Table label={m.usage} className="hours" columns={HOUR_COLUMNS}>
      {spansOf(usage.minutes, HOUR, now)
        .toReversed()
        .map(({ from, sum, peak, refused }) => (
          <Row key={from}>
            <Cell className="gut">{timeOf(new Date(from).toISOString())}</Cell>
            <Cell>{number(sum)}</Cell>
            <Cell>{number(peak)}</Cell>
            <Cell className={refused > 0 ? 'bad' : 'quiet'}>{number(refused)}</Cell>
          </Row>
        ))}
    </Table>
  )
}

function Busiest({ usage: { credentials } }: { usage: UsageReply }) {
  if (credentials.length === 0) return null
  return (
    <>
      <Band title={m.top} />
      <Table label={m.top} className="busiest" columns={TOP_COLUMNS}>
        {credentials.map(({ type, id, name, used }) => (
          <Row key={`${type} ${id}`}>
            <Cell className="gut">
              <b>{number(used)}</b>
            </Cell>
            <Cell>
              <span className="clip">{name ?? m.types[type]}</span>
            </Cell>
            <Cell className="quiet">{name !== null && m.types[type]}</Cell>
          </Row>
        ))}
      </Table>
    </>
  )
}
