import type { ServerResponse } from 'node:http'
import { type Actor, isManager, lacksSecondFactor } from '#core/actor.ts'
import { ApiError } from '#core/api-error.ts'
import type { ChangeListener, NumberedChange } from '#core/changes/replay-buffer.ts'

/** A client with more unread bytes is disconnected, and resumes when it reconnects. */
const MAX_BUFFERED_BYTES = 1024 * 1024
/** The same for changes that wait until the permissions of the person are loaded. */
const MAX_PENDING_CHANGES = 10_000

/** The projects that a person may see; null means all. */
export type VisibleProjects = ReadonlySet<string> | null

export interface LiveStreamDeps {
  /** Authenticates again; throws when the credential is no longer valid. */
  authenticate: () => Actor | Promise<Actor>
  loadVisibleProjects: (actor: Actor) => Promise<VisibleProjects>
  /** Logs an unexpected error and closes the connection; the client reconnects. */
  onError: (error: unknown) => void
}

/**
 * Sends the changes of a workspace to one client, filtered by what the person may see. The
 * credential and the visible projects are loaded again whenever they may have changed. If they did
 * change, the client gets a `reset` and reads all data again, for it may hold too much or too
 * little.
 */
export class LiveStream implements ChangeListener {
  actor: Actor
  onSent: (changes: number) => void = () => {}
  onClose: (why?: 'lag') => void = () => {}
  readonly #raw: ServerResponse
  readonly #deps: LiveStreamDeps
  readonly #pending: NumberedChange[] = []
  /** Undefined until they are loaded after the client's last reload: what it then saw is unknown. */
  #visibleProjects: VisibleProjects | undefined
  /** Counts the resets: what was loaded before one says nothing about what the client reads after it. */
  #resets = 0
  #isStale = true
  #isDelivering = false
  #isRevalidating = false
  #newestId = ''

  constructor(raw: ServerResponse, actor: Actor, deps: LiveStreamDeps) {
    this.#raw = raw
    this.actor = actor
    this.#deps = deps
    raw.once('close', () => this.onClose())
    // A client that disconnects is not an error.
    raw.on('error', () => {})
  }

  /** Begins after the change that the client saw last; without `missed` it starts with a reset. */
  begin(id: string, missed: readonly NumberedChange[] | undefined): void {
    this.#newestId = id
    if (missed === undefined || missed.some((change) => this.#mayShiftVisibility(change)))
      this.onReset(id)
    else {
      // A block without data is no event, but the client stores its id.
      this.#write(`retry: ${retryMs()}\n${missed.length > 0 ? '' : `id: ${id}\n`}\n`)
      this.onChanges(missed)
    }
  }

  /** Never throws: the commit that caused the changes is answered, and others listen to them, too. */
  onChanges(changes: readonly NumberedChange[]): void {
    try {
      this.#takeChanges(changes)
    } catch (error) {
      this.#deps.onError(error)
    }
  }

  #takeChanges(changes: readonly NumberedChange[]): void {
    if (
      this.#visibleProjects === undefined &&
      changes.some((change) => this.#mayShiftVisibility(change))
    ) {
      this.onReset(changes.at(-1)?.id ?? this.#newestId)
      return
    }
    if (this.#pending.length + changes.length > MAX_PENDING_CHANGES) {
      this.#disconnect()
      return
    }
    this.#pending.push(...changes)
    if (changes.some((change) => this.#affectsVisibility(change))) this.#isStale = true
    if (this.#isStale || this.#isDelivering) this.#deliver()
    else this.#flush()
  }

  onReset(id: string): void {
    this.#newestId = id
    this.#isStale = true
    this.#pending.length = 0
    this.#visibleProjects = undefined
    this.#resets += 1
    this.#sendReset()
    this.#deliver()
  }

  sendHeartbeat(): void {
    this.#write('event: heartbeat\ndata: {}\n\n')
  }

  /** Ends the stream; the client reconnects in a moment. */
  end(): void {
    this.#raw.end(`retry: ${retryMs()}\n\n`)
  }

  /** Authenticates again, and ends the stream if the credential has lost its access. */
  async revalidate(): Promise<void> {
    if (this.#isRevalidating) return
    this.#isRevalidating = true
    try {
      const actor = await this.#deps.authenticate()
      const hasLeftWorkspace = actor.workspace_id !== this.actor.workspace_id
      if (hasLeftWorkspace || actor.workspace_deleted_at || lacksSecondFactor(actor))
        this.#raw.end()
      else if (actor !== this.actor) {
        this.actor = actor
        this.#isStale = true
        await this.#deliver()
      }
    } catch (error) {
      if (!(error instanceof ApiError)) this.#deps.onError(error)
      // A temporary failure of storage is retried at the next check.
      else if (error.status < 500) this.#raw.end()
    } finally {
      this.#isRevalidating = false
    }
  }

  /** Holds changes back until the visible projects are loaded. */
  async #deliver(): Promise<void> {
    if (this.#isDelivering) return
    this.#isDelivering = true
    try {
      while (this.#isStale) {
        this.#isStale = false
        const before = this.#visibleProjects
        const resets = this.#resets
        const loaded = await this.#deps.loadVisibleProjects(this.actor)
        // Commits that this read has seen are announced before the next turn of the event loop.
        await new Promise((resolve) => setImmediate(resolve))
        if (resets !== this.#resets) continue
        this.#visibleProjects = loaded
        if (before !== undefined && this.#hasChangedSince(before)) this.#sendReset()
      }
      this.#flush()
    } catch (error) {
      // Nothing may be sent without knowing the permissions.
      this.#deps.onError(error)
    } finally {
      this.#isDelivering = false
    }
  }

  /** Whether the visible projects differ from before, apart from those just created. */
  #hasChangedSince(before: VisibleProjects): boolean {
    const after = this.#visibleProjects ?? null
    if (before === null || after === null) return before !== after
    const expected = new Set(before)
    for (const { notice } of this.#pending) {
      if (notice.noun === 'project' && notice.op === 'create') expected.add(notice.id)
    }
    return !before.isSubsetOf(after) || !after.isSubsetOf(expected)
  }

  #affectsVisibility({ notice: { noun, id } }: NumberedChange): boolean {
    if (noun === 'project') return !isManager(this.actor)
    return (noun === 'person' || noun === 'member') && id === this.actor.user_id
  }

  /** Whether the change may alter what the person sees, other than by a project just created. */
  #mayShiftVisibility(change: NumberedChange): boolean {
    const { noun, op } = change.notice
    return this.#affectsVisibility(change) && !(noun === 'project' && op === 'create')
  }

  #sendReset(): void {
    this.#write(`event: reset\nid: ${this.#newestId}\ndata: {}\n\n`)
  }

  #flush(): void {
    const visible = this.#pending.filter((change) => this.#isVisible(change))
    this.#newestId = this.#pending.at(-1)?.id ?? this.#newestId
    this.#pending.length = 0
    if (visible.length === 0) return
    this.onSent(visible.length)
    this.#write(
      visible.map(({ id, text }) => `event: notice\nid: ${id}\ndata: ${text}\n\n`).join(''),
    )
  }

  #isVisible({ notice: { project_id, noun }, only_for }: NumberedChange): boolean {
    const isForOthers = only_for !== undefined && only_for !== this.actor.user_id
    // Notifications are private, also from owners and admins.
    if (isForOthers && (noun === 'notification' || !isManager(this.actor))) return false
    return (
      project_id === undefined ||
      this.#visibleProjects === null ||
      this.#visibleProjects?.has(project_id) === true
    )
  }

  #write(text: string): void {
    if (this.#raw.destroyed || this.#raw.writableEnded) return
    if (this.#raw.writableLength > MAX_BUFFERED_BYTES) this.#disconnect()
    else this.#raw.write(text)
  }

  #disconnect(): void {
    this.onClose('lag')
    this.onClose = () => {}
    this.#raw.destroy()
  }
}

/** Random, so that not all clients reconnect at the same moment. */
const retryMs = (): number => 1_000 + Math.floor(Math.random() * 2_000)
