import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { bundleEngine, type EngineLoader } from './engine-bundle.ts'
import { SimulatedBrowser } from './simulated-browser.ts'
import { COMMENTED_TASK_ID } from './simulated-records.ts'
import { PROJECT } from './simulated-tasks.ts'
import { SimulatedWorld } from './simulated-world.ts'

const HOUR_MS = 60 * 60 * 1000

let loadEngine: EngineLoader
before(async () => {
  loadEngine = await bundleEngine()
})

/** Two people with a task each way, where nothing fails by chance. */
async function createCalmWorld() {
  let luck = 0.5
  const world = new SimulatedWorld(() => luck)
  world.isCalm = true
  world.server.tasks.create({ title: 'first' }, world.now)
  const one = new SimulatedBrowser(world, 0, loadEngine)
  const other = new SimulatedBrowser(world, 1, loadEngine)
  await world.pass(100)
  /** Does something, of which the server gets a request and the page no reply. */
  const loseReplyTo = async (browser: SimulatedBrowser, run: () => void) => {
    luck = 0.1
    world.isCalm = false
    run()
    await world.pass(200)
    luck = 0.5
    world.isCalm = true
    browser.goOnline(false)
    // Meanwhile the page gives up.
    await world.pass(30_000)
  }
  return { world, one, other, loseReplyTo }
}

const queueOf = ({ page }: SimulatedBrowser) => page.engine.mutationQueue.get()

/** The person changes a task, and cannot send it for so long that it waits for them. */
async function leaveUnsaved(world: SimulatedWorld, browser: SimulatedBrowser, title: string) {
  browser.goOnline(false)
  browser.page.engine.changeTask('tsk_1', { title })
  await world.pass(13 * HOUR_MS)
  browser.goOnline(true)
  await world.pass(1_000)
  assert.deepEqual(
    queueOf(browser).map(({ state }) => state),
    ['unsaved'],
  )
}

test('a page whose storage is full sends what an earlier page has stored', async () => {
  const { world, one } = await createCalmWorld()
  one.goOnline(false)
  one.page.engine.addComment({ task_id: COMMENTED_TASK_ID, body: 'typed', parent_id: null })
  await world.pass(100)
  one.database.isFull = true
  await one.crash()
  await world.pass(100)
  assert.deepEqual(
    queueOf(one).map(({ state }) => state),
    ['waiting'],
  )
  one.goOnline(true)
  await world.pass(1_000)
  assert.deepEqual(
    [...world.server.records.comments.values()].map(({ body }) => body),
    ['typed'],
  )
})

test('shows what others change below a change that waits for the person', async () => {
  const { world, one, other } = await createCalmWorld()
  await leaveUnsaved(world, one, 'mine')
  other.page.engine.changeTask('tsk_1', { description: 'theirs' })
  await world.pass(10_000)
  const shown = one.page.engine.getCachedTask('tsk_1')
  assert.deepEqual([shown?.title, shown?.description], ['mine', 'theirs'])
})

test('asks about what somebody else has set below a discarded change', async () => {
  const { world, one, other } = await createCalmWorld()
  await leaveUnsaved(world, one, 'mine')
  other.page.engine.changeTask('tsk_1', { title: 'theirs' })
  await world.pass(10_000)
  one.page.engine.changeTask('tsk_1', { title: 'newer' })
  void one.page.engine.mutationLog.discard(queueOf(one)[0]?.key ?? '')
  await world.pass(60_000)
  // The person has merged both.
  assert.equal(world.server.tasks.get('tsk_1')?.title, 'newer & theirs')
})

test('reads comments again for each change that the feed tells of', async () => {
  const { world, one } = await createCalmWorld()
  const { records } = world.server
  records.putComment({ id: 'cmt_1', task_id: COMMENTED_TASK_ID, body: 'short-lived' }, world.now)
  one.page.catchUp()
  await world.pass(4_000)
  assert.equal(one.page.comments.length, 1)
  records.delete('cmt_1')
  one.page.catchUp()
  await world.pass(4_000)
  assert.deepEqual(one.page.comments, [])
})

test('says that no timer was started on a task that was discarded', async () => {
  const { world, one } = await createCalmWorld()
  one.goOnline(false)
  one.createTask('unwanted')
  const task = one.page.engine.getCachedTasks().find(({ title }) => title === 'unwanted')
  assert.ok(task)
  one.page.engine.startTimer(task)
  await world.pass(100)
  void one.page.engine.mutationLog.discard(queueOf(one)[0]?.key ?? '')
  await world.pass(100)
  one.goOnline(true)
  await world.pass(1_000)
  assert.equal(one.messages.length, 1)
})

/** Changes many tasks and lets the message about it offer to undo that. */
function setStatus({ page }: SimulatedBrowser, numbers: readonly number[], status: string) {
  const { changeTasksInBulk } = page.engine
  const command = { kind: 'patch', patch: { status } } as const
  const targets = [{ project_id: PROJECT.id, numbers, command }]
  return changeTasksInBulk({ targets, label: 'Many', onRejected: () => undefined })
}

test('sends a change of many that has waited overnight only when the person asks', async () => {
  const { world, one } = await createCalmWorld()
  one.page.engine.changeTask('tsk_1', { title: 'mine' })
  await world.pass(20)
  // The first change cannot be sent, and the other one waits for it.
  world.server.refuse(queueOf(one)[0]?.key ?? '', 503)
  setStatus(one, [1], 'done')
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

test('sends changes of many tasks in their order if a task is loaded between them', async () => {
  const { world, one } = await createCalmWorld()
  world.server.tasks.create({ title: 'second' }, world.now)
  one.goOnline(false)
  setStatus(one, [1, 2], 'doing')
  one.page.engine.putTasks(world.server.tasks.all)
  setStatus(one, [2], 'done')
  one.goOnline(true)
  await world.pass(10_000)
  assert.deepEqual(queueOf(one), [])
  assert.deepEqual(
    world.server.tasks.all.map(({ status }) => status),
    ['doing', 'done'],
  )
})

test('reads a task again that an earlier page has changed', async () => {
  const { world, one, other } = await createCalmWorld()
  await leaveUnsaved(world, one, 'mine')
  other.page.engine.changeTask('tsk_1', { description: 'theirs' })
  one.goOnline(false)
  await world.pass(1_000)
  await one.crash()
  one.goOnline(true)
  await world.pass(10_000)
  const shown = one.page.engine.getCachedTask('tsk_1')
  assert.deepEqual([shown?.title, shown?.description], ['mine', 'theirs'])
})

test('takes away a task that somebody has deleted before a change of many', async () => {
  const { world, one } = await createCalmWorld()
  world.server.tasks.create({ title: 'second' }, world.now)
  one.page.engine.putTasks(world.server.tasks.all)
  world.server.tasks.delete('tsk_2')
  setStatus(one, [1, 2], 'done')
  await world.pass(10_000)
  assert.equal(one.page.engine.getCachedTask('tsk_2'), undefined)
})

test('undoes nothing if the person has chosen the change of somebody else', async () => {
  const { world, one, other } = await createCalmWorld()
  one.goOnline(false)
  one.page.engine.changeTask('tsk_1', { title: 'mine' }, { label: 'Renamed' })
  other.page.engine.changeTask('tsk_1', { title: 'theirs' })
  await world.pass(1_000)
  one.goOnline(true)
  await world.pass(2_000)
  const conflict = one.page.engine.getTaskConflict('tsk_1')
  assert.ok(conflict)
  one.page.engine.discardLocalChange('tsk_1', conflict.change)
  await world.pass(100)
  one.page.engine.undoToast(one.page.engine.toasts.get().find(({ undo }) => undo)?.id ?? 0)
  await world.pass(10_000)
  assert.equal(world.server.tasks.get('tsk_1')?.title, 'theirs')
})

test('shows no task that was deleted before the reply to its creation is repeated', async () => {
  const { world, one } = await createCalmWorld()
  one.createTask('short-lived')
  while (world.server.tasks.all.length < 2) await world.pass(10)
  await one.crash()
  world.server.tasks.delete('tsk_2')
  await world.pass(10_000)
  assert.deepEqual(
    one.page.engine.getCachedTasks().map(({ id }) => id),
    ['tsk_1'],
  )
})

test('shows no task that was deleted before the reply to a change of many is repeated', async () => {
  const { world, one, loseReplyTo } = await createCalmWorld()
  one.page.catchUp()
  await loseReplyTo(one, () => setStatus(one, [1], 'done'))
  assert.equal(world.server.tasks.get('tsk_1')?.status, 'done')
  world.server.tasks.delete('tsk_1')
  one.isOnline = true
  one.page.catchUp()
  one.goOnline(true)
  await world.pass(10_000)
  assert.deepEqual(queueOf(one), [])
  assert.deepEqual(one.page.engine.getCachedTasks(), [])
})

test('changes nothing in a change of many that an earlier one has hidden', async () => {
  const { world, one, other } = await createCalmWorld()
  one.goOnline(false)
  one.page.engine.changeTask('tsk_1', { status: 'doing' })
  other.page.engine.changeTask('tsk_1', { status: 'canceled' })
  await world.pass(1_000)
  one.goOnline(true)
  await world.pass(2_000)
  setStatus(one, [1], 'done')
  await world.pass(100)
  const conflict = one.page.engine.getTaskConflict('tsk_1')
  assert.ok(conflict)
  one.page.engine.discardLocalChange('tsk_1', conflict.change)
  await world.pass(10_000)
  assert.equal(world.server.tasks.get('tsk_1')?.status, 'canceled')
})

test('asks about a comment that somebody else has changed below an unsaved edit', async () => {
  const { world, one } = await createCalmWorld()
  const { records } = world.server
  const fields = { id: 'cmt_1', task_id: COMMENTED_TASK_ID }
  records.putComment({ ...fields, body: 'first' }, world.now)
  one.page.catchUp()
  await world.pass(4_000)
  const edit = (body: string) => {
    const comment = one.page.shownComments.at(0)
    assert.ok(comment)
    one.page.engine.updateCommentText(comment, body)
  }
  one.goOnline(false)
  edit('mine')
  await world.pass(13 * HOUR_MS)
  records.putComment({ ...fields, body: 'theirs' }, world.now)
  one.goOnline(true)
  one.page.catchUp()
  await world.pass(10_000)
  assert.equal(one.page.shownComments[0]?.body, 'mine')
  edit('newer')
  void one.page.engine.mutationLog.discard(queueOf(one)[0]?.key ?? '')
  await world.pass(10_000)
  assert.equal(records.comments.get('cmt_1')?.body, 'theirs')
  assert.deepEqual(
    queueOf(one).map(({ refusal }) => refusal?.text),
    ['newer'],
  )
})
