import type { TimeReport } from '#resources/time-entries/contract.ts'
import { formatDuration } from '../../lib/dates/duration.ts'
import { addDaysToDate, formatDay } from '../../lib/dates/plain-date.ts'
import { reportMessages } from '../../messages/projects/reports.ts'
import { formatHours, type ReportView } from './report-view.ts'

/** The number of bars that are drawn: the days of a month. The table has all rows. */
const MAX_BARS = 31

/** How a row is named: in the columns of the table, and beside its bar. */
interface RowNames {
  columns: string[]
  cells: string[]
  label: string
}

function nameRow(group: string, row: Partial<TimeReport['rows'][number]>): RowNames {
  const { time, cycle } = reportMessages
  const ofText = (column: string, text: string) => ({
    columns: [column],
    cells: [text],
    label: text,
  })
  const { day = '', week = '', task_short_id = '', task_title = '' } = row
  switch (group) {
    case 'user':
      return ofText(time.member, row.user_name ?? '')
    case 'project':
      return ofText(time.project, row.project_name ?? '')
    case 'tag':
      return ofText(reportMessages.tag, row.tag_name ?? time.untagged)
    case 'task':
      return {
        columns: [cycle.task, cycle.what],
        cells: [task_short_id, task_title],
        label: `${task_short_id} ${task_title}`,
      }
    case 'day':
      return { ...ofText(reportMessages.day, day), label: day && formatDay(day) }
    default:
      return {
        ...ofText(reportMessages.week, week),
        label: week && reportMessages.fromTo(formatDay(week), formatDay(addDaysToDate(week, 6))),
      }
  }
}

/** The time report: the longest row first, or days and weeks with the last one first. */
export function toTimeView({ total, group_by: groups, rows }: TimeReport): ReportView {
  const { name, say, ...t } = reportMessages.time
  const isByTime = groups.some((group) => group === 'day' || group === 'week')
  const ordered = isByTime ? rows.toReversed() : rows
  const named = ordered.map((row) => ({ ...row, names: groups.map((one) => nameRow(one, row)) }))
  const columns = groups.flatMap((group) => nameRow(group, {}).columns)
  const base = {
    name,
    say: groups.includes('tag') ? `${say} ${t.sayTags}` : say,
    unit: reportMessages.unit.time,
    columns: [...columns, t.hours, t.billable, t.notBillable, t.entries],
    rows: named.map(({ names, seconds, billable_seconds, entries }) => [
      ...names.flatMap(({ cells }) => cells),
      formatHours(seconds),
      formatHours(billable_seconds),
      formatHours(seconds - billable_seconds),
      entries,
    ]),
    notes: [],
  }
  if (total.seconds === 0) return { ...base, finding: reportMessages.few.time }
  const percent = Math.round((total.billable_seconds / total.seconds) * 100)
  const longest = Math.max(...rows.map(({ seconds }) => seconds))
  return {
    ...base,
    finding: t.found(formatDuration(total.seconds), percent),
    bars: named
      .slice(0, MAX_BARS)
      .map(({ names, seconds, billable_seconds, task_short_id }, n) => ({
        key: String(n),
        label: names.map(({ label }) => label).join(', '),
        description: t.row(formatDuration(seconds), formatDuration(billable_seconds)),
        value: seconds / longest,
        billableShare: billable_seconds / longest,
        ...(task_short_id !== undefined && { short_id: task_short_id }),
      })),
  }
}
