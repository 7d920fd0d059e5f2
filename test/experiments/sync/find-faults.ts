import type { QueuedMutation } from '../../../web/src/data/mutations/mutation-entry.ts'
import {
  type MutationOfKind,
  orderedIdsOf,
  type StoredMutation,
} from '../../../web/src/data/mutations/stored-mutation.ts'
import { getPatchText } from '../../../web/src/data/tasks/task-patch.ts'
import { getTaskPatches, type Intention, toMutationKey, toSeen } from './intentions.ts'
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
  ]
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
  const repeated = payload.kind === 'request' ? [] : findRepeated(key, accepted)
  const faults = [
    ...repeated,
    ...findWrongStops(intention, accepted, world),
    ...findLateEnds(intention, world),
    ...findMissingValues(intention, accepted, world),
  ]
  if (shown && shown.state !== 'unsaved' && !isBehindUnsaved(shown, entries))
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
    const lost = findUnsettledTasks(intention, world).filter((id) => !got.has(id))
    if (lost.length > 0) faults.push(`${key} is lost for ${lost.join(', ')}`)
  } else if (!isSettled(intention, world)) faults.push(`${key} (${payload.kind}) is lost`)
  return faults
}

/** A mutation is applied once to each record, however often it is sent. */
function findRepeated(key: string, accepted: readonly AcceptedWrite[]): string[] {
  return [...Map.groupBy(accepted, ({ target }) => target)].flatMap(([target, all]) =>
    all.length > 1 ? [`${key} was applied to ${target} ${all.length} times`] : [],
  )
}

/** Which fields of a record an accepted edit has not set. */
function findMissingValues(
  { key, payload }: Intention,
  accepted: readonly AcceptedWrite[],
  { server }: SimulatedWorld,
): string[] {
  if (!('base' in payload) || accepted.length === 0) return []
  return Object.entries(payload.patch).flatMap(([name, value]) => {
    const isSet = server.records.changes.some(
      (one) => one.key === key && one.field === name && one.after === value,
    )
    return isSet ? [] : [`${key} has not set ${name} to ${value}`]
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
function isBehindUnsaved(entry: LoggedMutation, entries: readonly LoggedMutation[]): boolean {
  const earlier = entries.slice(0, entries.indexOf(entry))
  return earlier.some(
    (one) =>
      isOrderedBehind(entry, one) && (one.state === 'unsaved' || isBehindUnsaved(one, earlier)),
  )
}

/** A change of many waits for earlier ones of its tasks, and what names a new task for its creation. */
const isOrderedBehind = (entry: LoggedMutation, other: LoggedMutation): boolean =>
  entry.queueKey === other.queueKey ||
  other.payload.kind === 'create' ||
  getConcernedIds(entry).some((id) => getConcernedIds(other).includes(id))

const getConcernedIds = ({ payload }: LoggedMutation): readonly string[] => [
  ...orderedIdsOf(payload),
  ...getTaskPatches(payload).map(({ id }) => id),
]

/** Whether an intention that the server did not get needs nothing more. */
function isSettled(
  { key, payload, browser, madeAt }: Intention,
  { server, intentions }: SimulatedWorld,
): boolean {
  if (intentions.all.some(({ replacedKeys }) => replacedKeys.includes(key))) return true
  const { comments, timeEntries } = server.records
  // Without text, and with its reason shown, nothing is lost; nor if there is nothing to do.
  const isExplained = (name: string) =>
    browser.messages.some(({ at, text }) => at >= madeAt && text.includes(name))
  const findCreatedId = (tempId: string): string => {
    const isCreation = (one: Intention) =>
      one.payload.kind === 'create' && one.payload.placeholder.id === tempId
    const created = intentions.all.find(isCreation)?.key
    return server.accepted.find((one) => one.key === created)?.target ?? tempId
  }
  switch (payload.kind) {
    case 'restore':
      return server.tasks.get(payload.id) !== undefined || isExplained(payload.short_id)
    case 'change': {
      const id = findCreatedId(payload.id)
      // A deletion that was undone has nothing to delete any more.
      const isRestored = intentions.all.some(
        (one) => one.browser === browser && one.payload.kind === 'restore' && one.payload.id === id,
      )
      // Somebody else may have deleted it before the server got this deletion, and restored it since.
      const isRestoredByOthers = (server.tasks.restoredAt.get(id) ?? 0) >= madeAt
      if (payload.change.kind === 'delete' && (isRestored || isRestoredByOthers)) return true
      const names = [payload.change.from.short_id, server.tasks.shortIdOf(id)]
      const isDeletedByAuthor = intentions.all.some(
        (one) => one.browser === browser && one.madeAt >= madeAt && isDeletionOf(one.payload, id),
      )
      // Without text, it is dropped together with its task, and nobody chooses for a task that is to
      // be deleted (`task-conflicts.ts`).
      return (
        getTypedText(payload) === undefined &&
        (!server.tasks.get(id) || isDeletedByAuthor || names.some(isExplained))
      )
    }
    case 'deletion':
      return !comments.has(payload.id) && !timeEntries.has(payload.id)
        ? true
        : isExplained('Deletion')
    case 'timer-start':
      return isExplained('Timer')
    case 'request':
      return isExplained('Inbox')
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

const isDeletionOf = (payload: StoredMutation, id: string): boolean => {
  if (payload.kind === 'change') return payload.id === id && payload.change.kind === 'delete'
  if (payload.kind !== 'bulk' || payload.command.kind !== 'delete') return false
  return getTaskPatches(payload).some((one) => one.id === id)
}

/** The tasks of a change of many that have not got it, although they would have to. */
function findUnsettledTasks(
  { key, payload, browser, madeAt, shownIds }: Intention,
  { server, intentions }: SimulatedWorld,
): string[] {
  if (payload.kind !== 'bulk') return []
  const newer = intentions.all
    .filter((one) => one.browser === browser && one.madeAt >= madeAt && one.key !== key)
    .flatMap((one) => getTaskPatches(one.payload))
  const isReplaced = (id: string, patch: object) =>
    newer.some((one) => one.id === id && Object.keys(patch).every((name) => name in one.patch))
  const { changes, command } = payload
  const changed = new Set(changes.map(({ from }) => from.id))
  return getTaskPatches(payload)
    .filter(({ id, patch }) => {
      // What looks so already is left as it is.
      if ((shownIds.has(id) || command.kind === 'delete') && !changed.has(id)) return false
      const task = server.tasks.get(id)
      if (!task) return command.kind !== 'delete' && changed.has(id)
      const values = Object.entries(patch)
      const isSame = values.every(([field, value]) =>
        server.tasks.hadValueSince(id, field, value, madeAt),
      )
      return changed.has(id) || values.length === 0 || !(isSame || isReplaced(id, patch))
    })
    .filter(({ id }) => {
      const short_id = server.tasks.shortIdOf(id)
      // A message counts all tasks, and names only the first ones.
      const isNamed = (text: string) => text.includes(short_id) || text.includes('…')
      return !browser.messages.some(({ at, text }) => at >= madeAt && isNamed(text))
    })
    .map(({ id }) => id)
}

/** What a person has typed in it, which must not be lost. */
function getTypedText(payload: StoredMutation): string | undefined {
  switch (payload.kind) {
    case 'create':
      return payload.body.title
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

const isLoaded = ({ changes }: MutationOfKind<'bulk'>, id: string): boolean =>
  changes.some(({ from }) => from.id === id)

/** Values that somebody has replaced without knowing them. */
function findOverwrittenValues({ server, intentions }: SimulatedWorld): string[] {
  const tempIds = new Map<string, string>()
  for (const { key, payload } of intentions.all) {
    const created = server.accepted.find((one) => one.key === key)?.target
    if (payload.kind === 'create' && created) tempIds.set(created, payload.placeholder.id)
  }
  return [...server.tasks.changes, ...server.records.changes].flatMap(
    ({ key, id, field, before }) => {
      const intention = intentions.get(toMutationKey(key))
      const seen = intention?.seen
      // What is not loaded is changed for a minute, whatever others do to it (`bulk-change-kind.ts`).
      if (intention?.payload.kind === 'bulk' && !isLoaded(intention.payload, id)) return []
      const names = [id, tempIds.get(id) ?? id]
      const isKnown =
        !seen ||
        Array.isArray(before) ||
        names.some((name) => seen.has(toSeen(name, field, before)))
      return isKnown ? [] : [`${key} overwrites ${field} ${before} of ${id}, unknown to its author`]
    },
  )
}
