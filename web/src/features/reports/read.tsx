import { useQuery } from '@tanstack/react-query'
import type {
  burnUpReport,
  cycleReport,
  estimateReport,
  flowReport,
  throughputReport,
  timeReport,
} from '#resources/reports/contract.ts'
import { type Boot, nameOf, useBoot } from '../../data/boot.ts'
import { call } from '../../lib/call.ts'
import { m } from '../../messages/reports.ts'
import { Empty } from '../../ui/empty.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Trouble } from '../../ui/trouble.tsx'
import type { Days, Tab } from './address.ts'
import { burnUpShown, flowShown } from './progress.ts'
import { Report } from './report.tsx'
import { type Figure, NONE, type Shown } from './shown.ts'
import { cycleShown, estimatesShown, throughputShown } from './tasks.ts'
import { timeShown } from './time.ts'

interface Props {
  tab: Tab
  days: Days
  /** Undefined: all. */
  projects: string[] | undefined
  members: string[]
  tags: string[]
}

type Query = { after: string; before: string } & Partial<
  Record<'project_id' | 'member_id' | 'tag_id', string[]>
>

/** The reports of a tab: each is asked for, and shown as it comes. */
const OF: Record<
  Tab,
  Record<string, (query: Query, signal: AbortSignal, boot: Boot) => Promise<Shown>>
> = {
  progress: {
    burnUp: async (query, signal) =>
      burnUpShown(
        await call<typeof burnUpReport>('GET /internal/reports/burn-up', { query }, { signal }),
      ),
    flow: async (query, signal) =>
      flowShown(await call<typeof flowReport>('GET /internal/reports/flow', { query }, { signal })),
  },
  time: {
    time: async (query, signal, boot) =>
      timeShown(
        await call<typeof timeReport>('GET /internal/reports/time', { query }, { signal }),
        {
          member: (id) => nameOf(boot, id),
          project: (id) => boot.projects.find((one) => one.id === id)?.prefix ?? m.time.hidden,
        },
      ),
  },
  cycle: {
    cycle: async (query, signal) =>
      cycleShown(
        await call<typeof cycleReport>('GET /internal/reports/cycle-time', { query }, { signal }),
      ),
  },
  throughput: {
    throughput: async (query, signal) =>
      throughputShown(
        await call<typeof throughputReport>(
          'GET /internal/reports/throughput',
          { query },
          { signal },
        ),
      ),
  },
  estimates: {
    estimates: async (query, signal) =>
      estimatesShown(
        await call<typeof estimateReport>('GET /internal/reports/estimates', { query }, { signal }),
      ),
  },
}

export function Read({ tab, days, projects, members, tags }: Props) {
  // Prefixes that are of no project the person sees leave nothing to ask for.
  if (projects?.length === 0) return <Empty text={m.none} />
  const { after, before } = days
  const query: Query = {
    ...{ after, before },
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
            <Figures tab="progress" name="burnUp" query={query} many={2} />
            <Figures tab="cycle" name="cycle" query={query} many={1} />
            <Figures tab="estimates" name="estimates" query={query} many={1} />
          </dl>
        </div>
      )}
      {Object.keys(OF[tab]).map((name) => (
        <One key={JSON.stringify([name, query])} tab={tab} name={name} query={query} />
      ))}
    </>
  )
}

interface Wanted {
  tab: Tab
  name: string
  query: Query
}

function useShown({ tab, name, query }: Wanted) {
  const boot = useBoot()
  return useQuery({
    queryKey: ['reports', name, query],
    queryFn: ({ signal }) => OF[tab][name]?.(query, signal, boot),
  })
}

/** What one report gives to the band: so many, whose places are kept until it is there. */
function Figures({ many, ...wanted }: Wanted & { many: number }) {
  const { data, error } = useShown(wanted)
  const missing: Figure = { name: '\u00A0', value: error ? NONE : '\u00A0' }
  const figures = data?.figures ?? Array.from({ length: many }, () => missing)
  return figures.map(({ name, value, beside }, n) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: figures have a fixed order
    <div key={n}>
      <dt>{name}</dt>
      <dd>
        <b>{value}</b> {beside}
      </dd>
    </div>
  ))
}

function One(wanted: Wanted) {
  const { data, error, refetch } = useShown(wanted)
  const { query } = wanted
  if (error) return <Trouble error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton rows={8} />
  const { project_id, member_id, tag_id } = query
  const within = {
    ...(project_id && { project_id }),
    ...(member_id && { assignee_id: member_id }),
    ...(tag_id && { tag_id }),
  }
  return <Report shown={data} range={query} within={within} />
}
