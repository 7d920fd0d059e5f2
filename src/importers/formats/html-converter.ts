import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** A description of a megabyte takes a few seconds. */
const TIMEOUT_MS = 60_000
const MAX_MEMORY_MB = 256

export interface HtmlConverter {
  /** The Markdown of a text, or the text itself if it is too large to be converted. One at a time. */
  convert(html: string): Promise<string>
  close(): Promise<void>
}

/**
 * Converts the HTML of a file to Markdown in a thread: a long text takes seconds, in which the server would
 * answer nobody. The thread starts with the first text.
 */
export function createHtmlConverter(timeoutMs = TIMEOUT_MS): HtmlConverter {
  let thread: Worker | undefined

  function startThread(): Worker {
    const worker = new Worker(new URL('./html-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
    })
    worker.unref()
    return worker
  }

  async function close(): Promise<void> {
    const ended = thread
    thread = undefined
    await ended?.terminate()
  }

  return {
    async convert(html) {
      thread ??= startThread()
      const timeout = AbortSignal.timeout(timeoutMs)
      try {
        thread.postMessage(html)
        const [markdown] = await once(thread, 'message', { signal: timeout })
        return typeof markdown === 'string' ? markdown : html
      } catch (error) {
        await close()
        if (timeout.aborted || isOutOfMemory(error)) return html
        throw error
      }
    },
    close,
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
