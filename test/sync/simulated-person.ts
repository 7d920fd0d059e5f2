import { HOUR_MS } from '#lib/durations.ts'
import type { BulkCommand } from '../../web/src/data/tasks/bulk-command.ts'
import type { Task, TaskPatch } from '../../web/src/data/tasks/task-patch.ts'
import type { SimulatedBrowser } from './simulated-browser.ts'
import type { SimulatedPage } from './simulated-page.ts'
import {
  attachFile,
  cancelUpload,
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
import { PROJECT, pickOftenNew } from './simulated-tasks.ts'
import type { SimulatedWorld } from './simulated-world.ts'
import { changeTimerOnTwoDevices, startOrStopTimer } from './timers/timer-actions.ts'

/** The person's answer holds for a while, and the server must still know the key then. */
const MAX_RETRY_AGE_MS = KEY_TTL_MS - HOUR_MS

const STATUSES = PROJECT.statuses.map(({ key }) => key)
/** How many of the last intentions somebody may take up. */
const MAX_RECENT = 4

type Action = (browser: SimulatedBrowser, world: SimulatedWorld) => void | Promise<void>

/** What people do and what happens to their browsers, with how often it does. */
const ACTIONS: readonly (readonly [weight: number, action: Action])[] = [
  [10, createTask],
  [3, pasteTasks],
  [22, editTask],
  [20, changeSameField],
  [8, changeMany],
  [3, deleteTask],
  [6, writeComment],
  [4, deleteSomeComment],
  [6, startOrStopTimer],
  [4, changeTimerOnTwoDevices],
  [4, logWork],
  [8, editSomeComment],
  [8, editSomeTimeEntry],
  [2, deleteSomeTimeEntry],
  [4, markNotification],
  [4, attachFile],
  [2, cancelUpload],
  [6, (browser) => browser.goOnline(false)],
  [10, (browser) => browser.goOnline(true)],
  [8, (browser) => browser.crash()],
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

function pasteTasks(browser: SimulatedBrowser, world: SimulatedWorld): void {
  browser.createTasks([`new ${world.nextSerial()}`, `new ${world.nextSerial()}`])
}

function editTask({ page }: SimulatedBrowser, world: SimulatedWorld): void {
  const task = world.pick(page.engine.getCachedTasks())
  const serial = world.nextSerial()
  const patch = world.pick([
    { title: `title ${serial}` },
    { title: `title ${serial}` },
    { description: `description ${serial}` },
    { estimate_seconds: serial },
    { add_tag_ids: [`tag ${serial}`] },
    { status: world.pick(STATUSES) ?? '' },
  ])
  const options = world.random() < 0.5 ? { label: `Change ${serial}` } : {}
  if (!task || !patch) return
  if ('description' in patch && !hasDetails(task)) openTask(page, task)
  else page.engine.changeTask(task.id, patch, options)
}

/** A row of a list has no description. */
const hasDetails = ({ description }: Task): boolean => description !== undefined

/** The person opens a task, which reads what a list does not show. */
const openTask = ({ engine }: SimulatedPage, { id }: Task): void =>
  void engine.fetchTask(id).catch(() => undefined)

interface MadeChange {
  id: string
  patch: TaskPatch
  author: SimulatedBrowser
}

const getRecentChanges = ({ intentions }: SimulatedWorld): MadeChange[] =>
  intentions.all
    .slice(-MAX_RECENT)
    .flatMap(({ payload, browser: author }) =>
      intentions.getTaskPatches(payload).map((change) => ({ ...change, author })),
    )

/** What others have set below these may not be on the screen. */
const getUnsentChanges = (author: SimulatedBrowser): MadeChange[] =>
  author.page.engine
    .getCachedTasks()
    .flatMap(({ id }) =>
      author.page.engine.getPendingChanges(id).map(({ patch }) => ({ id, patch, author })),
    )

/** Changes what the person or somebody else has just changed, of which they may not know. */
async function changeSameField(browser: SimulatedBrowser, world: SimulatedWorld): Promise<void> {
  if (world.random() < 0.5) browser.page.catchUp()
  browser.page.look()
  const changes = world.random() < 0.5 ? getUnsentChanges(browser) : getRecentChanges(world)
  const { id = '', patch = {}, author = browser } = world.pick(changes) ?? {}
  const task = browser.page.engine.getCachedTask(id)
  const [name = ''] = Object.keys(patch)
  const serial = world.nextSerial()
  const value: TaskPatch | undefined = {
    title: { title: `title ${serial}` },
    description: { description: `description ${serial}` },
    estimate_seconds: { estimate_seconds: serial },
    status: { status: world.pick(STATUSES) ?? '' },
  }[name]
  if (!task || !value || ('description' in value && !hasDetails(task))) return
  if (world.random() < 0.5) browser.page.engine.changeTask(id, value, { label: `Change ${serial}` })
  else changeNumbers(browser, world, [task.number], { kind: 'patch', patch: value })
  // A later page has both, of which the second one may be made on top of the first.
  if (author === browser && world.chance(0.3)) browser.crashSoon()
  if (author === browser || world.random() < 0.5) return
  await world.pass(world.random() * 1_000)
  if (author.page.isOpen) undo(author, world)
}

/** Somebody else may have deleted some of the tasks. */
async function changeMany(browser: SimulatedBrowser, world: SimulatedWorld): Promise<void> {
  const tasks = browser.page.engine
    .getCachedTasks()
    .filter(({ number }) => number > 0 && world.random() < 0.5)
  const status = world.pick(STATUSES) ?? ''
  const command = world.pick<BulkCommand>([
    { kind: 'patch', patch: { status } },
    { kind: 'patch', patch: { status } },
    { kind: 'patch', patch: { estimate_seconds: world.nextSerial() } },
    { kind: 'patch', patch: { add_tag_ids: [`tag ${world.nextSerial()}`] } },
    { kind: 'complete', status: 'done' },
    { kind: 'delete' },
  ])
  // Everybody else's comments and timers are on the first tasks.
  const targets = command?.kind === 'delete' ? tasks.slice(-1).filter(isDeletable) : tasks
  const id = world.pick(targets)?.id
  if (!command || id === undefined) return
  // The change of many waits for this one.
  if (world.random() < 0.3)
    browser.page.engine.changeTask(id, { title: `title ${world.nextSerial()}` })
  const numbers = targets.map(({ number }) => number)
  changeNumbers(browser, world, numbers, command)
  // The person closes the computer while this is sent, or waits for an earlier change.
  if (world.chance(0.15)) await browser.sleepAfter(world.random() * 500)
}

function changeNumbers(
  browser: SimulatedBrowser,
  world: SimulatedWorld,
  numbers: readonly number[],
  command: BulkCommand,
): void {
  const { changeTasksInBulk, showToast } = browser.page.engine
  const { undo } = changeTasksInBulk({
    targets: [{ project_id: PROJECT.id, numbers, command }],
    label: 'Many',
    onRejected: (refused) =>
      refused.forEach(({ short_id }) => {
        browser.messages.push({ at: world.now, text: short_id })
      }),
  })
  showToast({ text: 'Many', undo })
}

const isDeletable = ({ id }: { id: string }): boolean => id !== COMMENTED_TASK_ID

function deleteTask({ page }: SimulatedBrowser, world: SimulatedWorld): void {
  const tasks = page.engine.getCachedTasks().filter(isDeletable)
  const task = pickOftenNew(tasks, world)
  if (task) page.engine.deleteTaskWithUndo(task.id, { label: `Deleted ${task.short_id}` })
}

function setClock(browser: SimulatedBrowser, world: SimulatedWorld): void {
  browser.hasRightClock = false
  browser.clockError = (world.random() - 0.5) * 12 * HOUR_MS
}

function retry(browser: SimulatedBrowser, world: SimulatedWorld): void {
  retryMutation(pickUnsaved(browser, world), browser, world)
}

function discard(browser: SimulatedBrowser, world: SimulatedWorld): void {
  discardMutation(pickUnsaved(browser, world), browser, world)
}

/** Lets a person decide about all that could not be saved. */
export function decideAboutUnsaved(browser: SimulatedBrowser, world: SimulatedWorld): void {
  for (const key of getUnsavedKeys(browser)) {
    const decide = world.random() < 0.7 ? retryMutation : discardMutation
    decide(key, browser, world)
  }
}

/** After 24 hours the server has forgotten the key, and a retry may apply the write twice. */
function retryMutation(key: string, { page }: SimulatedBrowser, world: SimulatedWorld): void {
  const intention = world.intentions.get(key)
  if (!intention || world.now - intention.madeAt > MAX_RETRY_AGE_MS) return
  world.askedAt.set(key, world.now)
  page.lookAtConflict(key, intention.seen)
  page.engine.mutationLog.retry(key)
}

function discardMutation(key: string, { page }: SimulatedBrowser, world: SimulatedWorld): void {
  const intention = world.intentions.get(key)
  if (!intention) return
  intention.isDiscarded = true
  void page.engine.mutationLog.discard(key)
}

const pickUnsaved = (browser: SimulatedBrowser, world: SimulatedWorld): string =>
  world.pick(getUnsavedKeys(browser)) ?? ''

const getUnsavedKeys = ({ page: { engine } }: SimulatedBrowser): string[] =>
  engine.mutationQueue.get().flatMap(({ key, state }) => (state === 'unsaved' ? key : []))

/** The person undoes what a message is about, or redoes it, also when it is long gone. What was not sent yet, or is refused, is then never sent. */
function undo(browser: SimulatedBrowser, world: SimulatedWorld): void {
  // They may have seen what somebody else has changed since.
  if (world.random() < 0.5) browser.page.catchUp()
  const { messages, reverse } = browser.page.engine
  const message = world.pick(messages.get().filter(({ mode }) => mode !== 'final'))
  if (!message) return
  const conflicts = findConflicts(browser)
  world.intentions.isUndoing = true
  reverse(message)
  world.intentions.isUndoing = false
  for (const key of conflicts.difference(findConflicts(browser))) browser.dropped.add(key)
}

const findConflicts = ({ page: { engine } }: SimulatedBrowser): Set<string> =>
  new Set(engine.getCachedTasks().flatMap(({ id }) => engine.getTaskConflict(id)?.change.key ?? []))
