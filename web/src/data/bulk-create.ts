import type { bulkTasks } from '#resources/tasks/contract.ts'
import { answered } from '../lib/call.ts'
import { Problem } from '../lib/problem.ts'
import { m } from '../messages/data.ts'
import { noteLocal } from './local-changes.ts'
import { noteOwn } from './own.ts'
import { enqueue } from './queue.ts'
import { refetchLists } from './refetch.ts'
import type { NewTask } from './task-create.ts'
import { adopt, dropTask, putTasks } from './task-store.ts'
import type { Task } from './task-view.ts'
import { toast } from './toasts.ts'

const AT_ONCE = 100
const LANE = 'bulk'

/** Makes many tasks, a hundred a request, in their order; placeholders stand for them meanwhile. */
export function addTasks(
  made: readonly { body: NewTask; placeholder: Task }[],
  label: string,
): void {
  for (const { placeholder } of made) noteLocal(placeholder)
  putTasks(made.map(({ placeholder }) => placeholder))
  for (let at = 0; at < made.length; at += AT_ONCE) addSome(made.slice(at, at + AT_ONCE), label)
}

function addSome(made: readonly { body: NewTask; placeholder: Task }[], label: string): void {
  const key = crypto.randomUUID()
  const operations = made.map(({ body }) => ({
    op: 'create' as const,
    data: body as unknown as Record<string, unknown>,
  }))
  const tell = (why: string, request_id?: string) =>
    toast({ text: m.notDone(label, why), tone: 'trouble', ...(request_id && { request_id }) })
  enqueue({
    ...{ key, lane: LANE, label },
    async send() {
      const sent = { body: { operations, atomic: false } }
      const to = 'POST /api/v1/tasks/bulk'
      const { body } = await answered<typeof bulkTasks>(to, sent, { idempotencyKey: key })
      for (const { index, data, error, operation_id } of body.results) {
        noteOwn(operation_id ?? undefined)
        const id = made[index]?.placeholder.id ?? ''
        if (data) adopt(id, data)
        else {
          dropTask(id)
          tell(error?.details[0]?.message ?? error?.message ?? m.notSent)
        }
      }
      refetchLists()
    },
    refused(error) {
      for (const { placeholder } of made) dropTask(placeholder.id)
      if (error instanceof Problem) tell(error.message, error.request_id)
    },
  })
}
