import type { undoOperations } from '#resources/operations/contract.ts'
import type { EndpointReply } from '#wire/endpoint.ts'
import { toPersonWords } from '../../lib/http/problem-words.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { noteOperations, operationsOf } from '../../lib/http/request-operations.ts'
import { recordChangeMessages } from '../../messages/app/record-changes.ts'
import { formatList } from '../../messages/plural.ts'
import { showToast } from '../app/toasts.ts'
import { invalidate, refetchLists, refetchSoon } from '../cache/query-client.ts'
import { recordReplica, takeRecordDeletion } from '../resources/held-records.ts'
import { scheduleBootReload } from '../session/boot.ts'
import { taskReplica } from '../tasks/task-replica.ts'
import { getServerTask } from '../tasks/task-store.ts'
import type { MutationKind } from './mutation-entry.ts'
import { showNotDone } from './record-mutations.ts'
import type { MutationOfKind } from './stored-mutation.ts'

type UndoReply = EndpointReply<typeof undoOperations>
type LeftPart = UndoReply['left'][number]

const MAX_NAMED = 5
const MAX_PER_REQUEST = 100

/**
 * The undo of a mutation by the server, which takes back what nobody has changed since. It is sent behind that
 * mutation, whose operations are known by then, if its reply has come.
 */
export const undoKind: MutationKind<MutationOfKind<'undo'>> = {
  async send({ of, operation_ids, changes }, { key }) {
    // What this page has noted is complete by now; an earlier page has stored all with its reply.
    const noted = operationsOf(of)
    const known = noted.length > 0 ? noted : operation_ids
    // The change had no effect, or its reply is lost, and then only the server knows of it.
    if (known.length === 0) showToast({ text: recordChangeMessages.unknownChange, tone: 'trouble' })
    const left: LeftPart[] = []
    for (let at = 0; at < known.length; at += MAX_PER_REQUEST) {
      const ids = known.slice(at, at + MAX_PER_REQUEST)
      const numbers = new Map(
        [...recordReplica.records()].map(({ id }) => [id, recordReplica.getNumber(id)]),
      )
      const { body } = await requestEndpointForResult<typeof undoOperations>(
        'POST /api/v1/operations/undo',
        { body: { ids } },
        { idempotencyKey: at === 0 ? key : `${key}-${at}` },
      )
      noteOperations(key, body.operation_ids)
      // Without fields, the record itself was deleted or restored. One that was here is deleted, or has another
      // number by now, because the stream has told of it.
      const deleted = body.undone.flatMap(({ record_id: id, fields }) =>
        fields.length === 0 && numbers.get(id) !== undefined ? id : [],
      )
      const gone = body.left.flatMap(({ record_id: id, code }) => (code === 'gone' ? id : []))
      for (const id of [...deleted, ...gone]) {
        const number = numbers.get(id)
        const isTold = recordReplica.getNumber(id) !== number
        if (number !== undefined && !isTold)
          await takeRecordDeletion(id, recordReplica.position?.n ?? number)
      }
      const task_ids = changes.map(({ from }) => from.id)
      await readAgain(body, task_ids, new Set([...deleted, ...gone]))
      left.push(...body.left)
    }
    if (left.length > 0) showLeft(left)
    return []
  },
  revert: (_, error) => showNotDone(recordChangeMessages.undo, error),
}

/** Reads what an undo has changed, before it is no longer shown on top of that. */
async function readAgain(
  { undone, left }: UndoReply,
  task_ids: readonly string[],
  deleted: ReadonlySet<string>,
): Promise<void> {
  const ids = [...undone, ...left].map(({ record_id }) => record_id)
  const tasks = new Set([...ids, ...task_ids].filter((id) => id.startsWith('tsk_')))
  const records = ids.filter((id) => /^(cmt|tme|tag|att)_/.test(id) && !deleted.has(id))
  await Promise.all([
    ...(tasks.size > 0 ? [taskReplica.read([...tasks])] : []),
    ...(records.length > 0 ? [recordReplica.read(records)] : []),
  ])
  if (ids.some((id) => id.startsWith('viw_'))) {
    scheduleBootReload()
    await invalidate({ queryKey: ['views'] })
  }
  if (ids.some((id) => id.startsWith('tpl_'))) await invalidate({ queryKey: ['templates'] })
  for (const id of tasks) refetchSoon(['activity', id])
  for (const name of ['search', 'trash']) refetchSoon([name])
  refetchLists()
}

/** Says what stays as it is, and why. */
function showLeft(left: readonly LeftPart[]): void {
  const named = new Map(left.map((one) => [one.record_id, one]))
  const names = [...named.values()]
    .slice(0, MAX_NAMED)
    .map(({ record_id }) => getServerTask(record_id)?.short_id)
    .filter((name) => name !== undefined)
  const [{ code, message } = { code: 'changed_since', message: '' }] = left
  const isChanged = code === 'changed_since'
  const reason = isChanged ? undefined : toPersonWords({ code, message, details: [] }).message
  const text = recordChangeMessages.leftAsIs(named.size, formatList(names), reason)
  showToast({ text, tone: 'trouble' })
}
