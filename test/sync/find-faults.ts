import type { QueuedMutation } from '../../web/src/data/mutations/mutation-entry.ts'
import {
  getPlaceholders,
  getTaskChanges,
  orderedIdsOf,
  type StoredMutation,
} from '../../web/src/data/mutations/stored-mutation.ts'
import { getPatchText } from '../../web/src/data/tasks/task-patch.ts'
import { type Intention, toMutationKey, toSeen } from './intentions.ts'
import type { AcceptedWrite } from './simulated-server.ts'
import type { SimulatedWorld } from './simulated-world.ts'
import { findLateEnds } from './timers/find-late-ends.ts'

type LoggedMutation = QueuedMutation<StoredMutation>

/** What became of the intentions of people that must not have. */
export function findFaults(world: SimulatedWorld): string[] {
  const accepted = Map.groupBy(world.server.accepted, ({ key }) => toMutationKey(key))
  return [
    ...world.server.wrong,
    ...world.intentions.all.flatMap((one) => findFaultsOf(one, accepted.get(one.key) ?? [], world)),
    ...findOverwrittenValues(world),
    ...findWrongUndos(world),
  ]
}

/** The server leaves what others have changed, so an undo must name nothing but what its mutation did. */
function findWrongUndos({ server, intentions }: SimulatedWorld): string[] {
  return [...server.operations.all.values()].flatMap(({ key, undoes }) => {
    const payload = intentions.get(toMutationKey(key))?.payload
    const undoneKey = undoes && toMutationKey(undoes.key)
    const isOwn = payload?.kind === 'undo' ? payload.of === undoneKey : undoneKey === undefined
    return isOwn ? [] : [`${key} takes ${undoneKey} back`]
  })
}

function findFaultsOf(
  intention: Intention,
  accepted: readonly AcceptedWrite[],
  world: SimulatedWorld,
): string[] {
  const { key, payload, browser, isDiscarded } = intention
  const entries = browser.page.engine.mutationQueue.get()
  const shown = entries.find((one) => one.key === key)
  // Addresses below /internal ignore the key: a request that arrives late is applied once more.
  const repeated = payload.kind === 'request' ? [] : findRepeated(intention, accepted)
  const faults = [
    ...repeated,
    ...findWrongStops(intention, accepted, world),
    ...findLateEnds(intention, world),
    ...findMissingValues(intention, accepted, world),
  ]
  if (shown && shown.state !== 'unsaved' && !isBehindUnsaved(shown, entries, world))
    faults.push(`${key} (${payload.kind}) is ${shown.state} for ever`)
  const chosen = browser.storedTexts.get(key)
  const title = world.server.tasks.changes.find((one) => one.key === key && one.field === 'title')
  // Had a full storage not taken the last one, the person would know.
  if (chosen !== undefined && chosen === browser.chosenTexts.get(key)) {
    const kept = title?.after ?? (shown && getTypedText(shown.payload))
    if (kept !== undefined && kept !== chosen) faults.push(`${key} has ${kept} for ${chosen}`)
  }
  const isAccepted = payload.kind !== 'bulk' && accepted.length > 0
  if (isAccepted || isDiscarded || browser.unstored.has(key) || browser.dropped.has(key))
    return faults
  if (shown) {
    const isTextKept = !shown.refusal || shown.refusal.text === getTypedText(shown.payload)
    const isOther = 'base' in payload && getTypedText(shown.payload) !== payload.text
    if (!isTextKept || isOther || shown.payload.kind !== payload.kind)
      faults.push(`${key} lost its text`)
  } else if (payload.kind === 'bulk') {
    const got = new Set(accepted.map(({ target }) => target))
    const created = findCreatedIds(world)
    const lost = findUnsettledTasks(intention, world).filter(
      (id) => !got.has(created.get(id) ?? id),
    )
    if (lost.length > 0) faults.push(`${key} is lost for ${lost.join(', ')}`)
  } else if (!isSettled(intention, world)) faults.push(`${key} (${payload.kind}) is lost`)
  return faults
}

/** The ids of the tasks that the server has created, by those of their placeholders. */
function findCreatedIds({ server, intentions }: SimulatedWorld): ReadonlyMap<string, string> {
  const accepted = Map.groupBy(server.accepted, ({ key }) => toMutationKey(key))
  return new Map(
    intentions.all.flatMap(({ key, payload }) =>
      getPlaceholders(payload).flatMap(({ id }, at) => {
        const created = accepted.get(key)?.[at]
        return created ? [[id, created.target] as const] : []
      }),
    ),
  )
}

/** A mutation is applied once to each record, and creates each task once, however often it is sent. */
function findRepeated({ key, payload }: Intention, accepted: readonly AcceptedWrite[]): string[] {
  const { length } = getPlaceholders(payload)
  if (length > 0 && accepted.length > length) return [`${key} has created ${accepted.length} tasks`]
  return [...Map.groupBy(accepted, ({ target }) => target)].flatMap(([target, all]) =>
    all.length > 1 ? [`${key} was applied to ${target} ${all.length} times`] : [],
  )
}

/** Which fields of a record an accepted edit has not set. */
function findMissingValues(
  { key, payload }: Intention,
  accepted: readonly AcceptedWrite[],
  { server, intentions }: SimulatedWorld,
): string[] {
  if (!('base' in payload) || accepted.length === 0) return []
  const acceptedKeys = new Set(server.accepted.map((one) => toMutationKey(one.key)))
  // The undo of an edit that the server has refused changes nothing.
  const isUnneeded = (name: string, value: unknown) =>
    intentions.all.some(
      (one) =>
        'base' in one.payload &&
        one.payload.base.id === payload.base.id &&
        Reflect.get(one.payload.base, name) === value &&
        !acceptedKeys.has(one.key),
    )
  return Object.entries(payload.patch).flatMap(([name, value]) => {
    const isSet = server.records.changes.some(
      (one) => one.key === key && one.field === name && one.after === value,
    )
    return isSet || isUnneeded(name, value) ? [] : [`${key} has not set ${name} to ${value}`]
  })
}

/** The stop of a timer changes no other entry than the one that its start has made. */
function findWrongStops(
  { key, payload }: Intention,
  accepted: readonly AcceptedWrite[],
  { server }: SimulatedWorld,
): string[] {
  if (payload.kind !== 'timer-stop') return []
  const { id } = payload.running.entry
  const startKey = id.startsWith('start ') ? id.slice('start '.length) : undefined
  const started = startKey ? server.accepted.find((one) => one.key === startKey)?.target : id
  return accepted.flatMap(({ target }) => (target === started ? [] : [`${key} stops ${target}`]))
}

/** Whether a mutation waits for an earlier one that waits for the person. */
function isBehindUnsaved(
  entry: LoggedMutation,
  entries: readonly LoggedMutation[],
  world: SimulatedWorld,
): boolean {
  const earlier = entries.slice(0, entries.indexOf(entry))
  return earlier.some(
    (one) =>
      isOrderedBehind(entry, one, world) &&
      (one.state === 'unsaved' || isBehindUnsaved(one, earlier, world)),
  )
}

/** A change of many waits for earlier ones of its tasks, and what names a new task for its creation. */
function isOrderedBehind(
  entry: LoggedMutation,
  other: LoggedMutation,
  { intentions }: SimulatedWorld,
): boolean {
  const getConcernedIds = ({ payload }: LoggedMutation): readonly string[] => [
    ...orderedIdsOf(payload),
    ...intentions.getTaskPatches(payload).map(({ id }) => id),
  ]
  return (
    entry.queueKey === other.queueKey ||
    getPlaceholders(other.payload).length > 0 ||
    getConcernedIds(entry).some((id) => getConcernedIds(other).includes(id))
  )
}

/** Whether an intention that the server did not get needs nothing more. */
function isSettled({ key, payload, browser, madeAt }: Intention, world: SimulatedWorld): boolean {
  const { server, intentions } = world
  if (intentions.all.some(({ replacedKeys }) => replacedKeys.includes(key))) return true
  const { comments, timeEntries, restoredAt } = server.records
  // Without text, and with its reason shown, nothing is lost; nor if there is nothing to do.
  const isExplained = (name: string) =>
    browser.messages.some(({ at, text }) => at >= madeAt && text.includes(name))
  switch (payload.kind) {
    case 'restore':
      return server.tasks.get(payload.id) !== undefined || isExplained(payload.short_id)
    case 'change': {
      const id = findCreatedIds(world).get(payload.id) ?? payload.id
      // A deletion that was undone has nothing to delete any more.
      const isRestored = intentions.all.some(
        (one) => one.browser === browser && one.payload.kind === 'restore' && one.payload.id === id,
      )
      // Somebody else may have deleted it before the server got this deletion, and restored it since.
      const isRestoredByOthers = (server.tasks.restoredAt.get(id) ?? 0) >= madeAt
      if (payload.change.kind === 'delete' && (isRestored || isRestoredByOthers)) return true
      const creation = intentions.all.find((one) =>
        getPlaceholders(one.payload).some((task) => task.id === payload.id),
      )
      // It was discarded, or ended with its page, as the person knew, although the server may have got it.
      const isCreationGone =
        creation !== undefined && (creation.isDiscarded || browser.unstored.has(creation.key))
      const names = [payload.change.from.short_id, server.tasks.shortIdOf(id)]
      const isDeletedByAuthor = intentions.all.some(
        (one) =>
          one.browser === browser &&
          one.madeAt >= madeAt &&
          isDeletionOf(one.payload, id, intentions),
      )
      // Without text, it is dropped together with its task, and nobody chooses for a task that is to
      // be deleted (`task-conflicts.ts`).
      return (
        getTypedText(payload) === undefined &&
        (!server.tasks.get(id) || isDeletedByAuthor || isCreationGone || names.some(isExplained))
      )
    }
    case 'deletion':
      return (
        (!comments.has(payload.id) && !timeEntries.has(payload.id)) ||
        (restoredAt.get(payload.id) ?? 0) >= madeAt ||
        isExplained('Deletion')
      )
    case 'undo': {
      const isDone = [...server.operations.all.values()].some(
        (one) => toMutationKey(one.key) === payload.of,
      )
      const original = intentions.get(payload.of)
      // It was discarded, or ended with its page, as the person knew, although the server may have got it.
      const isOriginalGone = original?.isDiscarded || browser.unstored.has(payload.of)
      return !isDone || isOriginalGone || isExplained('Undo')
    }
    case 'timer-start':
      return isExplained('Timer')
    case 'request':
      return isExplained('Inbox') || isExplained('Restoring the comment')
    case 'timer-stop': {
      const { id } = payload.running.entry
      const start = intentions.get(id.slice('start '.length))
      // A start that was discarded, or that ended with its page, may have reached the server all the same.
      if (start && (start.isDiscarded || browser.unstored.has(start.key))) return true
      const entry = server.accepted.find((one) => one.key === start?.key)?.target ?? id
      const ended = timeEntries.get(entry)
      return !ended || ended.duration_seconds !== null || isExplained('Timer')
    }
    default:
      return false
  }
}

const isDeletionOf = (
  payload: StoredMutation,
  id: string,
  { getTaskPatches }: SimulatedWorld['intentions'],
): boolean => {
  if (payload.kind === 'change' || payload.kind === 'undo')
    return getTaskChanges(payload).some((one) => one.from.id === id && one.kind === 'delete')
  if (payload.kind !== 'bulk' || payload.command.kind !== 'delete') return false
  return getTaskPatches(payload).some((one) => one.id === id)
}

/** The tasks of a change of many that have not got it, although they would have to. */
function findUnsettledTasks(
  { payload, browser, madeAt }: Intention,
  { server }: SimulatedWorld,
): string[] {
  if (payload.kind !== 'bulk') return []
  // What looks so already is left as it is, and what is gone needs no deletion.
  const ids = payload.changes.map(({ from }) => from.id)
  return ids.filter((id) => {
    if (payload.command.kind === 'delete' && !server.tasks.get(id)) return false
    const short_id = server.tasks.shortIdOf(id)
    // A message counts all tasks, and names only the first ones.
    const isNamed = (text: string) => text.includes(short_id) || text.includes('…')
    return !browser.messages.some(({ at, text }) => at >= madeAt && isNamed(text))
  })
}

/** What a person has typed in it, which must not be lost. */
function getTypedText(payload: StoredMutation): string | undefined {
  switch (payload.kind) {
    case 'create':
      return payload.body.title
    case 'create-many':
      return payload.tasks.map(({ body }) => body.title).join('\n')
    case 'comment':
      return payload.comment.body
    case 'time-entry':
    case 'comment-edit':
    case 'time-entry-edit':
      return payload.text
    case 'change':
      return getPatchText(payload.change.patch)
    case 'upload':
      return ''
    default:
      return undefined
  }
}

/** Values that somebody has replaced without knowing them. */
function findOverwrittenValues(world: SimulatedWorld): string[] {
  const { server, intentions } = world
  const tempIds = new Map([...findCreatedIds(world)].map(([tempId, id]) => [id, tempId]))
  return [...server.tasks.changes, ...server.records.changes].flatMap(
    ({ key, id, field, before }) => {
      const { seen, payload } = intentions.get(toMutationKey(key)) ?? {}
      const names = [id, tempIds.get(id) ?? id]
      const isKnown =
        !seen ||
        // The server has compared it with what the undone mutation has left.
        payload?.kind === 'undo' ||
        Array.isArray(before) ||
        names.some((name) => seen.has(toSeen(name, field, before)))
      return isKnown ? [] : [`${key} overwrites ${field} ${before} of ${id}, unknown to its author`]
    },
  )
}
