import { useMemo } from 'react'
import type { listTimeEntries } from '#resources/time-entries/contract.ts'
import { formatDuration } from '../../lib/dates/duration.ts'
import { addDaysToDate, formatDay, type PlainDate } from '../../lib/dates/plain-date.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { recordChangeMessages } from '../../messages/app/record-changes.ts'
import { reportMessages } from '../../messages/projects/reports.ts'
import { type Reversal, showToast, updateToast } from '../app/toasts.ts'
import { fetchAllPages } from '../cache/fetch-all-pages.ts'
import { cancelMutation, mutationLog } from '../mutations/mutation-queue.ts'
import { useWithPendingPatches, withPendingPatches } from '../mutations/pending-patches.ts'
import { bootState } from '../session/boot.ts'
import { byCreation, createLists, useHeldList } from './held-records.ts'
import { type Creation, pendingCreations } from './pending-creations.ts'
import { deleteEntryAtOnce, editTimeEntry, logTime, type TimeEntry } from './time-entries.ts'
import {
  type CellChange,
  type CellEntry,
  planCellChanges,
  sumSeconds,
} from './timesheet-changes.ts'

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

/**
 * Changes the entries of a cell so that they add up to a time, and says so in one toast that undoes it. What
 * is deleted is hidden until the toast ends, and only then deleted: an undo brings back the note as well.
 */
export async function setCellTime(cell: TimesheetCell, seconds: number): Promise<void> {
  await waitUntilSent(cell)
  const before = sumSeconds(readCell(cell))
  let reservedKeys: string[] = []
  const change = () => {
    reservedKeys = []
    return changeCell(cell, seconds, (record) => {
      reservedKeys.push(reserveDeletion(record))
    })
  }
  let changes = change()
  if (changes.length === 0) return
  const { changed, deleted, changedMeanwhile } = reportMessages.timesheet
  const day = formatDay(cell.day)
  // A reversal waits for the one before it, and until the cell can be changed.
  let latest = Promise.resolve()
  const queueReversal = (run: () => void) => {
    latest = latest.then(() => waitUntilSent(cell)).then(run)
  }
  const refuse = () => {
    updateToast(id, { mode: 'final' })
    showToast({ text: changedMeanwhile(cell.name, day), tone: 'trouble' })
  }
  const undo = (): Reversal => {
    queueReversal(() => {
      const isAsLeft = sumSeconds(readCell(cell)) === seconds
      // Whatever was logged since, these can be brought back, and later they cannot.
      for (const key of reservedKeys) cancelMutation(key)
      if (isAsLeft) {
        revertEdits(cell, changes)
        changeCell(cell, before, deleteEntryAtOnce)
      } else if (changes.some(({ kind }) => kind !== 'delete')) refuse()
    })
    return redo
  }
  const redo = (): Reversal => {
    queueReversal(() => {
      if (sumSeconds(readCell(cell)) !== before) return refuse()
      changes = change()
      if (reservedKeys.length > 0) updateToast(id, { onEnd })
    })
    return undo
  }
  const onEnd = () =>
    void latest.then(() => {
      for (const key of reservedKeys) mutationLog.release(key)
    })
  const id = showToast({
    text:
      seconds === 0 ? deleted(cell.name, day) : changed(cell.name, day, formatDuration(seconds)),
    undo,
    ...(reservedKeys.length > 0 && { onEnd }),
  })
}

/** Hides a time entry. Returns the key of its deletion, which is sent when it is released. */
function reserveDeletion({ id, task_id }: TimeEntry): string {
  const key = crypto.randomUUID()
  const payload = { kind: 'deletion', noun: 'time_entry', id, parent_id: task_id } as const
  const label = recordChangeMessages.entryDeleted
  mutationLog.add({ key, queueKey: id, label, payload }, { isReserved: true })
  return key
}

function changeCell(
  cell: TimesheetCell,
  seconds: number,
  remove: (record: TimeEntry) => void,
): readonly CellChange[] {
  const changes = planCellChanges(readCell(cell), seconds)
  for (const change of changes) {
    if (change.kind === 'cancel') cancelMutation(change.key)
    else if (change.kind === 'delete') remove(change.record)
    else if (change.kind === 'edit') editDuration(cell, change.record, change.seconds)
    else {
      const { seconds: duration_seconds } = change
      const entry = { duration_seconds, spent_on: cell.day, note: null, billable: false }
      logTime(cell.task_id, entry, toText(cell, duration_seconds))
    }
  }
  return changes
}

/** Gives the entries of a cell that were edited the time that they had. */
function revertEdits(cell: TimesheetCell, changes: readonly CellChange[]): void {
  for (const { of } of readCell(cell)) {
    for (const change of changes) {
      if (change.kind !== 'edit' || !('record' in of) || change.record.id !== of.record.id) continue
      const { duration_seconds } = change.record
      if (duration_seconds !== null) editDuration(cell, of.record, duration_seconds)
    }
  }
}

const editDuration = (cell: TimesheetCell, record: TimeEntry, duration_seconds: number): void =>
  editTimeEntry(record, { duration_seconds }, toText(cell, duration_seconds))

/** What is kept of a time that is refused. */
const toText = ({ day }: TimesheetCell, seconds: number): string =>
  `${formatDuration(seconds)} ${day}`

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
