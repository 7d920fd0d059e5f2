import type { createTimeEntry } from '#resources/time-entries/contract.ts'
import { type CallResult, requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { recordChangeMessages } from '../../messages/app/record-changes.ts'
import type { MutationKind } from '../mutations/mutation-entry.ts'
import { showNotDone } from '../mutations/record-mutations.ts'
import type { MutationOfKind } from '../mutations/stored-mutation.ts'
import { putTimeEntry, refetchTaskTime, type TimeEntry } from './time-entries.ts'

/** Logged time. The list derives from the log what is not sent, so there is nothing to revert. */
export const timeEntryKind: MutationKind<MutationOfKind<'time-entry'>> = {
  async send({ task_id, body }, { key }) {
    const to = 'POST /api/v1/tasks/:id/time-entries'
    const sent = { params: { id: task_id }, body }
    const options = { idempotencyKey: key }
    showReply(await requestEndpointForResult<typeof createTimeEntry>(to, sent, options))
    return []
  },
  revert: (_, error) => showNotDone(recordChangeMessages.timeEntry, error),
  textOf: ({ text }) => text,
}

function showReply({ body }: CallResult<TimeEntry>): void {
  putTimeEntry(body)
  refetchTaskTime(body.task_id)
}
