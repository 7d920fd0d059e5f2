import type { Options } from '../lib/call.ts'
import { Problem } from '../lib/problem.ts'
import type { Signal } from '../lib/signal.ts'
import { m } from '../messages/data.ts'
import { enqueue } from './queue.ts'
import { toast } from './toasts.ts'

/** A write of a record that is no task: shown at once by who asks for it, sent in its turn. */
export interface RecordWrite {
  /** Writes of one lane follow one another: the id of the record. */
  lane: string
  /** What it does, in words. */
  label: string
  /** Sends it, with the key under which it happens once; an older key where it is sent again. */
  send: (key: string) => Promise<void>
  /** Takes back what was shown. */
  refused?: (error: unknown) => void
  key?: string
}

/** Sends a write as soon as it can be; a refusal is told in the API's words. Gives its key. */
export function sendRecord({ lane, label, send, refused, key }: RecordWrite): string {
  const own = key ?? crypto.randomUUID()
  enqueue({
    key: own,
    lane,
    label,
    send: () => send(own),
    refused(error) {
      refused?.(error)
      if (!(error instanceof Problem)) return
      const why = error.details[0]?.message ?? error.message
      toast({ text: m.notDone(label, why), tone: 'trouble', request_id: error.request_id })
    },
  })
  return own
}

interface Removal {
  id: string
  /** The ids of those whose deletion can still be undone: they are not shown. */
  hidden: Signal<ReadonlySet<string>>
  send: (options: Options) => Promise<unknown>
  /** It is gone by now, by this deletion or another. */
  gone: () => void
}

/**
 * Deletes what cannot be restored: gone from the screen at once, sent when the toast ends, so that it
 * can be undone until then; `keepalive` lets it out even if the page is being left.
 */
export function removeLater(text: string, { id, hidden, send, gone }: Removal): void {
  const show = () => hidden.set(new Set([...hidden.get()].filter((one) => one !== id)))
  const remove = async (idempotencyKey: string) => {
    try {
      await send({ idempotencyKey, keepalive: true })
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 404) throw error
    }
    gone()
  }
  hidden.set(new Set([...hidden.get(), id]))
  toast({
    text,
    undo: show,
    onEnd: () =>
      void sendRecord({ lane: crypto.randomUUID(), label: text, send: remove, refused: show }),
  })
}
