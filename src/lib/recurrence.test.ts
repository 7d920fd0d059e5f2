import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuOf } from '#test/support/cpu.ts'
import { isRule, nextDay, withCountReduced } from './recurrence.ts'

const MONDAY = '2026-01-05'

test('completed on its day a weekly task is due in a week, late on the next such weekday', () => {
  const rule = 'FREQ=WEEKLY;BYDAY=MO'
  const due = { basis: 'due_date', due_date: MONDAY } as const
  assert.equal(nextDay(rule, { ...due, today: MONDAY }), '2026-01-12')
  assert.equal(nextDay(rule, { ...due, today: '2026-01-20' }), '2026-01-26')
  assert.equal(nextDay(rule, { ...due, today: '2026-01-26' }), '2026-01-26')
})

test('a task completed early is due next after its due date', () => {
  const early = { basis: 'due_date', due_date: '2026-01-12', today: '2026-01-06' } as const
  assert.equal(nextDay('FREQ=DAILY;INTERVAL=3', early), '2026-01-15')
})

test('by completion the rule starts today and gives a later day', () => {
  const done = { basis: 'completion', due_date: '2026-01-01', today: '2026-01-20' } as const
  assert.equal(nextDay('FREQ=DAILY;INTERVAL=3', done), '2026-01-23')
  assert.equal(nextDay('FREQ=WEEKLY;BYDAY=TU', done), '2026-01-27')
  assert.equal(nextDay('FREQ=MONTHLY', done), '2026-02-20')
})

test('the interval keeps its beat from the due date, however late', () => {
  const late = { basis: 'due_date', due_date: '2026-01-01', today: '2026-01-20' } as const
  assert.equal(nextDay('FREQ=DAILY;INTERVAL=10', late), '2026-01-21')
  assert.equal(nextDay('FREQ=WEEKLY;INTERVAL=2;BYDAY=MO', late), '2026-01-26')
})

test('a rule is exhausted when COUNT was 1 or UNTIL has passed, its own day included', () => {
  const due = { basis: 'due_date', due_date: MONDAY, today: '2026-01-20' } as const
  assert.equal(nextDay('FREQ=DAILY;COUNT=1', due), undefined)
  assert.equal(nextDay('FREQ=DAILY;COUNT=2', due), '2026-01-20')
  assert.equal(nextDay('FREQ=DAILY;UNTIL=20260119', due), undefined)
  assert.equal(nextDay('FREQ=DAILY;UNTIL=20260120', due), '2026-01-20')
  assert.equal(nextDay('FREQ=DAILY;UNTIL=20260120T000000Z', due), '2026-01-20')
  assert.equal(nextDay('COUNT=1;FREQ=DAILY', { ...due, basis: 'completion' }), undefined)
})

test('a rule without a day from its start on is exhausted', () => {
  const due = { basis: 'due_date', due_date: '2026-01-30', today: '2026-01-30' } as const
  assert.equal(nextDay('FREQ=YEARLY;BYMONTH=2', due), undefined)
  assert.equal(nextDay('FREQ=YEARLY;INTERVAL=100;BYMONTH=2;BYMONTHDAY=29', due), undefined)
  assert.equal(nextDay('FREQ=DAILY;INTERVAL=7;BYDAY=MO', due), undefined)
  const last = { basis: 'due_date', due_date: '9999-12-31', today: '9999-12-31' } as const
  assert.equal(nextDay('FREQ=DAILY', last), undefined)
})

test('COUNT goes down by one and nothing else changes', () => {
  assert.equal(withCountReduced('FREQ=DAILY;COUNT=10;BYDAY=MO'), 'FREQ=DAILY;COUNT=9;BYDAY=MO')
  assert.equal(withCountReduced('COUNT=2;FREQ=DAILY'), 'COUNT=1;FREQ=DAILY')
  assert.equal(withCountReduced('FREQ=DAILY;INTERVAL=10'), 'FREQ=DAILY;INTERVAL=10')
})

test('a rule that no day can satisfy is none', () => {
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
    assert.ok(!isRule(text), text)
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
    assert.ok(isRule(text), text)
  }
})

test('the worst rules take at most 20 ms', () => {
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
    const took = cpuOf(() => nextOf(text))
    assert.ok(took < 20, `${text} took ${took} ms`)
  }
})

function nextOf(text: string): void {
  if (!isRule(text)) return
  nextDay(text, { basis: 'due_date', due_date: '1970-01-30', today: '2026-03-01' })
}
