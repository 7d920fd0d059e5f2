import { bundleEngine, type SourceEdit } from './engine-bundle.ts'
import { runSyncSimulation } from './sync-simulation.ts'

/** A mend of the web app; without it, the simulation has to find a fault. */
interface Mend extends SourceEdit {
  name: string
}

const mend = (name: string, file: string, part: string, replacement: string): Mend => ({
  ...{ name, part, replacement, file: `web/src/data/${file}` },
})

const MENDS: readonly Mend[] = [
  mend(
    'old writes wait for the person',
    'mutations/sending-order.ts',
    'return !isWithin(madeAt',
    'return false && !isWithin(madeAt',
  ),
  mend(
    'so do those that have waited for others',
    'mutations/mutation-log.ts',
    'if (isTooOldUnasked(this.#find(key) ?? one, this.#deps.now()))',
    'if (false)',
  ),
  mend(
    'a refused text is kept',
    'mutations/mutation-log.ts',
    'if (isReplaced || (text === undefined',
    'if (true || (text === undefined',
  ),
  mend(
    'a merge is stored',
    'mutations/mutation-log.ts',
    "approvedAt: this.#deps.now(), storage: 'storing' })\n    await this.#store(key)",
    '})',
  ),
  mend(
    'a full storage is told',
    'mutations/mutation-log.ts',
    "isStored ? 'stored' : 'failed'",
    "'stored'",
  ),
  mend(
    'later writes get the real ids',
    'mutations/mutation-log.ts',
    'if (payload === undefined) continue',
    'continue',
  ),
  mend(
    'a held write blocks no earlier one',
    'mutations/sending-order.ts',
    "({ state }) => state === 'sending')",
    "({ state }) => state === 'sending' || state === 'held')",
  ),
  mend(
    'a full storage hides nothing from the next page',
    'offline/mutation-storage.ts',
    '} catch {',
    '} catch {\n    return []',
  ),
  mend(
    'a change is compared with what the page has read',
    'tasks/send-task-change.ts',
    'version === change.from.version ? [] : findConflictingFields(change, base)',
    '[]',
  ),
  mend(
    'a change is compared with what others have changed',
    'tasks/send-task-change.ts',
    'fields = findConflictingFields(change, theirs)',
    'fields = []',
  ),
  mend(
    'a change keeps its key',
    'tasks/task-change-kind.ts',
    'idempotencyKey: key',
    'idempotencyKey: crypto.randomUUID()',
  ),
  mend(
    'an upload keeps its key',
    'resources/upload-kind.ts',
    'idempotencyKey: key',
    'idempotencyKey: crypto.randomUUID()',
  ),
  mend(
    'a refused file is kept',
    'resources/upload-kind.ts',
    "textOf: () => ''",
    'textOf: () => undefined',
  ),
  mend(
    'the undo of one starts from what it undoes',
    'tasks/change-task.ts',
    '{ ...current, ...valuesAfter(task, change), version }',
    'current',
  ),
  mend(
    'so does the undo of one that is being sent',
    'tasks/change-task.ts',
    '{ ...current, version: change.from.version }',
    'current',
  ),
  mend(
    'a dropped change is not undone',
    'tasks/change-task.ts',
    '(version === undefined && !isPending)',
    'false',
  ),
  mend(
    'the undo of many starts from what it undoes',
    'tasks/pending-bulk-change.ts',
    'if (!change?.undoneTask) return change',
    'if (!change?.undoneTask || true) return change',
  ),
  mend(
    'a change of many waits for earlier ones alone',
    'tasks/pending-bulk-change.ts',
    'const turn = getTurn(key)',
    'const turn = Number.POSITIVE_INFINITY',
  ),
  mend(
    'a change knows what an unsent one hides',
    'tasks/change-task.ts',
    'return hiding ?',
    'return false ?',
  ),
  mend(
    'so does a change of many',
    'tasks/pending-bulk-change.ts',
    'change ? withVersionSeen(change.patch, task) : task',
    'task',
  ),
  mend(
    'changes of others are shown below unsaved ones',
    'live/awaits-reply.ts',
    "one.state === 'sending' && ",
    '',
  ),
  mend(
    'an earlier state is read again',
    'live/stale-tasks.ts',
    'new Set([...staleTaskIds.get(), ...ids])',
    'staleTaskIds.get()',
  ),
  mend(
    'a new sign-in reads it',
    'live/apply-live-event.ts',
    'isRetryable(error) || hasSessionEnded.get()',
    'isRetryable(error)',
  ),
  mend(
    'a deleted task goes with its last unsaved change',
    'live/apply-live-event.ts',
    'if (settled.length === 0) return',
    'return',
  ),
  mend(
    'a repeated deletion leaves what was restored since',
    'tasks/change-task.ts',
    '> deletedVersion)',
    '> Number.MAX_VALUE)',
  ),
  mend(
    'what is loaded for a change of many is stored',
    'tasks/bulk-change-kind.ts',
    'if (sendable.length > payload.changes.length)',
    'if (false)',
  ),
  mend(
    'a stop knows the entry of its start',
    'resources/timer-kinds.ts',
    'entry.id === created.tempId ?',
    'false ?',
  ),
  mend(
    'a late start stops no newer timer',
    'resources/timer-kinds.ts',
    'isDelayed ? await fetchNewerTimer(started_at) : null',
    'null',
  ),
  mend(
    'a late stop ends a timer at its click',
    'resources/timer-requests.ts',
    'if (!hadStarted || ',
    'if (true || ',
  ),
  mend(
    'an edit asks about what others have changed',
    'mutations/send-record-edit.ts',
    'if (findChangedFields(base, patch, theirs).length > 0)',
    'if (false)',
  ),
  mend(
    'an edit is compared with the own last reply',
    'mutations/send-record-edit.ts',
    'isNewer && findChangedFields(base, patch, ownReply).length === 0',
    'isNewer',
  ),
  mend(
    'an edit knows what an unsent one hides',
    'mutations/pending-patches.ts',
    'fields), { updated_at })',
    'fields))',
  ),
  mend(
    'a refusal is stored together with what a retry sends',
    'mutations/mutation-log.ts',
    "const reason = error instanceof Error ? error.message : ''",
    'this.#update(key, { payload: kind.rebase?.(payload, error) ?? payload })\n' +
      "await this.#store(key)\nconst reason = ''",
  ),
]

/** Takes each mend out, and runs seeds until one finds a fault. Returns the names of those not found. */
async function runControls(mends: readonly Mend[], maxSeeds: number): Promise<string[]> {
  const missed: string[] = []
  for (const one of mends) {
    const loadEngine = await bundleEngine([one])
    let seed = 1
    while (seed <= maxSeeds && (await runSyncSimulation(seed, loadEngine)).length === 0) seed += 1
    if (seed > maxSeeds) missed.push(one.name)
    console.log(seed > maxSeeds ? `NOT FOUND: ${one.name}` : `${one.name}: seed ${seed}`)
  }
  return missed
}

const maxSeeds = Number(process.argv[2] ?? 1_000)
const namePart = process.argv[3] ?? ''
const mends = MENDS.filter(({ name }) => name.includes(namePart))
process.exitCode = (await runControls(mends, maxSeeds)).length > 0 ? 1 : 0
