import { useMemo } from 'react'
import type { listTimeEntries } from '#resources/time-entries/contract.ts'
import { formatDuration } from '../../lib/dates/duration.ts'
import { addDaysToDate, formatDay, type PlainDate } from '../../lib/dates/plain-date.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { reportMessages } from '../../messages/projects/reports.ts'
import { type MutationUndo, showToast } from '../app/toasts.ts'
import { fetchAllPages } from '../cache/fetch-all-pages.ts'
import { pickEntry } from '../mutations/mutation-entry.ts'
import { cancelMutation, mutationQueue } from '../mutations/mutation-queue.ts'
import { useWithPendingPatches, withPendingPatches } from '../mutations/pending-patches.ts'
import { bootState } from '../session/boot.ts'
import { byCreation, createLists, useHeldList } from './held-records.ts'
import { type Creation, pendingCreations } from './pending-creations.ts'
import { editTimeEntry, logTime, queueEntryDeletion, type TimeEntry } from './time-entries.ts'
import { type CellChange, type CellEntry, planCellChanges } from './timesheet-changes.ts'

/** The finished time entries of the viewer in the week that begins with a day. */
const weekOf = createLists<TimeEntry>('timesheet', {
  async load(week) {
    const user_id = readViewerId()
    const range = { spent_after: week, spent_before: addDaysToDate(week, 7) }
    let n: number | undefined
    const entries = await fetchAllPages(async (page) => {
      const query = { user_id, ...range, running: false, ...page }
      const from = 'GET /api/v1/time-entries'
      const reply = await requestEndpointForResult<typeof listTimeEntries>(from, { query })
      n ??= reply.changeNumber
      return reply.body
    })
    return { records: entries.map((record) => ({ type: 'time_entry', record })), n }
  },
  pick: ({ type, record }, week) =>
    type === 'time_entry' &&
    record.user_id === readViewerId() &&
    record.duration_seconds !== null &&
    record.spent_on >= week &&
    record.spent_on < addDaysToDate(week, 7)
      ? record
      : undefined,
  compare: byCreation,
})

const readViewerId = (): string => bootState.get()?.session.user.id ?? ''

/** The same, the unsent ones included. */
export function useTimesheet(week: PlainDate) {
  const before = addDaysToDate(week, 7)
  const { error, retry, ...held } = useHeldList(weekOf(week))
  const records = useWithPendingPatches(held.records)
  const creations = useAtom(pendingCreations)
  const entries = useMemo(
    () => records && listCellEntries(records, creations, { after: week, before }),
    [records, creations, week, before],
  )
  return { entries, error, retry }
}

function listCellEntries(
  records: readonly TimeEntry[],
  creations: readonly Creation[],
  { after, before }: { after: PlainDate; before: PlainDate },
): CellEntry[] {
  const saved = records.flatMap((record): CellEntry[] => {
    const { task_id, project_id, spent_on, duration_seconds } = record
    return duration_seconds === null
      ? []
      : [{ task_id, project_id, spent_on, duration_seconds, of: { record } }]
  })
  const unsent = creations.flatMap(({ key, payload, refusal }): CellEntry[] => {
    if (payload.kind !== 'time-entry' || refusal) return []
    const { spent_on, duration_seconds } = payload.body
    return [{ task_id: payload.task_id, spent_on, duration_seconds, of: { key } }]
  })
  return [...saved, ...unsent].filter(({ spent_on }) => spent_on >= after && spent_on < before)
}

/** A day of a task in the timesheet. `name` is that of the task, for messages. */
export interface TimesheetCell {
  week: PlainDate
  task_id: string
  day: PlainDate
  name: string
}

/** Changes the entries of a cell so that they add up to a time, and says so in one toast that undoes it. */
export async function setCellTime(cell: TimesheetCell, seconds: number): Promise<void> {
  await waitUntilSent(cell)
  const changes = planCellChanges(readCell(cell), seconds)
  if (changes.length === 0) return
  const { changed, deleted } = reportMessages.timesheet
  const day = formatDay(cell.day)
  showToast({
    text:
      seconds === 0 ? deleted(cell.name, day) : changed(cell.name, day, formatDuration(seconds)),
    undo: changes.flatMap((change) => makeChange(cell, change)),
  })
}

/** Makes a change, and returns its undo. */
function makeChange(cell: TimesheetCell, change: CellChange): MutationUndo {
  if (change.kind === 'cancel') return takeOut(change.key)
  if (change.kind === 'delete') return queueEntryDeletion(change.record)
  const { seconds: duration_seconds } = change
  const text = `${formatDuration(duration_seconds)} ${cell.day}`
  if (change.kind === 'edit') return editTimeEntry(change.record, { duration_seconds }, text)
  const entry = { duration_seconds, spent_on: cell.day, note: null, billable: false }
  return logTime(cell.task_id, entry, text)
}

/** Takes an unsent entry out of the log; its undo puts it there again. */
function takeOut(key: string): MutationUndo {
  const entry = mutationQueue.get().find((one) => one.key === key)
  return entry && cancelMutation(key) ? [{ does: 'add', entry: pickEntry(entry) }] : []
}

/** The entries of a cell as the page has them now. */
function readCell({ week, task_id, day }: TimesheetCell): CellEntry[] {
  const records = withPendingPatches(weekOf(week).read())
  const range = { after: day, before: addDaysToDate(day, 1) }
  return listCellEntries(records, pendingCreations.get(), range).filter(
    (entry) => entry.task_id === task_id,
  )
}

/** Resolves once no new entry of a cell is on its way: until then it can neither be canceled nor edited. */
function waitUntilSent({ task_id, day }: TimesheetCell): Promise<void> {
  const isSending = () =>
    pendingCreations
      .get()
      .some(
        ({ payload, maybeSent, refusal }) =>
          payload.kind === 'time-entry' &&
          payload.task_id === task_id &&
          payload.body.spent_on === day &&
          maybeSent &&
          !refusal,
      )
  return new Promise((resolve) => {
    if (!isSending()) return resolve()
    const stop = pendingCreations.subscribe(() => {
      if (isSending()) return
      stop()
      resolve()
    })
  })
}
