import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS } from '#lib/durations.ts'
import { applySpanChanges } from '#resources/time-entries/span.ts'
import { createCalmWorld, queueOf } from '../calm-world.ts'
import type { SimulatedBrowser } from '../simulated-browser.ts'
import type { SimulatedTimeEntry } from '../simulated-records.ts'
import type { SimulatedWorld } from '../simulated-world.ts'

const MINUTE_MS = 60_000

type Changes = Parameters<typeof applySpanChanges>[1] & { note?: string }

const toTime = (ms: number): string => new Date(ms).toISOString()

/** The time entries of a task, as the server has them. */
const entriesOf = ({ server }: SimulatedWorld, taskId = 'tsk_1') =>
  server.records.timeEntriesOf(taskId)

/** How long each of them is, in minutes; null while the timer runs. */
const minutesOf = (world: SimulatedWorld, taskId?: string) =>
  entriesOf(world, taskId).map(
    ({ duration_seconds }) => duration_seconds && Math.round(duration_seconds / 60),
  )

function startTimer({ page }: SimulatedBrowser, id = 'tsk_1'): void {
  const task = page.engine.getCachedTask(id)
  assert.ok(task)
  page.engine.startTimer(task)
}

/** Another device of the person changes an entry. */
function changeEntry(world: SimulatedWorld, { note, ...times }: Changes): SimulatedTimeEntry {
  const entry = entriesOf(world)[0]
  assert.ok(entry)
  const changed = { ...entry, ...applySpanChanges(entry, times, toTime(world.now)) }
  return world.server.records.putTimeEntry({ ...changed, note: note ?? entry.note }, world.now)
}

/** A timer that was started an hour ago, and stopped after 20 minutes without a network. */
async function createUnsentStop() {
  const calm = await createCalmWorld()
  const { world, one } = calm
  startTimer(one)
  await world.pass(20 * MINUTE_MS)
  one.goOnline(false)
  one.page.engine.stopTimer()
  return calm
}

test('a stop that was made offline shortens a timer that another device has stopped since', async () => {
  const { world, one, reconnect } = await createUnsentStop()
  await world.pass(20 * MINUTE_MS)
  changeEntry(world, { running: false })
  await world.pass(20 * MINUTE_MS)
  await reconnect(one)
  assert.deepEqual(minutesOf(world), [20])
  assert.deepEqual(one.messages, [])
})

test('a stop that was made offline shortens a timer that the server has stopped after 24 hours', async () => {
  const { world, one } = await createUnsentStop()
  await world.pass(24 * HOUR_MS)
  const [entry] = entriesOf(world)
  assert.ok(entry)
  changeEntry(world, { ended_at: toTime(Date.parse(entry.started_at ?? '') + 24 * HOUR_MS) })
  one.goOnline(true)
  await world.pass(1_000)
  // It is so old that it waits for the person.
  one.page.engine.mutationLog.retry(queueOf(one)[0]?.key ?? '')
  await world.pass(1_000)
  assert.deepEqual(queueOf(one), [])
  assert.deepEqual(minutesOf(world), [20])
})

test('a stop that was made offline leaves a time that was edited since, and says so', async () => {
  const { world, one, reconnect } = await createUnsentStop()
  await world.pass(20 * MINUTE_MS)
  changeEntry(world, { running: false })
  await world.pass(MINUTE_MS)
  changeEntry(world, { duration_seconds: 30 * 60 })
  await reconnect(one)
  assert.deepEqual(minutesOf(world), [30])
  assert.match(one.messages[0]?.text ?? '', /edited/)
})

test('a stop that was made offline shortens a timer once if its page crashes before the reply', async () => {
  const { world, one, reconnect } = await createUnsentStop()
  await world.pass(20 * MINUTE_MS)
  changeEntry(world, { running: false })
  one.goOnline(true)
  for (let tries = 0; minutesOf(world)[0] !== 20 && tries < 100; tries++) await world.pass(10)
  await one.crash()
  changeEntry(world, { note: 'written since' })
  await reconnect(one)
  assert.deepEqual(minutesOf(world), [20])
  assert.equal(entriesOf(world)[0]?.note, 'written since')
  assert.deepEqual(one.messages, [])
})

/** Another device of the person starts a timer on the second task, and so stops theirs. */
function startElsewhere({ server, now }: SimulatedWorld): void {
  const path = '/api/v1/tasks/tsk_2/time-entries'
  const text = JSON.stringify({ running: true })
  server.handle({ method: 'POST', path, key: '', person: 0, text }, now)
}

/** A person without a network; another device starts a timer half an hour after theirs. */
async function createUnsentStart({ stopsAfter }: { stopsAfter?: number } = {}) {
  const calm = await createCalmWorld()
  const { world, one } = calm
  world.server.tasks.create({ title: 'second' }, world.now)
  one.goOnline(false)
  startTimer(one)
  const until = stopsAfter ?? 0
  await world.pass(until * MINUTE_MS)
  if (until > 0) one.page.engine.stopTimer()
  await world.pass((30 - until) * MINUTE_MS)
  startElsewhere(world)
  await world.pass(30 * MINUTE_MS)
  return calm
}

test('a timer that was started offline ends where another device has started one since', async () => {
  const { world, one, reconnect } = await createUnsentStart()
  await reconnect(one)
  assert.deepEqual([minutesOf(world), minutesOf(world, 'tsk_2')], [[30], [null]])
  assert.equal(one.page.engine.getRunningTimer()?.task.id, 'tsk_2')
  assert.match(one.page.engine.messages.get()[0]?.text ?? '', /newer timer on .*-2/)
})

test('time that was measured offline does not stop a newer timer', async () => {
  const { world, one, reconnect } = await createUnsentStart({ stopsAfter: 20 })
  await reconnect(one)
  assert.deepEqual([minutesOf(world), minutesOf(world, 'tsk_2')], [[20], [null]])
  assert.equal(one.page.engine.getRunningTimer()?.task.id, 'tsk_2')
})

test('time that was measured offline is logged once if the page crashes before the reply', async () => {
  const { world, one, reconnect } = await createUnsentStart({ stopsAfter: 20 })
  one.goOnline(true)
  for (let tries = 0; entriesOf(world).length === 0 && tries < 100; tries++) await world.pass(10)
  one.goOnline(false)
  await one.crash()
  // The next page sends another body, because the newer timer has ended.
  const running = world.server.records.findRunning(0)
  assert.ok(running)
  world.server.records.delete(running.id)
  await reconnect(one)
  assert.deepEqual(minutesOf(world), [20])
  assert.deepEqual(one.messages, [])
})

/** A timer that was started and stopped without a network, and whose task was deleted meanwhile. */
async function createRefusedStart() {
  const calm = await createCalmWorld()
  const { world, one } = calm
  one.goOnline(false)
  startTimer(one)
  await world.pass(20 * MINUTE_MS)
  one.page.engine.stopTimer()
  await world.pass(100)
  world.server.tasks.delete('tsk_1')
  one.goOnline(true)
  await world.pass(10_000)
  // What waits for the person does so on the next page as well.
  await one.crash()
  await world.pass(1_000)
  return calm
}

test('a refused start that the person sends again ends at its stop, whichever they retry first', async () => {
  for (const isStopFirst of [false, true]) {
    const { world, one } = await createRefusedStart()
    world.server.tasks.restore('tsk_1', world.now)
    if (isStopFirst) one.page.engine.mutationLog.retry(queueOf(one).at(-1)?.key ?? '')
    await world.pass(1_000)
    for (const { key } of queueOf(one)) {
      one.page.engine.mutationLog.retry(key)
      await world.pass(1_000)
    }
    assert.deepEqual(queueOf(one), [])
    assert.deepEqual(minutesOf(world), [20])
  }
})

test('no timer is shown once a refused start and its stop are discarded', async () => {
  const { world, one } = await createRefusedStart()
  for (const { key } of queueOf(one)) {
    void one.page.engine.mutationLog.discard(key)
    await world.pass(100)
    assert.ok(!one.page.engine.getRunningTimer())
  }
  assert.deepEqual([queueOf(one), entriesOf(world)], [[], []])
})

test('a timer that was started offline runs also if the one before can no longer be stopped', async () => {
  const { world, one } = await createCalmWorld()
  world.server.tasks.create({ title: 'second' }, world.now)
  one.page.catchUp()
  startTimer(one)
  await world.pass(20 * MINUTE_MS)
  one.goOnline(false)
  startTimer(one, 'tsk_2')
  world.server.tasks.delete('tsk_1')
  await world.pass(40 * MINUTE_MS)
  one.goOnline(true)
  await world.pass(10_000)
  const [entry] = entriesOf(world, 'tsk_2')
  assert.deepEqual(minutesOf(world, 'tsk_2'), [null])
  assert.ok(world.now - Date.parse(entry?.started_at ?? '') >= 40 * MINUTE_MS)
})

test('a task that was undone and redone offline is created, and the timer on it starts', async () => {
  const { world, one, reconnect } = await createCalmWorld()
  const { findUndoable, findRedoable, getCachedTasks, reverse } = one.page.engine
  one.goOnline(false)
  one.createTask('again')
  const placeholder = getCachedTasks().find(({ title }) => title === 'again')
  startTimer(one, placeholder?.id)
  for (const find of [findUndoable, findRedoable]) {
    const message = find()
    assert.ok(message)
    reverse(message)
  }
  await reconnect(one)
  assert.deepEqual(
    world.server.tasks.all.map(({ title }) => title),
    ['first', 'again'],
  )
  assert.deepEqual(minutesOf(world, world.server.tasks.idOf(2)), [null])
})
