import type { ServerResponse } from 'node:http'
import type { CommitListeners } from '#core/changes/commit-listeners.ts'
import type { HintBuffer } from './hint-buffer.ts'

/** Tells one request when something in its workspace may have changed. */
export class ChangeSignal {
  readonly #close: () => void
  #hasChanged = false
  isClosed = false
  #wake = () => {}

  /**
   * Signals from now on, so create it before reading; it closes with the connection. Hints are added to
   * the buffer.
   */
  constructor(
    listeners: CommitListeners,
    workspace_id: string,
    raw: ServerResponse,
    hints?: HintBuffer,
  ) {
    const signal = () => {
      this.#hasChanged = true
      this.#wake()
    }
    this.#close = listeners.subscribe(workspace_id, {
      onCommit(added) {
        hints?.add(added)
        signal()
      },
      onMissed() {
        hints?.addMissed()
        signal()
      },
    })
    raw.once('close', signal)
  }

  /** Resolves with true at the first change since the last wait, or with false after a time. */
  async wait(ms: number): Promise<boolean> {
    if (!this.#hasChanged && !this.isClosed) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    const hasChanged = this.#hasChanged
    this.#hasChanged = false
    return hasChanged
  }

  /** Ends the present wait, although nothing has changed. */
  interrupt(): void {
    this.#wake()
  }

  /** Ends the wait; later ones end at once. */
  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.#close()
    this.#wake()
  }
}
