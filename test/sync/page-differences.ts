import { SUMMARY_FIELDS } from '#resources/web-app/project-tasks/contract.ts'
import { getPlaceholders } from '../../web/src/data/mutations/stored-mutation.ts'
import { applyChanges, getPatchedFields, isSameValue } from '../../web/src/data/tasks/task-patch.ts'
import type { SimulatedPage } from './simulated-page.ts'
import { COMMENTED_TASK_ID, toTimeEntryJson } from './simulated-records.ts'
import type { SimulatedServer } from './simulated-server.ts'
import { PROJECT } from './simulated-tasks.ts'

/** What a page shows otherwise than the server has it, apart from what its log shows as unsaved. */
export function findPageDifferences(page: SimulatedPage, server: SimulatedServer): string[] {
  const { getCachedTasks } = page.engine
  const ids = [...server.tasks.all, ...getCachedTasks()].map(({ id }) => id)
  const entries = server.records.timeEntriesOf(COMMENTED_TASK_ID)
  return [
    ...[...new Set(ids)].flatMap((id) => findTaskDifferences(id, page, server)),
    ...findRowDifferences(page, server),
    ...findListDifferences('comment', page.comments, [...server.records.comments.values()]),
    ...findListDifferences('time entry', page.timeEntries, entries.map(toTimeEntryJson)),
    ...[...page.shownComments, ...page.shownTimeEntries].flatMap((record) =>
      findUnsentDifferences(record, page, server),
    ),
    ...findTimerDifferences(page, server),
  ]
}

/** The timer, unless a start or stop of it is unsaved. */
function findTimerDifferences(
  { engine, person }: SimulatedPage,
  { records }: SimulatedServer,
): string[] {
  const isUnsaved = engine.mutationQueue.get().some(({ queueKey }) => queueKey === 'timer')
  const shown = engine.getRunningTimer()?.entry.id
  const running = records.findRunning(person)?.id
  return isUnsaved || shown === running ? [] : [`timer ${shown} is shown for ${running}`]
}

function findTaskDifferences(
  id: string,
  { engine }: SimulatedPage,
  server: SimulatedServer,
): string[] {
  const expected = server.tasks.get(id)
  const shown = engine.getCachedTask(id)
  if (!expected) {
    const isUnsaved = engine.mutationQueue
      .get()
      .some(
        ({ payload }) =>
          getPlaceholders(payload).some((one) => one.id === id) ||
          (payload.kind === 'change' && payload.id === id) ||
          (payload.kind === 'bulk' && payload.changes.some(({ from }) => from.id === id)),
      )
    return isUnsaved ? [] : [`${id} is shown and does not exist`]
  }
  const unsent = engine.getPendingChanges(id)
  if (!shown) return unsent.some(({ kind }) => kind === 'delete') ? [] : [`${id} is not shown`]
  const fields = new Set<string>(unsent.flatMap(({ patch }) => getPatchedFields(patch)))
  // What a status implies, and an unsaved one has other times.
  if (fields.has('status')) for (const one of IMPLIED_BY_STATUS) fields.add(one)
  const values = new Map<string, unknown>(Object.entries(shown))
  // A row of a list lacks them.
  const isLackingDetail = (name: string) => !values.has(name) && !SUMMARY_NAMES.has(name)
  return Object.entries(expected).flatMap(([name, value]) =>
    fields.has(name) || isLackingDetail(name) || isSameValue(values.get(name), value)
      ? []
      : [`${id} is shown with ${name} ${toText(values.get(name))} for ${toText(value)}`],
  )
}

/** The list on the screen has the tasks of the server with the changes that are not sent. */
function findRowDifferences(page: SimulatedPage, server: SimulatedServer): string[] {
  const { getPendingChanges } = page.engine
  const tasks = server.tasks.all.flatMap(
    (task) => applyChanges(task, getPendingChanges(task.id), PROJECT) ?? [],
  )
  const [shown, expected] = [page.list, page.createList(tasks)].map(({ groups }) =>
    [...groups].flatMap(([status, { rows }]) => {
      const ids = rows.flatMap(({ id, number }) => (number > 0 ? id : []))
      return ids.length > 0 ? `${status}: ${ids.join(', ')}` : []
    }),
  )
  return isSameValue(shown?.toSorted(), expected?.toSorted())
    ? []
    : [`the list shows ${toText(shown)} for ${toText(expected)}`]
}

/** What the page shows of a record in place of what it has read, apart from unsaved edits. */
function findUnsentDifferences(
  shown: { id: string },
  { engine }: SimulatedPage,
  { records }: SimulatedServer,
): string[] {
  const expected = records.comments.get(shown.id) ?? records.timeEntries.get(shown.id)
  const unsaved = engine.mutationQueue
    .get()
    .flatMap(({ payload }) =>
      'base' in payload && payload.base.id === shown.id ? Object.keys(payload.patch) : [],
    )
  const values = new Map<string, unknown>(Object.entries(shown))
  return Object.entries(expected ?? {}).flatMap(([name, value]) =>
    unsaved.length > 0 && (name === 'updated_at' || unsaved.includes(name))
      ? []
      : isSameValue(values.get(name), value)
        ? []
        : [`${shown.id} is shown with ${name} ${toText(values.get(name))} for ${toText(value)}`],
  )
}

const SUMMARY_NAMES: ReadonlySet<string> = new Set([
  ...SUMMARY_FIELDS,
  'project_id',
  'short_id',
  'status_category',
])
const IMPLIED_BY_STATUS = ['status_category', 'completed_at', 'canceled_at']

const toText = (value: unknown): string => JSON.stringify(value)

function findListDifferences(
  noun: string,
  shown: readonly { id: string }[],
  expected: readonly { id: string }[],
): string[] {
  const [before, after] = [shown, expected].map((all) => new Map(all.map((one) => [one.id, one])))
  return [...new Set([...shown, ...expected].map(({ id }) => id))].flatMap((id) =>
    isSameValue(before?.get(id), after?.get(id))
      ? []
      : [`${noun} ${toText(before?.get(id))} is shown for ${toText(after?.get(id))}`],
  )
}
