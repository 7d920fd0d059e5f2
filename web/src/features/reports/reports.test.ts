import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { toCsv } from '#lib/csv.ts'
import { MAX_REPORT_DAYS as SERVER_MAX_DAYS } from '#resources/time-entries/contract.ts'
import { addDaysToDate, countDaysBetween, formatDay, today } from '../../lib/dates/plain-date.ts'
import { toBurnUpView } from './progress-views.ts'
import {
  getRangeError,
  MAX_RANGE_DAYS,
  parseReportDateRange,
  parseReportTab,
  parseTimeGrouping,
} from './report-search-params.ts'
import { getScaleMax, sampleEvenly } from './report-view.ts'
import { toThroughputView } from './task-views.ts'
import { toTimeView } from './time-view.ts'

test('CSV round-trips values and neutralizes formulas', () => {
  const rows = [
    ['a "quoted", text', -5],
    ['=cmd()', 1],
    ['+1', 2],
    ['-1', 3],
    ['@x', 4],
    ['\tx', 5],
    ['two;=lines', 6],
    ['Zürich 日本', 0.5],
  ]
  const read = parse(toCsv([['What', 'n'], ...rows]), { bom: true }) as string[][]
  assert.deepEqual(
    read.slice(1).map(([what]) => what),
    ['a "quoted", text', "'=cmd()", "'+1", "'-1", "'@x", "'\tx", "two;'=lines", 'Zürich 日本'],
  )
  // A negative number is not escaped as a formula.
  assert.deepEqual(read[1]?.[1], '-5')
})

test('ends the scale at a round number at or above the highest value', () => {
  for (const value of [0, 0.3, 1, 3, 4, 5, 9, 10, 11, 99, 100, 101, 137, 4_001, 100_000]) {
    const top = getScaleMax(value)
    assert.ok(top >= value && top <= Math.max(value, 1) * 2.6, `${value}: ${top}`)
  }
  assert.equal(getScaleMax(137), 200)
})

test('samples labels evenly, including the first and the last', () => {
  assert.deepEqual(sampleEvenly([1, 2, 3], 6), [1, 2, 3])
  assert.deepEqual(
    sampleEvenly(
      Array.from({ length: 101 }, (_, n) => n),
      6,
    ),
    [0, 20, 40, 60, 80, 100],
  )
})

test('ignores invalid search parameters', () => {
  assert.equal(parseReportTab('nonsense'), 'progress')
  const { weeks } = parseReportDateRange({ weeks: 3 })
  assert.equal(weeks, 16)
  assert.deepEqual(parseReportDateRange({ after: '2026-01-01', before: '2026-02-01' }), {
    after: '2026-01-01',
    before: '2026-02-01',
  })
  assert.equal(parseReportDateRange({ after: '2026-02-01', before: '2026-01-01' }).weeks, 16)
  assert.equal(parseReportDateRange({ after: '2026-02-30', before: '2026-03-04' }).weeks, 16)
})

test('detects date ranges that the server would reject', () => {
  assert.equal(MAX_RANGE_DAYS, SERVER_MAX_DAYS)
  const rangeOf = (days: number) => ({
    after: '2026-01-01',
    before: addDaysToDate('2026-01-01', days),
  })
  assert.equal(getRangeError(rangeOf(0)), 'turned')
  assert.equal(getRangeError(rangeOf(1)), undefined)
  assert.equal(getRangeError(rangeOf(MAX_RANGE_DAYS)), undefined)
  assert.equal(getRangeError(rangeOf(MAX_RANGE_DAYS + 1)), 'long')
  // Search parameters cannot request such a range either.
  assert.equal(parseReportDateRange(rangeOf(MAX_RANGE_DAYS)).weeks, undefined)
  assert.equal(parseReportDateRange(rangeOf(MAX_RANGE_DAYS + 1)).weeks, 16)
})

test('computes the current totals and the mean pace of the last six weeks', () => {
  const range = { after: '2026-01-01', before: '2026-02-19', timezone: 'UTC' }
  const days = Array.from({ length: 49 }, (_, n) => {
    return { day: addDaysToDate('2026-01-01', n), scope: 100 + n, done: n < 6 ? 0 : 2 * (n - 6) }
  })
  const figuresOf = (some: typeof days) =>
    toBurnUpView({ range, days: some, assumed: 0, forecast: null }).figures?.map(
      ({ value, note }) => [value, note],
    )
  assert.deepEqual(figuresOf(days), [
    ['84', 'of 148'],
    ['14', 'completed, 7 added'],
  ])
  assert.deepEqual(figuresOf(days.slice(-42)), [
    ['84', 'of 148'],
    ['–', undefined],
  ])
  assert.deepEqual(figuresOf([]), [
    ['–', undefined],
    ['–', undefined],
  ])
})

test('draws a forecast to the day by which everything is done, within reason', () => {
  const range = { after: '2026-01-01', before: '2026-02-19', timezone: 'UTC' }
  const days = Array.from({ length: 49 }, (_, n) => {
    return { day: addDaysToDate('2026-01-01', n), scope: 100, done: n }
  })
  const lastLabel = (latest: string) => {
    const forecast = { slow: 5, fast: 9, scope: 0, earliest: '2026-03-01', latest }
    return toBurnUpView({ range, days, assumed: 0, forecast }).chart?.xLabels.at(-1)
  }
  assert.equal(lastLabel('2026-03-02'), formatDay('2026-03-11'))
  assert.equal(lastLabel('2026-04-20'), formatDay('2026-04-20'))
  assert.equal(lastLabel('2027-04-20'), formatDay('2026-05-01'))
})

test('summarizes a burn-up report in its title', () => {
  const range = { after: '2026-01-01', before: '2026-01-08', timezone: 'UTC' }
  const days = (pairs: [number, number][]) =>
    pairs.map(([scope, done], n) => ({ day: `2026-01-0${n + 1}`, scope, done }))
  const finding = (
    pairs: [number, number][],
    forecast: Parameters<typeof toBurnUpView>[0]['forecast'] = null,
  ) => toBurnUpView({ range, days: days(pairs), assumed: 0, forecast }).finding
  const growing: [number, number][] = [
    [100, 1],
    [100, 2],
    [105, 3],
    [110, 4],
    [118, 5],
  ]
  const pace = { slow: 1, fast: 2, scope: 0 }
  assert.equal(finding(growing), 'Scope grew 18 %')
  assert.match(
    finding(growing, { ...pace, earliest: '2026-02-01', latest: '2026-03-01' }),
    /^Scope grew 18 %; at this pace, everything is done between .*1 Feb.* and .*1 Mar/,
  )
  assert.match(
    finding(growing, { ...pace, earliest: null, latest: null }),
    /more is being added than finished$/,
  )
  assert.match(finding(growing, { ...pace, earliest: '2026-02-01', latest: null }), /best pace/)
  assert.equal(finding(Array(5).fill([7, 7])), 'Scope stayed at 7, and everything is done')
  assert.match(finding([[1, 0]]), /^Only 1 day has tasks/)
  assert.equal(finding([[0, 0]]), 'No data in this range.')
})

test('shows the tasks behind a week of throughput that the report counts', () => {
  const weeks = ['2026-01-05', '2026-01-12', '2026-01-19', '2026-01-26', '2026-02-02'].map(
    (week) => ({ week, completed: 1, created: 1, days: 7 }),
  )
  // From Wednesday of the first week until Monday of the last.
  const range = { after: '2026-01-07', before: '2026-02-03', timezone: 'UTC' }
  const days = toThroughputView({ range, weeks }).chart?.points.map(({ drillDown }) => drillDown)
  assert.deepEqual(days?.at(0), { after: '2026-01-07', before: '2026-01-12' })
  assert.deepEqual(days?.at(1), { after: '2026-01-12', before: '2026-01-19' })
  assert.deepEqual(days?.at(-1), { after: '2026-02-02', before: '2026-02-03' })
})

test('reads the periods and groups of the address', () => {
  const week = parseReportDateRange({ period: 'this-week' })
  assert.equal(countDaysBetween(week.after, week.before), 7)
  assert.ok(week.after <= today() && today() < week.before)
  assert.equal(parseReportDateRange({ period: 'last-week' }).before, week.after)
  const month = parseReportDateRange({ period: 'this-month' })
  assert.ok(month.after.endsWith('-01') && month.before.endsWith('-01'))
  assert.ok(month.after <= today() && today() < month.before)
  assert.equal(parseReportDateRange({ period: 'last-month' }).before, month.after)
  assert.equal(parseReportDateRange({ period: 'nonsense' }).weeks, 16)
  assert.deepEqual(parseTimeGrouping('tag').groups, ['tag'])
  assert.deepEqual(parseTimeGrouping('month').groups, ['user', 'project'])
})

test('names the rows of a time report by its groups, days with the last one first', () => {
  const sums = (seconds: number) => ({ seconds, billable_seconds: 1_800, entries: 1 })
  const base = { spent_after: '2026-11-01', spent_before: '2026-12-01', total: sums(9_000) }
  const byTask = toTimeView({
    ...base,
    group_by: ['task'],
    rows: [{ task_id: 'tsk_1', task_short_id: 'ENG-1', task_title: 'One', ...sums(9_000) }],
  })
  assert.deepEqual(byTask.rows, [['ENG-1', 'One', '2:30', '0:30', '2:00', 1]])
  assert.equal(byTask.columns.length, 6)
  assert.equal(byTask.bars?.[0]?.short_id, 'ENG-1')
  const byDay = toTimeView({
    ...base,
    group_by: ['day'],
    rows: [
      { day: '2026-11-02', ...sums(3_600) },
      { day: '2026-11-03', ...sums(5_400) },
    ],
  })
  assert.deepEqual(
    byDay.rows.map(([day]) => day),
    ['2026-11-03', '2026-11-02'],
  )
  assert.deepEqual(
    byDay.bars?.map(({ value }) => value),
    [1, 3_600 / 5_400],
  )
  const untagged = toTimeView({
    ...base,
    group_by: ['tag'],
    rows: [{ tag_id: null, tag_name: null, ...sums(9_000) }],
  })
  assert.equal(untagged.rows[0]?.[0], 'No tag')
})
