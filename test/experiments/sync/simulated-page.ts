import type {
  CreatedRecord,
  MutationAttempt,
  MutationKind,
} from '../../../web/src/data/mutations/mutation-entry.ts'
import { MutationLog } from '../../../web/src/data/mutations/mutation-log.ts'
import { sendTaskChange } from '../../../web/src/data/tasks/send-task-change.ts'
import {
  applyPatch,
  type Task,
  type TaskChange,
  type TaskConflict,
} from '../../../web/src/data/tasks/task-patch.ts'
import { NetworkError } from '../../../web/src/lib/http/problem.ts'
import type { SimulatedBrowser } from './simulated-browser.ts'
import { type NoteEdit, SimulatedNotes } from './simulated-notes.ts'
import { getTypedText, type SimulatedPayload } from './simulated-payload.ts'
import {
  createSimulatedTask,
  type SimulatedReply,
  type SimulatedRequest,
} from './simulated-server.ts'
import type { SimulatedWorld } from './simulated-world.ts'

/** One open page: the real log, and the tasks that it shows. */
export class SimulatedPage {
  readonly log: MutationLog<SimulatedPayload>
  readonly tasks = new Map<string, Task>()
  readonly notes: SimulatedNotes
  #comments = new Set<string>()
  isOpen = true
  #hasSession = true
  readonly #ownVersions = new Map<string, number>()
  readonly #realIds = new Map<string, string>()
  readonly #browser: SimulatedBrowser
  readonly #world: SimulatedWorld

  constructor(browser: SimulatedBrowser, world: SimulatedWorld) {
    this.#browser = browser
    this.#world = world
    this.notes = new SimulatedNotes((value) => browser.seen.add(JSON.stringify(value)))
    this.#readRecords()
    this.log = new MutationLog({
      storage: { write: (puts, keys) => this.#survive(browser.write(this, puts, keys)) },
      loadKind: async (payload) => this.#kindOf(payload),
      orderedIdsOf: () => [],
      now: () => browser.now,
      random: world.random,
      schedule: (run, ms) => world.after(ms, () => this.isOpen && run()),
      isOnline: () => browser.isOnline,
      isPaused: () => !this.isOpen || !this.#hasSession,
      onChange: () => undefined,
    })
    this.log.resume(browser.claim())
    for (const { payload } of this.log.entries) this.#show(payload)
  }

  /** Reads everything, as after a live update. */
  refresh(): void {
    if (!this.#browser.isOnline) return
    for (const task of this.#world.server.tasks.values()) this.#put(task)
    this.#readRecords()
  }

  /** Learns by a live update of a task that was changed, or of a comment, and reads that anew. */
  receive(task: Task | undefined): void {
    if (task) this.#put(task)
    else this.#readRecords()
  }

  #readRecords(): void {
    this.#comments = new Set(this.#world.server.comments)
    for (const note of this.#world.server.notes.values()) this.notes.put(note)
  }

  /** A task with this page's unsent changes. */
  view(id: string): Task | undefined {
    let task = this.tasks.get(id)
    for (const { patch } of this.unsentChanges(id)) task &&= applyPatch(task, patch, undefined)
    return task
  }

  unsentChanges(id: string): TaskChange[] {
    return this.log.entries.flatMap(({ payload }) =>
      payload.kind === 'change' && this.#realId(payload.id) === id ? [payload.change] : [],
    )
  }

  /** The comments as the server has told of them. */
  get comments(): ReadonlySet<string> {
    return this.#comments
  }

  add(key: string, queueKey: string, payload: SimulatedPayload, isReserved = false): void {
    this.#show(payload)
    this.log.add({ key, queueKey, label: key, payload }, { isReserved })
  }

  /** Undoes a mutation that was not sent. */
  cancel(key: string): boolean {
    const payload = this.log.entries.find((one) => one.key === key)?.payload
    if (!this.log.cancel(key)) return false
    if (payload?.kind === 'create') this.tasks.delete(payload.tempId)
    return true
  }

  #show(payload: SimulatedPayload): void {
    if (payload.kind === 'create') this.#put(createSimulatedTask(payload.tempId, payload.title, 0))
    if (payload.kind === 'change' && payload.id.startsWith('tsk_') && !this.tasks.has(payload.id))
      this.#put(payload.change.from)
  }

  #put(task: Task): void {
    if ((this.tasks.get(task.id)?.version ?? -1) > task.version) return
    this.tasks.set(task.id, task)
    for (const value of [task.title, task.description])
      this.#browser.seen.add(JSON.stringify(value))
  }

  readonly #realId = (id: string): string => this.#realIds.get(id) ?? id

  /** What the page waits for never comes once the page is gone. */
  #survive<T>(outcome: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      outcome.then(
        (value) => this.isOpen && resolve(value),
        (error) => this.isOpen && reject(error),
      )
    })
  }

  async #request(key: string, request: SimulatedRequest): Promise<SimulatedReply> {
    if (!this.#browser.isOnline) throw new NetworkError()
    try {
      return await this.#survive(this.#world.send(key, request))
    } catch (error) {
      if (error instanceof Error && error.message === 'authentication_required') {
        this.#hasSession = false
        this.#world.after(5_000, () => {
          this.#hasSession = true
          this.log.sendNext()
        })
      }
      throw error
    }
  }

  #kindOf(payload: SimulatedPayload): MutationKind<SimulatedPayload> {
    return {
      send: (_, attempt) => this.#send(payload, attempt),
      revert: (_, __, key) => {
        this.#browser.shownRefusals.add(key)
        if (payload.kind === 'create') this.tasks.delete(payload.tempId)
      },
      textOf: () => getTypedText(payload),
      rebase: (_, error) => {
        if (payload.kind !== 'edit') return payload
        if (this.#world.chance(0.5)) this.#browser.crashSoon()
        return this.notes.rebase(payload, error)
      },
      resolveTempId: (_, { tempId, id }) => {
        if (payload.kind === 'stop' && payload.entry === tempId) return { ...payload, entry: id }
        if (payload.kind !== 'change' || payload.id !== tempId) return undefined
        const { change } = payload
        const version = this.tasks.get(id)?.version ?? 0
        return { ...payload, id, change: { ...change, from: { ...change.from, id, version } } }
      },
    }
  }

  async #send(
    payload: SimulatedPayload,
    attempt: MutationAttempt<SimulatedPayload>,
  ): Promise<readonly CreatedRecord[]> {
    const { key } = attempt
    switch (payload.kind) {
      case 'create': {
        const task = toTask(await this.#request(key, { op: 'create', title: payload.title }))
        this.#put(task)
        this.#ownVersions.set(task.id, task.version)
        this.#realIds.set(payload.tempId, task.id)
        this.tasks.delete(payload.tempId)
        return [{ tempId: payload.tempId, id: task.id }]
      }
      case 'start':
        await this.#request(key, { op: 'start' })
        return [{ tempId: `start ${key}`, id: key }]
      case 'stop':
        if (!payload.entry.startsWith('start '))
          await this.#request(key, { op: 'stop', entry: payload.entry })
        return []
      case 'change':
        await this.#sendChange(payload, attempt)
        return []
      case 'edit':
        await this.#sendEdit(payload, key)
        return []
      case 'comment': {
        const { isReplayed } = await this.#request(key, { op: 'comment', text: payload.text })
        this.#comments.add(payload.text)
        if (isReplayed) this.#readRecords()
        return []
      }
      case 'delete':
        await this.#request(key, { op: 'delete', text: payload.text }).catch((error) => {
          if (error.message !== 'not_found') throw error
        })
        this.#comments.delete(payload.text)
        return []
    }
  }

  #sendEdit(edit: NoteEdit, key: string): Promise<void> {
    return this.notes.send(edit, {
      request: (revision) => this.#request(key, { op: 'edit', edit, key, revision }),
      refetch: async () => {
        const latest = this.#world.server.notes.get(edit.base.id)
        if (!latest || !this.#browser.isOnline) throw new NetworkError()
        await this.#pause(100)
        return latest
      },
      readAll: () => this.#readRecords(),
    })
  }

  async #sendChange(
    payload: SimulatedPayload & { kind: 'change' },
    attempt: MutationAttempt<SimulatedPayload>,
  ): Promise<void> {
    const { id } = payload
    if (!id.startsWith('tsk_') && this.tasks.has(id)) {
      await attempt.hold(this.#until(() => !this.tasks.has(id)))
    }
    const real = this.#realId(id)
    const task = await sendTaskChange(
      {
        getServerTask: () => this.tasks.get(real),
        getOwnVersion: () => this.#ownVersions.get(real),
        request: async (change, version) =>
          toTask(await this.#request(attempt.key, { op: 'change', id: real, change, version })),
        refetch: async () => {
          const latest = this.#world.server.tasks.get(real)
          if (!latest || !this.#browser.isOnline) throw new NetworkError()
          await this.#pause(100)
          this.#put(latest)
          return latest
        },
        choose: (conflict) => this.#choose(conflict, payload, attempt),
      },
      payload.change,
      'gone',
    )
    if (!task) return
    this.#put(task)
    this.#ownVersions.set(real, task.version)
  }

  /** The person keeps their version, takes the other one, or writes a merge by hand. */
  async #choose(
    { change, theirs }: TaskConflict,
    payload: SimulatedPayload & { kind: 'change' },
    attempt: MutationAttempt<SimulatedPayload>,
  ): Promise<TaskChange | undefined> {
    await attempt.hold(this.#pause(this.#world.random() * 20_000))
    const choice = this.#world.random()
    const stored = this.#browser.storedTexts.get(attempt.key)
    if (stored !== undefined && stored !== change.patch.title)
      this.#world.server.wrong.push(`${attempt.key} has lost the merge ${stored}`)
    if (choice < 0.3) {
      this.#browser.dropped.add(attempt.key)
      return undefined
    }
    const { title } = change.patch
    const isMerged = title !== undefined && choice < 0.7
    const patch = isMerged ? { ...change.patch, title: `${title} & ${theirs.title}` } : change.patch
    const chosen = { ...change, from: theirs, patch }
    await attempt.revise({ ...payload, change: chosen })
    if (this.log.entries.find(({ key }) => key === attempt.key)?.storage === 'stored') {
      this.#browser.storedTexts.set(attempt.key, chosen.patch.title)
      if (this.#world.chance(0.8)) this.#browser.crashSoon()
    }
    return chosen
  }

  #pause = (ms: number) =>
    this.#survive(new Promise<void>((resolve) => this.#world.after(ms, resolve)))

  async #until(isReady: () => boolean): Promise<void> {
    while (!isReady()) await this.#pause(1_000)
  }
}

function toTask({ body }: SimulatedReply): Task {
  if (typeof body === 'string' || !('title' in body)) throw new Error('The reply is no task')
  return body
}
