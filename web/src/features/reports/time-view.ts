import type { TimeByPersonReport } from '#resources/web-app/reports/contract.ts'
import { formatDuration } from '../../lib/dates/duration.ts'
import { reportMessages } from '../../messages/projects/reports.ts'
import { formatHours, type ReportView } from './report-view.ts'

/** The number of bars that are drawn. The table has all rows. */
const MAX_BARS = 30

interface TimeReportNames {
  member: (id: string) => string
  project: (id: string) => string
}

/** The time report: time by member and project, longest first. */
export function toTimeView(
  report: TimeByPersonReport,
  { member, project }: TimeReportNames,
): ReportView {
  const { name, say, ...t } = reportMessages.time
  const { rows, seconds, billable_seconds, row_count } = report
  const named = rows.map((row) => {
    return { ...row, memberName: member(row.user_id), projectName: project(row.project_id) }
  })
  const base = {
    name,
    say,
    unit: reportMessages.unit.time,
    columns: [t.member, t.project, t.hours, t.billable, t.notBillable, t.entries],
    rows: named.map(({ memberName, projectName, seconds, billable_seconds, entries }) => [
      memberName,
      projectName,
      formatHours(seconds),
      formatHours(billable_seconds),
      formatHours(seconds - billable_seconds),
      entries,
    ]),
  }
  if (seconds === 0) return { ...base, finding: reportMessages.few.time, notes: [] }
  const percent = Math.round((billable_seconds / seconds) * 100)
  return {
    ...base,
    finding: t.found(formatDuration(seconds), percent),
    notes:
      row_count > MAX_BARS
        ? [reportMessages.moreRows(Math.min(MAX_BARS, rows.length), row_count)]
        : [],
    bars: named
      .slice(0, MAX_BARS)
      .map(({ user_id, project_id, memberName, projectName, ...times }) => ({
        key: `${user_id} ${project_id}`,
        label: `${memberName}, ${projectName}`,
        description: t.row(formatDuration(times.seconds), formatDuration(times.billable_seconds)),
        value: times.seconds / (rows[0]?.seconds ?? 1),
        billableShare: times.billable_seconds / (rows[0]?.seconds ?? 1),
      })),
  }
}
