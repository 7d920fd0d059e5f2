import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS } from '#lib/durations.ts'
import { createCalmWorld, ENDED_SESSION, leaveUnsaved, queueOf } from './calm-world.ts'
import type { SimulatedBrowser } from './simulated-browser.ts'
import type { SimulatedPage } from './simulated-page.ts'
import { COMMENTED_TASK_ID } from './simulated-records.ts'
import type { SimulatedWorld } from './simulated-world.ts'

/** Somebody else has changed the field that the person changes offline. */
async function beginConflict(world: SimulatedWorld, one: SimulatedBrowser): Promise<void> {
  one.goOnline(false)
  one.page.engine.changeTask('tsk_1', { title: 'mine' })
  const task = world.server.tasks.get('tsk_1')
  assert.ok(task)
  world.server.tasks.change(task, { title: 'theirs' }, 'another', world.now)
  one.goOnline(true)
  await world.pass(1_000)
  assert.ok(one.page.engine.getTaskConflict('tsk_1'))
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

function undoLatest({ page: { engine } }: SimulatedBrowser): void {
  const message = engine.findUndoable()
  if (message) engine.reverse(message)
}

function redoLatest({ page: { engine } }: SimulatedBrowser): void {
  const message = engine.findRedoable()
  if (message) engine.reverse(message)
}

test('undoes and redoes the changes of a session one after the other, after their messages', async () => {
  const { world, one } = await createCalmWorld()
  const { changeTask } = one.page.engine
  for (const title of ['second', 'third']) {
    changeTask('tsk_1', { title }, { label: title })
    await world.pass(60_000)
  }
  const checkStep = async (step: typeof undoLatest, title: string) => {
    step(one)
    await world.pass(60_000)
    assert.equal(world.server.tasks.get('tsk_1')?.title, title)
  }
  await checkStep(undoLatest, 'second')
  await checkStep(undoLatest, 'first')
  await checkStep(undoLatest, 'first')
  await checkStep(redoLatest, 'second')
  await checkStep(redoLatest, 'third')
  await checkStep(redoLatest, 'third')
  await checkStep(undoLatest, 'second')
  // Another change takes the place of what was undone.
  changeTask('tsk_1', { title: 'fourth' }, { label: 'fourth' })
  await world.pass(60_000)
  await checkStep(redoLatest, 'fourth')
})

test('redoes the change that was undone last, and not one that another has replaced', async () => {
  const { world, one } = await createCalmWorld()
  const { changeTask } = one.page.engine
  changeTask('tsk_1', { title: 'replaced' }, { label: 'replaced' })
  await world.pass(60_000)
  undoLatest(one)
  await world.pass(60_000)
  changeTask('tsk_1', { title: 'second' }, { label: 'second' })
  await world.pass(60_000)
  undoLatest(one)
  await world.pass(60_000)
  for (let count = 0; count < 2; count++) {
    redoLatest(one)
    await world.pass(60_000)
    assert.equal(world.server.tasks.get('tsk_1')?.title, 'second')
  }
})

test('leaves what somebody else has set when an undo or a redo long after the change would replace it', async () => {
  for (const isRedo of [false, true]) {
    const { world, one, other } = await createCalmWorld()
    one.page.engine.changeTask('tsk_1', { title: 'mine' }, { label: 'Renamed' })
    await world.pass(60_000)
    if (isRedo) undoLatest(one)
    await world.pass(60_000)
    other.page.engine.changeTask('tsk_1', { title: 'theirs' })
    await world.pass(60_000)
    if (isRedo) redoLatest(one)
    else undoLatest(one)
    await world.pass(2_000)
    assert.equal(world.server.tasks.get('tsk_1')?.title, 'theirs')
    assert.equal(one.page.engine.getCachedTask('tsk_1')?.title, 'theirs')
    assert.equal(one.messages.at(-1)?.text, 'Changed since, and left as it is: ENG-1.')
  }
})

test('asks before the redo of a change that was never sent overwrites somebody else', async () => {
  const { world, one, other } = await createCalmWorld()
  one.goOnline(false)
  one.page.engine.changeTask('tsk_1', { title: 'mine' }, { label: 'Renamed' })
  undoLatest(one)
  other.page.engine.changeTask('tsk_1', { title: 'theirs' })
  await world.pass(1_000)
  one.goOnline(true)
  one.page.catchUp()
  redoLatest(one)
  await world.pass(2_000)
  assert.equal(one.page.engine.getTaskConflict('tsk_1')?.theirs.title, 'theirs')
})

test('undoes a change that was acknowledged before the page ended', async () => {
  const { world, one } = await createCalmWorld()
  one.page.engine.changeTask('tsk_1', { title: 'mine' }, { label: 'Renamed' })
  await world.pass(20)
  undoLatest(one)
  // The reply to the change still arrives, and nothing more is sent.
  one.goOnline(false)
  await world.pass(2_000)
  assert.deepEqual(
    queueOf(one).map(({ payload }) => payload.kind),
    ['undo'],
  )
  await one.crash()
  one.goOnline(true)
  await world.pass(10_000)
  assert.equal(world.server.tasks.get('tsk_1')?.title, 'first')
  assert.deepEqual(queueOf(one), [])
})

test('restores and deletes a task again, also before the server has answered', async () => {
  const { world, one } = await createCalmWorld()
  one.page.engine.deleteTaskWithUndo('tsk_1', { label: 'Deleted' })
  await world.pass(60_000)
  assert.equal(world.server.tasks.get('tsk_1'), undefined)
  undoLatest(one)
  redoLatest(one)
  await world.pass(60_000)
  assert.equal(world.server.tasks.get('tsk_1'), undefined)
  undoLatest(one)
  await world.pass(60_000)
  assert.ok(world.server.tasks.get('tsk_1'))
  assert.ok(one.page.engine.getCachedTask('tsk_1'))
})

test('shows a task that was restored, although a refused change of it is discarded', async () => {
  const { world, one, other } = await createCalmWorld()
  one.goOnline(false)
  one.page.engine.changeTask('tsk_1', { title: 'mine' })
  other.page.engine.deleteTaskWithUndo('tsk_1', { label: 'Deleted' })
  await world.pass(1_000)
  one.goOnline(true)
  await world.pass(3_000)
  const [refused] = queueOf(one)
  assert.equal(refused?.refusal?.text, 'mine')
  undoLatest(other)
  await world.pass(20_000)
  assert.ok(world.server.tasks.get('tsk_1'))
  void one.page.engine.mutationLog.discard(refused.key)
  await world.pass(10_000)
  assert.equal(one.page.engine.getCachedTask('tsk_1')?.title, 'first')
})

test('shows comments as the feed tells of them, with own changes on top, and reads nothing', async () => {
  const { world, one } = await createCalmWorld()
  const { records } = world.server
  const comment = { id: 'cmt_1', task_id: COMMENTED_TASK_ID, body: 'short-lived' }
  records.putComment(comment, world.now)
  const bodies = () => one.page.shownComments.map(({ body }) => body)
  one.page.catchUp()
  assert.deepEqual(bodies(), ['short-lived'])
  one.goOnline(false)
  const [shown] = one.page.shownComments
  assert.ok(shown)
  one.page.engine.updateCommentText(shown, 'mine')
  assert.deepEqual(bodies(), ['mine'])
  one.page.engine.deleteCommentWithUndo(shown)
  assert.deepEqual(bodies(), [])
  undoLatest(one)
  assert.deepEqual(bodies(), ['mine'])
  one.goOnline(true)
  await world.pass(4_000)
  assert.equal(records.comments.get('cmt_1')?.body, 'mine')
  records.delete('cmt_1')
  one.page.catchUp()
  assert.deepEqual(one.page.comments, [])
})

test('shows comments and times without a network that an earlier page has not read, but was told of', async () => {
  const { world, one } = await createCalmWorld()
  const { records } = world.server
  const comment = { id: 'cmt_1', task_id: COMMENTED_TASK_ID, body: 'told' }
  records.putComment(comment, world.now)
  one.page.catchUp()
  one.page.engine.logTime(
    COMMENTED_TASK_ID,
    { spent_on: '2030-01-01', duration_seconds: 600, billable: false, note: 'work' },
    'work',
  )
  await world.pass(10_000)
  one.goOnline(false)
  await one.crash()
  await world.pass(2_000)
  assert.deepEqual(
    one.page.comments.map(({ body }) => body),
    ['told'],
  )
  assert.deepEqual(
    one.page.timeEntries.map(({ note }) => note),
    ['work'],
  )
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

test('reads a task again that an earlier page has changed', async () => {
  const { world, one, other } = await createCalmWorld()
  await leaveUnsaved(world, one, 'mine')
  other.page.engine.changeTask('tsk_1', { estimate_seconds: 60 })
  one.goOnline(false)
  await world.pass(1_000)
  await one.crash()
  one.goOnline(true)
  await world.pass(10_000)
  const shown = one.page.engine.getCachedTask('tsk_1')
  assert.deepEqual([shown?.title, shown?.estimate_seconds], ['mine', 60])
})

test('reads a task again once the person has signed in again', async () => {
  const { world, one, other, passWith } = await createCalmWorld()
  await leaveUnsaved(world, one, 'mine')
  other.page.engine.changeTask('tsk_1', { estimate_seconds: 60 })
  one.goOnline(false)
  await world.pass(1_000)
  await one.crash()
  one.goOnline(true)
  await passWith(ENDED_SESSION, 1_000)
  assert.equal(one.page.engine.hasSessionEnded.get(), true)
  await world.pass(10_000)
  const shown = one.page.engine.getCachedTask('tsk_1')
  assert.deepEqual([shown?.title, shown?.estimate_seconds], ['mine', 60])
})

test('keeps the text of a change whose task somebody has deleted, and does not show the task', async () => {
  const { world, one } = await createCalmWorld()
  one.goOnline(false)
  one.page.engine.changeTask('tsk_1', { title: 'mine' })
  await world.pass(100)
  world.server.tasks.delete('tsk_1')
  await one.crash()
  one.goOnline(true)
  await world.pass(10_000)
  assert.deepEqual(
    queueOf(one).map(({ refusal }) => refusal?.text),
    ['mine'],
  )
  assert.deepEqual(one.page.engine.getCachedTasks(), [])
})

test('shows a task that was restored before the reply to its deletion is repeated', async () => {
  const { world, one, loseReplyTo, reconnect } = await createCalmWorld()
  await loseReplyTo(one, () => one.page.engine.deleteTaskWithUndo('tsk_1'))
  assert.ok(world.server.tasks.restore('tsk_1', world.now))
  await reconnect(one)
  assert.ok(one.page.engine.getCachedTask('tsk_1'))
})

test('asks before the undo of a refused change overwrites somebody else', async () => {
  const { world, one, other } = await createCalmWorld()
  one.goOnline(false)
  one.page.engine.changeTask('tsk_1', { estimate_seconds: 60 }, { label: 'Estimated' })
  other.page.engine.changeTask('tsk_1', { estimate_seconds: 120 })
  await world.pass(1_000)
  one.goOnline(true)
  await world.pass(2_000)
  const conflict = one.page.engine.getTaskConflict('tsk_1')
  assert.ok(conflict)
  world.server.refuse(conflict.change.key, 422)
  one.page.engine.keepLocalChange('tsk_1', conflict.change, conflict.theirs)
  await world.pass(20)
  undoLatest(one)
  await world.pass(2_000)
  assert.equal(world.server.tasks.get('tsk_1')?.estimate_seconds, 120)
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
  one.page.engine.discardLocalChange('tsk_1')
  await world.pass(100)
  undoLatest(one)
  await world.pass(10_000)
  assert.equal(world.server.tasks.get('tsk_1')?.title, 'theirs')
})

test('shows no task that was deleted before the reply to its creation is repeated', async () => {
  const { world, one } = await createCalmWorld()
  one.createTask('short-lived')
  while (world.server.tasks.all.length < 2) await world.pass(10)
  await one.crash()
  world.server.tasks.delete(world.server.tasks.idOf(2))
  await world.pass(10_000)
  assert.deepEqual(
    one.page.engine.getCachedTasks().map(({ id }) => id),
    ['tsk_1'],
  )
})

test('shows no task that is deleted while the changes of its project are read', async () => {
  const { world, one } = await createCalmWorld()
  const { tasks } = world.server
  for (let count = 0; count < 3; count++) tasks.create({ title: 'more' }, world.now)
  one.page.catchUp()
  for (const task of tasks.all) tasks.change(task, { priority: 'high' }, '', world.now)
  one.page.loseStream()
  // The first reply has three of the changes.
  await world.pass(150)
  tasks.delete('tsk_1')
  await world.pass(10_000)
  assert.deepEqual(
    one.page.engine.getCachedTasks().map(({ id, priority }) => [id, priority]),
    [2, 3, 4].map((number) => [tasks.idOf(number), 'high']),
  )
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

test('asks nothing about a change that was made on top of a discarded one', async () => {
  const { world, one } = await createCalmWorld()
  await leaveUnsaved(world, one, 'mine')
  one.page.engine.changeTask('tsk_1', { title: 'newer' })
  void one.page.engine.mutationLog.discard(queueOf(one)[0]?.key ?? '')
  await world.pass(2_000)
  assert.equal(one.page.engine.getTaskConflict('tsk_1'), undefined)
  assert.equal(world.server.tasks.get('tsk_1')?.title, 'newer')
  assert.deepEqual(queueOf(one), [])
})

test('asks nothing about an applied change whose field somebody else has set since', async () => {
  const { world, one, other, loseReplyTo, reconnect } = await createCalmWorld()
  await loseReplyTo(one, () => one.page.engine.changeTask('tsk_1', { title: 'mine' }))
  assert.equal(world.server.tasks.get('tsk_1')?.title, 'mine')
  other.page.catchUp()
  other.page.engine.changeTask('tsk_1', { title: 'theirs' })
  await world.pass(1_000)
  await reconnect(one)
  assert.equal(world.server.tasks.get('tsk_1')?.title, 'theirs')
  assert.equal(one.page.engine.getCachedTask('tsk_1')?.title, 'theirs')
})

/** The person opens so many other projects that the page keeps the first one only if it needs it. */
async function openOtherProjects(world: SimulatedWorld, { page }: SimulatedBrowser) {
  for (const id of ['prj_2', 'prj_3', 'prj_4']) {
    page.engine.holdProject(id)
    await world.pass(100)
  }
}

test('a conflict waits for the person while they open other projects', async () => {
  const { world, one } = await createCalmWorld()
  const { engine } = one.page
  const scopes = () => [...engine.taskReplica.scopeNames]
  await beginConflict(world, one)
  await openOtherProjects(world, one)
  assert.deepEqual(engine.getTaskConflict('tsk_1')?.change.patch, { title: 'mine' })
  assert.deepEqual(scopes(), ['prj_1', 'prj_2', 'prj_3', 'prj_4'])
  await world.pass(60_000)
  // The person has merged both, and nothing needs the first project any more.
  assert.equal(world.server.tasks.get('tsk_1')?.title, 'mine & theirs')
  assert.deepEqual(scopes(), ['prj_2', 'prj_3', 'prj_4'])
})

test('a conflict waits for the person when the page releases its project all the same', async () => {
  const { world, one } = await createCalmWorld()
  const { engine } = one.page
  await beginConflict(world, one)
  engine.taskReplica.release('prj_1')
  await world.pass(2_000)
  assert.deepEqual(engine.getTaskConflict('tsk_1')?.change.patch, { title: 'mine' })
  await world.pass(60_000)
  assert.equal(world.server.tasks.get('tsk_1')?.title, 'mine & theirs')
})

test('holds no more projects than before once another history has begun', async () => {
  const { world, one } = await createCalmWorld()
  const { taskReplica } = one.page.engine
  taskReplica.follow({ history: 'another', after: 9, n: 9, changes: [] })
  await openOtherProjects(world, one)
  assert.deepEqual([...taskReplica.scopeNames], ['prj_2', 'prj_3', 'prj_4'])
})

for (const [absence, endTask, reason] of [
  [
    'deleted',
    () => undefined,
    'it was moved to a project that you cannot see, or deleted for good.',
  ],
  [
    'of a project that the person does not see any more',
    ({ engine: { bootState } }: SimulatedPage) => {
      const boot = bootState.get()
      if (boot) bootState.set({ ...boot, projects: [] })
    },
    'its project was deleted, or you no longer have access to it.',
  ],
] as const)
  test(`says why a conflict has ended whose task is ${absence}`, async () => {
    const { world, one } = await createCalmWorld()
    await beginConflict(world, one)
    endTask(one.page)
    world.server.tasks.delete('tsk_1')
    one.page.catchUp()
    await world.pass(2_000)
    const [waiting] = queueOf(one)
    assert.deepEqual(waiting?.refusal, { reason, text: 'mine' })
  })

test('undoes a change whose project the page has released since', async () => {
  const { world, one } = await createCalmWorld()
  const { engine } = one.page
  const made = engine.changeTask('tsk_1', { title: 'mine' })
  assert.ok(made)
  await world.pass(2_000)
  await openOtherProjects(world, one)
  assert.equal(engine.getCachedTask('tsk_1'), undefined)
  engine.runReversal(made)
  await world.pass(2_000)
  assert.equal(world.server.tasks.get('tsk_1')?.title, 'first')
})
