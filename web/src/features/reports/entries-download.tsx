import { useState } from 'react'
import type { timeEntriesReport } from '#resources/web-app/reports/contract.ts'
import type { EndpointReply } from '#wire/endpoint.ts'
import { showToast } from '../../data/app/toasts.ts'
import { fetchAllPages } from '../../data/cache/fetch-all-pages.ts'
import { type Boot, getMemberName, useBoot } from '../../data/session/boot.ts'
import { addDaysToDate } from '../../lib/dates/plain-date.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { downloadCsv } from '../../lib/text/csv.ts'
import { reportMessages } from '../../messages/projects/reports.ts'
import { Button } from '../../ui/form/button.tsx'
import type { ReportApiQuery } from './report-list.tsx'

/** Pages of 200 entries: 10,000 of them, and one page more that shows that there are others. */
const MAX_PAGES = 51
const MAX_ENTRIES = 10_000

/** The button that downloads the time entries behind the report. */
export function EntriesDownload({ query }: { query: ReportApiQuery }) {
  const boot = useBoot('projects', 'members', 'former')
  const [isLoading, setLoading] = useState(false)
  const { group_by: _, ...filters } = query
  const download = async () => {
    setLoading(true)
    try {
      const entries = await fetchAllPages(
        (page) =>
          requestEndpoint<typeof timeEntriesReport>('GET /internal/reports/time-entries', {
            query: { ...filters, ...page },
          }),
        MAX_PAGES,
      )
      if (entries.length > MAX_ENTRIES)
        return showToast({ text: reportMessages.entries.tooMany(MAX_ENTRIES), tone: 'trouble' })
      const file = `${reportMessages.entries.file}-${query.after}-${addDaysToDate(query.before, -1)}`
      downloadCsv(`${file}.csv`, toEntryRows(entries, boot))
    } catch (error) {
      showToast({ text: reportMessages.entries.failed, tone: 'trouble', error })
    } finally {
      setLoading(false)
    }
  }
  return (
    <Button
      kind="plain"
      busy={isLoading}
      aria-label={reportMessages.entries.download}
      onClick={() => void download()}
    >
      {reportMessages.entries.csv}
    </Button>
  )
}

type CsvEntry = EndpointReply<typeof timeEntriesReport>['data'][number]

/** The rows of the file, the headers first. Hours are a number, which spreadsheets add up. */
function toEntryRows(
  entries: readonly CsvEntry[],
  boot: Pick<Boot, 'projects' | 'members' | 'former'>,
): (string | number)[][] {
  const { entries: t, time, cycle, day, tag } = reportMessages
  const projects = new Map(boot.projects.map(({ id, name }) => [id, name]))
  return [
    [
      day,
      time.member,
      time.project,
      cycle.task,
      cycle.what,
      tag,
      time.hours,
      t.seconds,
      t.note,
      time.billable,
    ],
    ...entries.map((entry) => [
      entry.spent_on,
      getMemberName(boot, entry.user_id),
      projects.get(entry.project_id) ?? time.hidden,
      entry.short_id,
      entry.title,
      entry.tags.join(', '),
      Math.round((entry.duration_seconds / 3_600) * 100) / 100,
      entry.duration_seconds,
      entry.note ?? '',
      entry.billable ? t.yes : t.no,
    ]),
  ]
}
