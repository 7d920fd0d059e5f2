import type { BulkCommand } from '../../../web/src/data/tasks/bulk-command.ts'
import type { SimulatedBrowser } from './simulated-browser.ts'
import {
  deleteSomeComment,
  deleteSomeTimeEntry,
  editSomeComment,
  editSomeTimeEntry,
  logWork,
  markNotification,
  writeComment,
} from './simulated-record-actions.ts'
import { COMMENTED_TASK_ID } from './simulated-records.ts'
import { KEY_TTL_MS } from './simulated-server.ts'
import { PROJECT, toTaskId } from './simulated-tasks.ts'
import type { SimulatedWorld } from './simulated-world.ts'

const HOUR_MS = 60 * 60 * 1000
/** The person's answer holds for a while, and the server must still know the key then. */
const MAX_RETRY_AGE_MS = KEY_TTL_MS - HOUR_MS

const STATUSES = PROJECT.statuses.map(({ key }) => key)

type Action = (browser: SimulatedBrowser, world: SimulatedWorld) => void | Promise<void>

/** What people do and what happens to their browsers, with how often it does. */
const ACTIONS: readonly (readonly [weight: number, action: Action])[] = [
  [10, createTask],
  [30, editTask],
  [8, changeMany],
  [3, deleteTask],
  [6, writeComment],
  [4, deleteSomeComment],
  [4, useTimer],
  [4, logWork],
  [8, editSomeComment],
  [8, editSomeTimeEntry],
  [2, deleteSomeTimeEntry],
  [4, markNotification],
  [6, (browser) => browser.goOnline(false)],
  [10, (browser) => browser.goOnline(true)],
  [6, (browser) => browser.crash()],
  [2, (browser) => browser.reload()],
  [4, ({ database }) => database.toggleFull()],
  [3, setClock],
  [5, ({ page }) => page.catchUp()],
  [3, retry],
  [2, discard],
  [24, undo],
]

/** Lets a person do something at random, or lets something happen to their browser. */
export async function act(browser: SimulatedBrowser, world: SimulatedWorld): Promise<void> {
  if (!browser.page.isOpen) return
  browser.page.look()
  let rest = world.random() * ACTIONS.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, action] of ACTIONS) {
    rest -= weight
    if (rest < 0) return action(browser, world)
  }
}

function createTask(browser: SimulatedBrowser, world: SimulatedWorld): void {
  browser.createTask(`new ${world.nextSerial()}`)
}

function editTask({ page }: SimulatedBrowser, world: SimulatedWorld): void {
  const id = world.pick(page.engine.getCachedTasks())?.id
  const serial = world.nextSerial()
  const patch = world.pick([
    { title: `title ${serial}` },
    { title: `title ${serial}` },
    { description: `description ${serial}` },
    { add_tag_ids: [`tag ${serial}`] },
    { status: world.pick(STATUSES) ?? '' },
  ])
  const options = world.random() < 0.5 ? { label: `Change ${serial}` } : {}
  if (id !== undefined && patch) page.engine.changeTask(id, patch, options)
}

/** Some of the tasks are not loaded, and some of them may be gone. */
function changeMany(browser: SimulatedBrowser, world: SimulatedWorld): void {
  const { changeTasksInBulk, showToast } = browser.page.engine
  const all = world.server.tasks.all.map(({ number }) => number)
  const numbers = all.filter(() => world.random() < 0.5)
  const status = world.pick(STATUSES) ?? ''
  const command = world.pick<BulkCommand>([
    { kind: 'patch', patch: { status } },
    { kind: 'patch', patch: { status } },
    { kind: 'patch', patch: { priority: world.pick(['low', 'high'] as const) ?? 'none' } },
    { kind: 'patch', patch: { add_tag_ids: [`tag ${world.nextSerial()}`] } },
    { kind: 'complete', status: 'done' },
    { kind: 'delete' },
  ])
  // Everybody else's comments and timers are on the first tasks.
  const targets = command?.kind === 'delete' ? numbers.slice(-1).filter(isDeletable) : numbers
  if (!command || targets.length === 0) return
  const { undo } = changeTasksInBulk({
    targets: [{ project_id: PROJECT.id, numbers: targets, command }],
    label: 'Many',
    onRejected: (refused) =>
      refused.forEach(({ short_id }) => {
        browser.messages.push({ at: world.now, text: short_id })
      }),
  })
  showToast({ text: 'Many', undo })
}

const isDeletable = (number: number): boolean => toTaskId(number) !== COMMENTED_TASK_ID

function deleteTask({ page }: SimulatedBrowser, world: SimulatedWorld): void {
  const task = world.pick(page.engine.getCachedTasks().filter(({ number }) => isDeletable(number)))
  if (task) page.engine.deleteTaskWithUndo(task.id, { label: `Deleted ${task.short_id}` })
}

function useTimer({ page }: SimulatedBrowser, world: SimulatedWorld): void {
  const { getCachedTasks, getRunningTimer, startTimer, stopTimer } = page.engine
  const isStop = getRunningTimer() && world.random() < 0.4
  const task = world.pick(getCachedTasks())
  if (!isStop && task) startTimer(task)
  if (isStop || world.random() < 0.5) stopTimer()
}

function setClock(browser: SimulatedBrowser, world: SimulatedWorld): void {
  browser.clockError = (world.random() - 0.5) * 12 * HOUR_MS
}

/** After 24 hours the server has forgotten the key, and a retry may apply the write twice. */
function retry({ page }: SimulatedBrowser, world: SimulatedWorld): void {
  const key = pickUnsaved(page, world)
  const intention = world.intentions.get(key)
  if (!intention || world.now - intention.madeAt > MAX_RETRY_AGE_MS) return
  world.asked.add(key)
  page.lookAtConflict(key, intention.seen)
  page.engine.mutationLog.retry(key)
}

function discard({ page }: SimulatedBrowser, world: SimulatedWorld): void {
  const key = pickUnsaved(page, world)
  const intention = world.intentions.get(key)
  if (!intention) return
  intention.isDiscarded = true
  void page.engine.mutationLog.discard(key)
}

function pickUnsaved({ engine }: SimulatedBrowser['page'], world: SimulatedWorld): string {
  const unsaved = engine.mutationQueue.get().filter(({ state }) => state === 'unsaved')
  return world.pick(unsaved)?.key ?? ''
}

/** The person undoes what a message is about. What was not sent yet, or is refused, is then never sent. */
function undo(browser: SimulatedBrowser, world: SimulatedWorld): void {
  // They may have seen what somebody else has changed since.
  if (world.random() < 0.5) browser.page.catchUp()
  const { mutationQueue, toasts, undoToast } = browser.page.engine
  const toast = world.pick(toasts.get().filter((one) => one.undo))
  if (!toast) return
  const conflicts = findConflicts(browser)
  const unsent = mutationQueue.get().filter(({ maybeSent, refusal }) => !maybeSent || refusal)
  world.intentions.isUndoing = true
  undoToast(toast.id)
  world.intentions.isUndoing = false
  for (const key of conflicts.difference(findConflicts(browser))) browser.dropped.add(key)
  const left = new Set(mutationQueue.get().map(({ key }) => key))
  for (const { key } of unsent) {
    const intention = world.intentions.get(key)
    if (!intention || left.has(key)) continue
    intention.isDiscarded = true
    browser.cancelledAt.set(key, world.now)
  }
}

const findConflicts = ({ page: { engine } }: SimulatedBrowser): Set<string> =>
  new Set([...engine.cachedTaskIds()].flatMap((id) => engine.getTaskConflict(id)?.change.key ?? []))
