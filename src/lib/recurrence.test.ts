import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measureCpuTime } from '#test/support/system/cpu-time.ts'
import { decrementCount, incrementCount, isRecurrenceRule, nextDueDate } from './recurrence.ts'

const MONDAY = '2026-01-05'

test('a weekly task is due a week later, or on the next weekday if it is late', () => {
  const rule = 'FREQ=WEEKLY;BYDAY=MO'
  const due = { basis: 'due_date', due_date: MONDAY } as const
  assert.equal(nextDueDate(rule, { ...due, today: MONDAY }), '2026-01-12')
  assert.equal(nextDueDate(rule, { ...due, today: '2026-01-20' }), '2026-01-26')
  assert.equal(nextDueDate(rule, { ...due, today: '2026-01-26' }), '2026-01-26')
})

test('early completion continues after the due date', () => {
  const early = { basis: 'due_date', due_date: '2026-01-12', today: '2026-01-06' } as const
  assert.equal(nextDueDate('FREQ=DAILY;INTERVAL=3', early), '2026-01-15')
})

test('basis completion starts the rule today', () => {
  const done = { basis: 'completion', due_date: '2026-01-01', today: '2026-01-20' } as const
  assert.equal(nextDueDate('FREQ=DAILY;INTERVAL=3', done), '2026-01-23')
  assert.equal(nextDueDate('FREQ=WEEKLY;BYDAY=TU', done), '2026-01-27')
  assert.equal(nextDueDate('FREQ=MONTHLY', done), '2026-02-20')
})

test('keeps the interval aligned to the due date after late completion', () => {
  const late = { basis: 'due_date', due_date: '2026-01-01', today: '2026-01-20' } as const
  assert.equal(nextDueDate('FREQ=DAILY;INTERVAL=10', late), '2026-01-21')
  assert.equal(nextDueDate('FREQ=WEEKLY;INTERVAL=2;BYDAY=MO', late), '2026-01-26')
})

test('a rule ends after COUNT 1 or after the day of UNTIL', () => {
  const due = { basis: 'due_date', due_date: MONDAY, today: '2026-01-20' } as const
  assert.equal(nextDueDate('FREQ=DAILY;COUNT=1', due), undefined)
  assert.equal(nextDueDate('FREQ=DAILY;COUNT=2', due), '2026-01-20')
  assert.equal(nextDueDate('FREQ=DAILY;UNTIL=20260119', due), undefined)
  assert.equal(nextDueDate('FREQ=DAILY;UNTIL=20260120', due), '2026-01-20')
  assert.equal(nextDueDate('FREQ=DAILY;UNTIL=20260120T000000Z', due), '2026-01-20')
  assert.equal(nextDueDate('COUNT=1;FREQ=DAILY', { ...due, basis: 'completion' }), undefined)
})

test('a rule without any day after its start has ended', () => {
  const due = { basis: 'due_date', due_date: '2026-01-30', today: '2026-01-30' } as const
  assert.equal(nextDueDate('FREQ=YEARLY;BYMONTH=2', due), undefined)
  assert.equal(nextDueDate('FREQ=YEARLY;INTERVAL=100;BYMONTH=2;BYMONTHDAY=29', due), undefined)
  assert.equal(nextDueDate('FREQ=DAILY;INTERVAL=7;BYDAY=MO', due), undefined)
  const last = { basis: 'due_date', due_date: '9999-12-31', today: '9999-12-31' } as const
  assert.equal(nextDueDate('FREQ=DAILY', last), undefined)
})

test('decrements COUNT and changes nothing else', () => {
  assert.equal(decrementCount('FREQ=DAILY;COUNT=10;BYDAY=MO'), 'FREQ=DAILY;COUNT=9;BYDAY=MO')
  assert.equal(decrementCount('COUNT=2;FREQ=DAILY'), 'COUNT=1;FREQ=DAILY')
  assert.equal(decrementCount('FREQ=DAILY;INTERVAL=10'), 'FREQ=DAILY;INTERVAL=10')
  assert.equal(incrementCount('FREQ=DAILY;COUNT=9;BYDAY=MO'), 'FREQ=DAILY;COUNT=10;BYDAY=MO')
})

test('rejects rules that no day can satisfy', () => {
  for (const text of [
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=MONTHLY;BYMONTH=4,6;BYMONTHDAY=31',
    'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=DAILY;BYDAY=MO;BYSETPOS=2',
    'FREQ=WEEKLY;BYDAY=SU,MO;BYSETPOS=3',
    'FREQ=MONTHLY;BYDAY=6MO',
    'FREQ=YEARLY;BYDAY=53MO;BYMONTH=1',
    'FREQ=YEARLY;BYDAY=2MO;BYMONTH=1;BYMONTHDAY=7',
    'FREQ=DAILY;BYMONTH=2;UNTIL=19700131',
  ]) {
    assert.ok(!isRecurrenceRule(text), text)
  }
  for (const text of [
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU',
    'FREQ=YEARLY;INTERVAL=999;BYMONTH=2;BYMONTHDAY=29',
    'FREQ=YEARLY;BYDAY=53MO',
    'FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=366',
    'FREQ=MONTHLY;BYDAY=5MO;BYMONTH=2',
    'FREQ=WEEKLY;BYDAY=SU,MO;BYSETPOS=2',
    'FREQ=DAILY;UNTIL=19700101',
  ]) {
    assert.ok(isRecurrenceRule(text), text)
  }
})

test('validates the slowest rules within 20 ms', () => {
  for (const text of [
    'FREQ=DAILY;BYDAY=MO;BYMONTH=2;BYMONTHDAY=29;BYSETPOS=2',
    'FREQ=DAILY;INTERVAL=7;BYDAY=MO',
    'FREQ=DAILY;INTERVAL=3;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU',
    'FREQ=WEEKLY;BYMONTH=2;BYDAY=MO,SU;BYSETPOS=3',
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=366,-366,365,-365',
    'FREQ=YEARLY;BYMONTHDAY=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28;BYSETPOS=366,365,364,363,362,361,360,359,358,357,356,355,-366,-365,-364,-363,-362,-361,-360',
    'FREQ=YEARLY;INTERVAL=999;BYMONTH=2;BYMONTHDAY=29',
    'FREQ=YEARLY;INTERVAL=3;BYMONTH=2',
    'FREQ=DAILY',
  ]) {
    assert.ok(text.length <= 200)
    const took = measureCpuTime(() => nextOf(text))
    assert.ok(took < 20, `${text} took ${took} ms`)
  }
})

function nextOf(text: string): void {
  if (!isRecurrenceRule(text)) return
  nextDueDate(text, { basis: 'due_date', due_date: '1970-01-30', today: '2026-03-01' })
}
