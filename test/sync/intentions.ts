import type { QueuedMutation } from '../../web/src/data/mutations/mutation-entry.ts'
import type { StoredMutation } from '../../web/src/data/mutations/stored-mutation.ts'
import type { TaskPatch } from '../../web/src/data/tasks/task-patch.ts'
import type { SimulatedBrowser } from './simulated-browser.ts'
import type { SimulatedServer } from './simulated-server.ts'

/** Something that a person has done, which the server has to get. */
export interface Intention {
  key: string
  payload: StoredMutation
  browser: SimulatedBrowser
  /** The true time, in ms. */
  madeAt: number
  /** The person has discarded it, or undone it before it was sent. */
  isDiscarded: boolean
  /** Earlier ones whose text it replaces, should the server refuse them. */
  replacedKeys: readonly string[]
  /** The values of fields that it may replace, because its author knew them. */
  seen: Set<string>
}

/** All that people have done in a simulation. */
export class Intentions {
  readonly #all = new Map<string, Intention>()
  readonly #now: () => number
  readonly #server: SimulatedServer
  /** Whether what is recorded takes something back. */
  isUndoing = false

  constructor(now: () => number, server: SimulatedServer) {
    this.#now = now
    this.#server = server
  }

  get all(): readonly Intention[] {
    return [...this.#all.values()]
  }

  get(key: string): Intention | undefined {
    return this.#all.get(key)
  }

  /** The changes of tasks of which a mutation consists. */
  getTaskPatches = (payload: StoredMutation): TaskPatchOfId[] =>
    getTaskPatches(payload, this.#server)

  /**
   * What the authors of own values knew that an undo brings back and that were not saved: the undo
   * then replaces what they would have replaced.
   */
  #seenByRestored(payload: StoredMutation, browser: SimulatedBrowser): string[] {
    const { accepted } = this.#server
    const restored = this.getTaskPatches(payload)
    return this.all.flatMap((earlier) => {
      if (earlier.browser !== browser) return []
      const isAccepted = (id: string) =>
        accepted.some(({ key, target }) => toMutationKey(key) === earlier.key && target === id)
      const unsaved = this.getTaskPatches(earlier.payload).filter(({ id }) => !isAccepted(id))
      return unsaved.flatMap(({ id, patch }) =>
        (['title', 'description', 'status', 'estimate_seconds'] as const).flatMap((name) => {
          const isRestored = restored.some(
            (one) => one.id === id && patch[name] !== undefined && one.patch[name] === patch[name],
          )
          return isRestored
            ? [...earlier.seen].filter((value) => value.startsWith(`${id} ${name} `))
            : []
        }),
      )
    })
  }

  /** Records a mutation when it is first in the log of a page. */
  record(entry: QueuedMutation<StoredMutation>, browser: SimulatedBrowser): void {
    const { key, payload, replacedKeys = [] } = entry
    if (this.#all.has(key)) return
    if (payload.kind === 'bulk' && !this.isUndoing)
      for (const { from } of payload.changes)
        browser.seen.add(toSeen(from.id, 'status', from.status))
    // Whatever is on the screen: an undo takes back nothing but what the person has done.
    const seen = this.isUndoing
      ? new Set([...browser.own, ...this.#seenByRestored(payload, browser)])
      : browser.seen.union(browser.own)
    const madeAt = this.#now()
    this.#all.set(key, {
      key,
      payload,
      browser,
      madeAt,
      isDiscarded: false,
      seen,
      replacedKeys,
    })
    for (const { id, patch } of this.getTaskPatches(payload))
      for (const [field, value] of Object.entries(patch)) browser.own.add(toSeen(id, field, value))
    const edit = payload.kind === 'undo' ? payload.edit : 'base' in payload ? payload : undefined
    for (const [field, value] of Object.entries(edit?.patch ?? {}))
      browser.own.add(toSeen(edit?.base.id ?? '', field, value))
  }
}

interface TaskPatchOfId {
  id: string
  patch: TaskPatch
}

function getTaskPatches(payload: StoredMutation, { tasks }: SimulatedServer): TaskPatchOfId[] {
  if (payload.kind === 'change') return [{ id: payload.id, patch: payload.change.patch }]
  if (payload.kind === 'undo')
    return payload.changes.map(({ from, patch }) => ({ id: from.id, patch }))
  if (payload.kind !== 'bulk') return []
  const { command, numbers } = payload
  const patch =
    command.kind === 'complete'
      ? { status: command.status }
      : command.kind === 'patch'
        ? command.patch
        : {}
  return numbers.map((number) => ({ id: tasks.idOf(number), patch }))
}

/** What is noted of a value of a field that somebody has seen. */
export const toSeen = (id: string, field: string, value: unknown): string =>
  `${id} ${field} ${JSON.stringify(value)}`

/** The key of the mutation to which a request belongs, whichever attempt of it. */
export const toMutationKey = (idempotencyKey: string): string =>
  idempotencyKey.replace(/^\d+-/, '').split('-')[0] ?? ''
