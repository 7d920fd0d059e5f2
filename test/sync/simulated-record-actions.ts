import type { markNotifications } from '#resources/notifications/internal.ts'
import type { SimulatedBrowser } from './simulated-browser.ts'
import { COMMENTED_TASK_ID } from './simulated-records.ts'
import type { SimulatedWorld } from './simulated-world.ts'

const MAX_TYPING_MS = 30_000

export function writeComment({ page }: SimulatedBrowser, world: SimulatedWorld): void {
  const body = `comment ${world.nextSerial()}`
  page.engine.addComment({ task_id: COMMENTED_TASK_ID, body, parent_id: null })
}

/** Everybody edits every comment, like its author who uses several browsers. */
export async function editSomeComment(
  browser: SimulatedBrowser,
  world: SimulatedWorld,
): Promise<void> {
  const { page } = browser
  if (world.random() < 0.8 && replaceUnsavedEdit(page, world)) return
  const comment = world.pick(page.shownComments)
  if (!comment) return
  const { updateCommentText } = page.engine
  const conflict = page.findCommentConflict(comment.id)
  if (conflict && world.random() < 0.5) {
    updateCommentText(conflict.base, `${conflict.patch.body} & ${conflict.base.body}`)
    return
  }
  const body = `edited ${world.nextSerial()}`
  if (world.chance(0.15)) {
    updateCommentText(comment, body)
    await browser.sleepAfter(world.random() * 20)
  } else type(page, world, () => updateCommentText(comment, body))
}

/** The person writes a text anew that could not be saved, and discards the first one. */
function replaceUnsavedEdit(page: SimulatedBrowser['page'], world: SimulatedWorld): boolean {
  const { mutationLog, mutationQueue, updateCommentText } = page.engine
  for (const { key, payload, state, refusal } of mutationQueue.get()) {
    if (payload.kind !== 'comment-edit' || state !== 'unsaved' || refusal) continue
    const comment = page.shownComments.find(({ id }) => id === payload.base.id)
    const intention = world.intentions.get(key)
    if (!comment || !intention) continue
    updateCommentText(comment, `edited ${world.nextSerial()}`)
    intention.isDiscarded = true
    void mutationLog.discard(key)
    return true
  }
  return false
}

/** Saves at once or later, when what is edited may have changed. */
function type(page: SimulatedBrowser['page'], world: SimulatedWorld, save: () => void): void {
  if (world.random() < 0.5) save()
  else
    world.after(world.random() * MAX_TYPING_MS, () => {
      if (!page.isOpen || world.isCalm) return
      page.look()
      save()
    })
}

export function deleteSomeComment({ page }: SimulatedBrowser, world: SimulatedWorld): void {
  const comment = world.pick(page.shownComments)
  if (comment) page.engine.deleteCommentWithUndo(comment)
}

export function logWork({ page }: SimulatedBrowser, world: SimulatedWorld): void {
  const note = `work ${world.nextSerial()}`
  const time = { spent_on: '2030-01-01', duration_seconds: 600, billable: false, note }
  page.engine.logTime(COMMENTED_TASK_ID, time, note)
}

/** Often one field after the other, before the server has replied. */
export function editSomeTimeEntry({ page }: SimulatedBrowser, world: SimulatedWorld): void {
  const entry = world.pick(page.shownTimeEntries.filter((one) => one.duration_seconds !== null))
  if (!entry) return
  const edit = () => {
    const base = page.shownTimeEntries.find(({ id }) => id === entry.id) ?? entry
    const serial = world.nextSerial()
    const patch = world.random() < 0.5 ? { note: `note ${serial}` } : { duration_seconds: serial }
    type(page, world, () => page.engine.editTimeEntry(base, patch, `time ${serial}`))
  }
  edit()
  if (world.random() < 0.5) edit()
}

export function deleteSomeTimeEntry({ page }: SimulatedBrowser, world: SimulatedWorld): void {
  const entry = world.pick(page.shownTimeEntries)
  if (entry) page.engine.deleteTimeEntryWithUndo(entry)
}

export function attachFile({ page }: SimulatedBrowser, world: SimulatedWorld): void {
  const names = world.random() < 0.5 ? ['shot'] : ['shot', 'log']
  const files = names.map((name) => new File(['text'], `${name} ${world.nextSerial()}`))
  void page.engine.uploadAttachments(COMMENTED_TASK_ID, files)
}

/** The person cancels an upload that has not ended, whatever it waits for. */
export function cancelUpload({ page }: SimulatedBrowser, world: SimulatedWorld): void {
  const { mutationLog, mutationQueue } = page.engine
  const isCancelable = ({ payload, state }: (typeof queue)[number]) =>
    payload.kind === 'upload' && state !== 'sending'
  const queue = mutationQueue.get()
  const upload = world.pick(queue.filter(isCancelable))
  const intention = upload && world.intentions.get(upload.key)
  if (!intention) return
  intention.isDiscarded = true
  void mutationLog.discard(intention.key)
}

/** A request that is stored with all that it needs. */
export function markNotification(browser: SimulatedBrowser, world: SimulatedWorld): void {
  const { page, messages } = browser
  const notification = world.pick(page.notifications)
  if (!notification) return
  page.engine.enqueueRecordMutation<typeof markNotifications>({
    queueKey: 'inbox',
    label: 'Inbox',
    queries: ['notifications'],
    address: 'PATCH /internal/notifications',
    sent: { body: { ids: [notification.id], done: world.random() < 0.5 } },
    onReply: page.refetchAll,
    onRejected: () => void messages.push({ at: world.now, text: 'Inbox' }),
  })
}
