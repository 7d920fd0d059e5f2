import { Problem } from '../lib/problem.ts'
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

/**
 * Deletes what cannot be restored: gone from the screen at once, sent when the toast ends, so that it
 * can be undone until then; `keepalive` lets it out even if the page is being left.
 */
export function removeLater(
  text: string,
  { hide, show, send }: { hide: () => void; show: () => void } & Pick<RecordWrite, 'send'>,
): void {
  hide()
  toast({
    text,
    undo: show,
    onEnd: () => void sendRecord({ lane: crypto.randomUUID(), label: text, send, refused: show }),
  })
}
