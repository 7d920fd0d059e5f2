import type { TimeReport } from '#resources/reports/contract.ts'
import { clockOf } from '../../lib/duration.ts'
import { m } from '../../messages/reports.ts'
import type { Shown } from './shown.ts'

/** So many bars are drawn; the table has all rows. */
const BARS = 30

interface Names {
  member: (id: string) => string
  project: (id: string) => string
}

/** Time by member and project, the longest first. */
export function timeShown(report: TimeReport, { member, project }: Names): Shown {
  const { name, say, ...t } = m.time
  const { rows, seconds, billable_seconds, row_count } = report
  const named = rows.map((row) => {
    return { ...row, who: member(row.user_id), what: project(row.project_id) }
  })
  const base = {
    ...{ name, say, unit: m.unit.time },
    columns: [t.member, t.project, t.hours, t.billable, t.notBillable, t.entries],
    rows: named.map(({ who, what, seconds, billable_seconds, entries }) => [
      ...[who, what, clockOf(seconds), clockOf(billable_seconds)],
      ...[clockOf(seconds - billable_seconds), entries],
    ]),
  }
  if (seconds === 0) return { ...base, finding: m.few.time, notes: [] }
  const percent = Math.round((billable_seconds / seconds) * 100)
  return {
    ...base,
    finding: t.found(clockOf(seconds), percent),
    notes: row_count > BARS ? [m.moreRows(Math.min(BARS, rows.length), row_count)] : [],
    bars: named.slice(0, BARS).map(({ user_id, project_id, who, what, ...of }) => ({
      key: `${user_id} ${project_id}`,
      label: `${who}, ${what}`,
      told: t.row(clockOf(of.seconds), clockOf(of.billable_seconds)),
      value: of.seconds / (rows[0]?.seconds ?? 1),
      part: of.billable_seconds / (rows[0]?.seconds ?? 1),
    })),
  }
}
