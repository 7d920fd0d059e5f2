import { viewerId } from '#core/actor.ts'
import { insufficientScope, invalidParameter } from '#core/api-error.ts'
import type { OperationInput } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { toCsv } from '#lib/csv.ts'
import { addDays, atLeastFirstDay, dayIn, daysBetween, isDay } from '#lib/days.ts'
import type { Scope } from '#wire/scopes.ts'
import {
  type getTimeReport,
  MAX_REPORT_DAYS,
  TIME_GROUPS,
  type TimeGroup,
  type TimeReport,
} from './contract.ts'
import { GROUP_COLUMNS, selectTimeReport } from './report-store.ts'

/** The most rows of a report: 3 MB. */
const MAX_ROWS = 10_000

/** The scopes whose records are named in the rows of a group. */
const SCOPE_BY_GROUP: { readonly [G in TimeGroup]?: Scope } = {
  user: 'members:read',
  project: 'projects:read',
  tag: 'tags:read',
  task: 'tasks:read',
}

/** Throws 400 unless the range has 1 to 1,096 days. `names` are those of its parameters. */
export function assertReportRange(
  after: string,
  before: string,
  [first, end]: readonly [string, string],
): void {
  const days = daysBetween(after, before)
  if (days < 1) throw invalidParameter(end, `must be later than \`${first}\``)
  if (days > MAX_REPORT_DAYS)
    throw invalidParameter(first, `must be at most ${MAX_REPORT_DAYS} days earlier than \`${end}\``)
}

type TimeReportQuery = OperationInput<typeof getTimeReport>['query']

/** The range of the query, by default the present month of the actor. */
function resolveRange({ actor, now }: ReadTx, { spent_after, spent_before }: TimeReportQuery) {
  const today = dayIn(actor.timezone, now)
  const latest = spent_after !== undefined && spent_after > today ? spent_after : today
  // Four days after the 28th is the next month, whatever month it is.
  const before = spent_before ?? firstOfMonth(addDays(`${latest.slice(0, 7)}-28`, 4))
  if (!isDay(before)) throw invalidParameter('spent_before', 'is required in the last month of all')
  const after = spent_after ?? atLeastFirstDay(firstOfMonth(addDays(before, -1)))
  assertReportRange(after, before, ['spent_after', 'spent_before'])
  return { after, before }
}

const firstOfMonth = (day: string) => `${day.slice(0, 7)}-01`

/** Sums the time entries that the actor sees, by the groups of the query. */
export async function readGroupedTimeReport(
  tx: ReadTx,
  _: undefined,
  { query }: OperationInput<typeof getTimeReport>,
): Promise<TimeReport> {
  const { group_by: groups = [], user_id, project_id, tag_id, billable } = query
  const missing = groups
    .map((group) => SCOPE_BY_GROUP[group])
    .find((one) => one && !tx.actor.scopes.has(one))
  if (missing) throw insufficientScope(missing)
  const { after, before } = resolveRange(tx, query)
  const shape = {
    groups: TIME_GROUPS.filter((group) => groups.includes(group)),
    users: user_id !== undefined,
    projects: project_id !== undefined,
    tags: tag_id !== undefined,
    billable: billable !== undefined,
  }
  const rows = await tx.all(selectTimeReport(shape), {
    after,
    before,
    user_ids: (user_id ?? []).map((id) => (id === 'me' ? viewerId(tx.actor) : id)),
    project_ids: project_id ?? [],
    tag_ids: tag_id ?? [],
    billable: Number(billable ?? false),
    most: MAX_ROWS + 1,
  })
  const [first] = rows
  if (rows.length > MAX_ROWS)
    throw invalidParameter(
      'group_by',
      `gives ${first?.row_count} rows, and a report has at most ${MAX_ROWS}; ` +
        'group by less or by longer times, filter by people, projects or tags, or ask for fewer days at a time',
    )
  return {
    spent_after: after,
    spent_before: before,
    group_by: groups,
    total: {
      seconds: first?.all_seconds ?? 0,
      billable_seconds: first?.all_billable_seconds ?? 0,
      entries: first?.all_entries ?? 0,
    },
    rows: rows.map(
      ({ all_seconds: _, all_billable_seconds: __, all_entries: ___, row_count: ____, ...row }) =>
        row,
    ),
  }
}

/** The rows of a report as CSV. */
export function toTimeCsv({ group_by, rows }: TimeReport): string {
  const columns = [
    ...group_by.flatMap((group) => GROUP_COLUMNS[group]),
    ...(['seconds', 'billable_seconds', 'entries'] as const),
  ]
  return toCsv([columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))])
}
