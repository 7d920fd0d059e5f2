import { useQuery } from '@tanstack/react-query'
import type {
  Attachment,
  deleteAttachment,
  listAttachments,
} from '#resources/attachments/contract.ts'
import { answered, call } from '../lib/call.ts'
import { signal } from '../lib/signal.ts'
import { upload } from '../lib/upload.ts'
import { m } from '../messages/data.ts'
import { rereadTask } from './one-task.ts'
import { noteOwn } from './own.ts'
import { removeLater } from './records.ts'
import { queries } from './refetch.ts'

export type { Attachment }

/** The attachments of a task: 100 at the most, the oldest first. */
export function useAttachments(task_id: string) {
  const { data, error, refetch } = useQuery({
    queryKey: ['attachments', task_id],
    queryFn: ({ signal }) => {
      const sent = { params: { id: task_id }, query: { limit: 200 } }
      return call<typeof listAttachments>('GET /api/v1/tasks/:id/attachments', sent, { signal })
    },
  })
  return { attachments: data?.data, error, retry: () => void refetch() }
}

/** A file on its way up. */
export interface Sending {
  key: string
  task_id: string
  file: File
  /** How much has left, 0 to 1. */
  part: number
  error: unknown
}

export const sendings = signal<readonly Sending[]>([])
/** Attachments whose deletion can still be undone. */
export const hiddenAttachments = signal<ReadonlySet<string>>(new Set())

const aborts = new Map<string, AbortController>()

/** Sends files to a task; resolves with those that arrived. */
export async function sendFiles(task_id: string, files: readonly File[]): Promise<Attachment[]> {
  const begun = files.map((file) => {
    const key = crypto.randomUUID()
    sendings.set([...sendings.get(), { key, task_id, file, part: 0, error: undefined }])
    return key
  })
  const arrived: Attachment[] = []
  // One after the other: the first is there sooner than all of them would be together.
  for (const key of begun) {
    const attachment = await sendOne(key)
    if (attachment) arrived.push(attachment)
  }
  return arrived
}

/** Sends a file again whose sending failed; with the same key, so that it arrives once. */
export const resend = (key: string): void => void sendOne(key)

/** Gives a file up, whether it is being sent or has failed. */
export function cancelSending(key: string): void {
  aborts.get(key)?.abort(new DOMException('given up', 'AbortError'))
  sendings.set(sendings.get().filter((one) => one.key !== key))
}

async function sendOne(key: string): Promise<Attachment | undefined> {
  const found = sendings.get().find((one) => one.key === key)
  if (!found) return
  const { task_id, file } = found
  const abort = new AbortController()
  aborts.set(key, abort)
  update(key, { part: 0, error: undefined })
  try {
    const name = encodeURIComponent(file.name || m.pastedFile)
    const url = `/api/v1/tasks/${task_id}/attachments?filename=${name}`
    const onProgress = (part: number) => update(key, { part })
    const options = { onProgress, signal: abort.signal, idempotencyKey: key }
    const { body, operation_id } = await upload<Attachment>(url, file, options)
    noteOwn(operation_id)
    sendings.set(sendings.get().filter((one) => one.key !== key))
    patch(task_id, (all) => [...all.filter(({ id }) => id !== body.id), body])
    rereadTask(task_id)
    return body
  } catch (error) {
    if (!abort.signal.aborted) update(key, { error })
    return undefined
  } finally {
    aborts.delete(key)
  }
}

/** Deletes an attachment when its toast ends. */
export function removeAttachment({ id, task_id, filename }: Attachment): void {
  const to = 'DELETE /api/v1/attachments/:id'
  removeLater(m.attachmentDeleted(filename), {
    ...{ id, hidden: hiddenAttachments },
    async send(options) {
      const { operation_id } = await answered<typeof deleteAttachment>(
        to,
        { params: { id } },
        options,
      )
      noteOwn(operation_id)
    },
    gone() {
      patch(task_id, (all) => all.filter((one) => one.id !== id))
      rereadTask(task_id)
    },
  })
}

const update = (key: string, change: Partial<Sending>): void =>
  sendings.set(sendings.get().map((one) => (one.key === key ? { ...one, ...change } : one)))

interface Page {
  data: Attachment[]
}

function patch(task_id: string, change: (all: Attachment[]) => Attachment[]): void {
  queries.setQueryData<Page>(['attachments', task_id], (page) =>
    page ? { ...page, data: change(page.data) } : page,
  )
}

addEventListener('beforeunload', (event) => {
  if (sendings.get().some(({ error }) => error === undefined)) event.preventDefault()
})
