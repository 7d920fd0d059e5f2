import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS } from '#lib/durations.ts'
import type { BulkCommand } from '../../web/src/data/tasks/bulk-command.ts'
import type { TaskPatch } from '../../web/src/data/tasks/task-patch.ts'
import { createCalmWorld, queueOf } from './calm-world.ts'
import type { SimulatedBrowser } from './simulated-browser.ts'
import { PROJECT } from './simulated-tasks.ts'

/** Changes many tasks as a command does. */
function runOnMany({ page }: SimulatedBrowser, numbers: readonly number[], command: BulkCommand) {
  const { changeTasksInBulk } = page.engine
  const targets = [{ project_id: PROJECT.id, numbers, command }]
  return changeTasksInBulk({ targets, label: 'Many', onRejected: () => undefined })
}

const changeMany = (browser: SimulatedBrowser, numbers: readonly number[], patch: TaskPatch) =>
  runOnMany(browser, numbers, { kind: 'patch', patch })

test('sends a change of many that has waited overnight only when the person asks', async () => {
  const { world, one } = await createCalmWorld()
  one.page.engine.changeTask('tsk_1', { title: 'mine' })
  await world.pass(20)
  // The first change cannot be sent, and the other one waits for it.
  world.server.refuse(queueOf(one)[0]?.key ?? '', 503)
  changeMany(one, [1], { status: 'done' })
  await world.pass(30_000)
  one.goOnline(false)
  await world.pass(13 * HOUR_MS)
  one.goOnline(true)
  void one.page.engine.mutationLog.discard(queueOf(one)[0]?.key ?? '')
  await world.pass(10_000)
  assert.equal(world.server.tasks.get('tsk_1')?.status, 'todo')
  assert.deepEqual(
    queueOf(one).map(({ state }) => state),
    ['unsaved'],
  )
})

test('repeats a change of many on top of others only when the person asks if it has waited overnight', async () => {
  const { world, one, other } = await createCalmWorld()
  other.page.engine.changeTask('tsk_1', { priority: 'high' })
  await world.pass(300)
  changeMany(one, [1], { status: 'done' })
  await world.pass(150)
  // The server refuses the outdated version, and the task cannot be read now.
  one.goOnline(false)
  await world.pass(13 * HOUR_MS)
  one.goOnline(true)
  await world.pass(10_000)
  assert.equal(world.server.tasks.get('tsk_1')?.status, 'todo')
  assert.deepEqual(
    queueOf(one).map(({ state }) => state),
    ['unsaved'],
  )
})

test('leaves out of a change of many a task that already looks so, whatever others make of it', async () => {
  const { world, one, other } = await createCalmWorld()
  one.goOnline(false)
  changeMany(one, [1], { status: 'todo' })
  other.page.engine.changeTask('tsk_1', { status: 'done' })
  await world.pass(1_000)
  one.goOnline(true)
  one.page.catchUp()
  await world.pass(10_000)
  assert.deepEqual(queueOf(one), [])
  assert.equal(world.server.tasks.get('tsk_1')?.status, 'done')
})

test('changes many tasks whose project the page has released since the person saw them', async () => {
  const { world, one } = await createCalmWorld()
  const { taskReplica, holdProject } = one.page.engine
  holdProject('prj_2')
  taskReplica.release(PROJECT.id)
  changeMany(one, [1], { status: 'done' })
  await world.pass(5_000)
  assert.deepEqual(queueOf(one), [])
  assert.equal(world.server.tasks.get('tsk_1')?.status, 'done')
})

test('sends changes of many tasks in their order', async () => {
  const { world, one } = await createCalmWorld()
  world.server.tasks.create({ title: 'second' }, world.now)
  one.page.catchUp()
  one.goOnline(false)
  changeMany(one, [1, 2], { status: 'doing' })
  changeMany(one, [2], { status: 'done' })
  one.goOnline(true)
  await world.pass(10_000)
  assert.deepEqual(queueOf(one), [])
  assert.deepEqual(
    world.server.tasks.all.map(({ status }) => status),
    ['doing', 'done'],
  )
})

test('applies a change of many to a task that a later page knows only by a newer change', async () => {
  const { world, one } = await createCalmWorld()
  world.server.tasks.create({ title: 'second' }, world.now)
  one.page.catchUp()
  one.page.engine.changeTask('tsk_1', { title: 'mine' })
  await world.pass(20)
  // The first change cannot be sent, and the others wait for it.
  const [first] = queueOf(one)
  world.server.refuse(first?.key ?? '', 503)
  changeMany(one, [1, 2], { status: 'done' })
  await world.pass(1_000)
  assert.equal(one.page.engine.getCachedTask('tsk_2')?.status, 'done')
  changeMany(one, [2], { priority: 'high' })
  await world.pass(100)
  one.goOnline(false)
  await one.crash()
  one.goOnline(true)
  await world.pass(30_000)
  void one.page.engine.mutationLog.discard(first?.key ?? '')
  await world.pass(10_000)
  const { status, priority } = world.server.tasks.get('tsk_2') ?? {}
  assert.deepEqual([status, priority], ['done', 'high'])
})

test('takes away a task that somebody has deleted before a change of many', async () => {
  const { world, one } = await createCalmWorld()
  world.server.tasks.create({ title: 'second' }, world.now)
  one.page.catchUp()
  world.server.tasks.delete('tsk_2')
  changeMany(one, [1, 2], { status: 'done' })
  await world.pass(10_000)
  assert.equal(one.page.engine.getCachedTask('tsk_2'), undefined)
})

test('shows no task that was deleted before the reply to a change of many is repeated', async () => {
  const { world, one, loseReplyTo, reconnect } = await createCalmWorld()
  one.page.catchUp()
  await loseReplyTo(one, () => changeMany(one, [1], { status: 'done' }))
  assert.equal(world.server.tasks.get('tsk_1')?.status, 'done')
  world.server.tasks.delete('tsk_1')
  await reconnect(one)
  assert.deepEqual(one.page.engine.getCachedTasks(), [])
})

test('shows a task that was restored before the reply to the deletion of many is repeated', async () => {
  const { world, one, loseReplyTo, reconnect } = await createCalmWorld()
  runOnMany(one, [1], { kind: 'delete' })
  const isPrepared = () =>
    queueOf(one).some(({ payload }) => payload.kind === 'bulk' && payload.sent.length > 0)
  while (!isPrepared()) await world.pass(1)
  await loseReplyTo(one)
  assert.ok(world.server.tasks.restore('tsk_1', world.now))
  await reconnect(one)
  assert.ok(one.page.engine.getCachedTask('tsk_1'))
})

test('changes nothing in a change of many that an earlier one has hidden', async () => {
  const { world, one, other } = await createCalmWorld()
  one.goOnline(false)
  one.page.engine.changeTask('tsk_1', { status: 'doing' })
  other.page.engine.changeTask('tsk_1', { status: 'canceled' })
  await world.pass(1_000)
  one.goOnline(true)
  await world.pass(2_000)
  changeMany(one, [1], { status: 'done' })
  await world.pass(100)
  const conflict = one.page.engine.getTaskConflict('tsk_1')
  assert.ok(conflict)
  one.page.engine.discardLocalChange('tsk_1')
  await world.pass(10_000)
  assert.equal(world.server.tasks.get('tsk_1')?.status, 'canceled')
})

test('changes many tasks that were made without a network', async () => {
  const { world, one } = await createCalmWorld()
  one.goOnline(false)
  one.createTask('new')
  const number = one.page.engine.getCachedTasks().find(({ title }) => title === 'new')?.number
  changeMany(one, [1, number ?? 0], { status: 'doing' })
  one.goOnline(true)
  await world.pass(10_000)
  assert.deepEqual(queueOf(one), [])
  assert.deepEqual(
    one.page.engine.getCachedTasks().map(({ title, status }) => [title, status]),
    [
      ['first', 'doing'],
      ['new', 'doing'],
    ],
  )
})
