import type { HintedNoun, StaleHint } from '#wire/stale-hint.ts'

/** A change that an operation reports because the feed of changes does not carry the record. */
export interface HintNote {
  noun: HintedNoun
  id: string
  /** The project whose viewers learn of it; absent: it concerns the whole workspace. */
  project_id?: string
  user_id?: string
  /** The user who learns of it beside owners and admins, or `''` for nobody else. Absent: everybody. */
  only_for?: string
}

/**
 * A hint and its audience. Processes send it to each other as JSON, also while two releases run side by
 * side: do not rename its keys.
 */
export interface Hint {
  hint: StaleHint
  only_for?: string
}

/** Something that follows the commits of a workspace. */
interface CommitListener {
  /** Records were changed, and perhaps others, of which the hints tell. */
  onCommit(hints: readonly Hint[]): void
  /** Commits may have been missed, and with them their hints. */
  onMissed(): void
}

/**
 * Calls those who listen in this process after each commit of their workspace, whichever process made
 * it. Nothing is kept: a new listener reads the present state.
 */
export class CommitListeners {
  readonly #listeners = new Map<string, Set<CommitListener>>()
  /** How often listeners were told that they may have missed something. */
  missed = 0
  /** Whether this process hears of others; undefined if it has no connection for that. */
  isPeerBusConnected: boolean | undefined
  /** Runs after a commit of this process that has enqueued a job which is due. */
  onDueJob: () => void = () => {}
  /** Runs when the first listener of a workspace comes. */
  onFirstListener: (workspace_id: string) => void = () => {}

  /** The workspaces that somebody listens to. */
  get workspaceIds(): string[] {
    return [...this.#listeners.keys()]
  }

  /** Calls the listener from now on, until the returned function is called. */
  subscribe(workspace_id: string, listener: CommitListener): () => void {
    const listeners = this.#listeners.get(workspace_id) ?? new Set()
    this.#listeners.set(workspace_id, listeners.add(listener))
    if (listeners.size === 1) this.onFirstListener(workspace_id)
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#listeners.get(workspace_id) === listeners)
        this.#listeners.delete(workspace_id)
    }
  }

  /** Announces a commit to all listeners, and then throws what the first of them threw. */
  publish(workspace_id: string, hints: readonly Hint[]): void {
    let failure: { error: unknown } | undefined
    for (const listener of this.#listeners.get(workspace_id) ?? []) {
      try {
        listener.onCommit(hints)
      } catch (error) {
        failure ??= { error }
      }
    }
    if (failure) throw failure.error
  }

  /** Announces that commits may have been missed, of one workspace or of all. */
  publishMissed(workspace_ids: readonly string[] = this.workspaceIds): void {
    for (const workspace_id of workspace_ids) {
      for (const listener of this.#listeners.get(workspace_id) ?? []) {
        this.missed += 1
        listener.onMissed()
      }
    }
  }
}
