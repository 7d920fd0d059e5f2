import type { ApiCall } from '../../sdk/src/docket.ts'
import { getMe, listOperations, type Operation, undoOperation } from '../../sdk/src/index.ts'
import type { CommandContext, CommandDefinition } from './command.ts'
import { formatJson } from './output.ts'

/** Prints the result of a write; that of a trial says so. */
export async function finishWrite(
  { output, isDryRun }: CommandContext,
  { data, text }: { data: unknown; text: string },
): Promise<void> {
  if (!isDryRun) return output.result(data, output.wrap(text))
  const trial = output.wrap(`Dry run, nothing was changed: ${text}`)
  await output.result(data, trial, { dry_run: true })
}

/** Prints requests that a dry run would have sent, for writes that the server cannot try out. */
export async function printRequests(
  { output }: CommandContext,
  requests: readonly Pick<ApiCall, 'method' | 'path' | 'body'>[],
): Promise<void> {
  const lines = requests.map(({ method, path, body }) =>
    [method, path, ...(body === undefined ? [] : [formatJson(body)])].join(' '),
  )
  const text = ['Dry run, nothing was changed. It would send:', ...lines].join('\n')
  await output.result({ requests }, text, { dry_run: true })
}

async function undo(context: CommandContext) {
  const { input, output, connect, isDryRun: dryRun } = context
  const { docket } = connect()
  const named = input.argument('operation')
  const last = named === undefined ? await findLast(context) : undefined
  const id = named ?? last?.id
  if (id === undefined) return output.result(null, 'There is nothing to undo.')
  const query = input.flag('rest') ? { only: 'unchanged' as const } : {}
  const result = await undoOperation(docket, id, query, { dryRun })
  const left = result.left.map(({ record_id, field, message }) =>
    [`Left: ${record_id}`, ...(field === null ? [] : [field]), message].join(' '),
  )
  const isUndone = result.undone_count > 0
  const summary = isUndone ? `${last ? describe(last) : id} undone` : 'Nothing was undone'
  const text = [summary, ...left].join('\n')
  await finishWrite(context, { data: result, text })
}

/** The newest operation of the credential that is in force and no undo. */
async function findLast({ connect }: CommandContext): Promise<Operation | undefined> {
  const { docket } = connect()
  const { credential } = await getMe(docket)
  for await (const operation of listOperations(docket, { credential_id: credential.id })) {
    if (operation.undoes_id === null && operation.undone_by_id === null) return operation
  }
  return undefined
}

const describe = ({ changes: [change], id }: Operation): string =>
  change ? `${change.event_type} “${change.name ?? change.record_id}”` : id

/** Undoes operations. */
export const UNDO_COMMAND: CommandDefinition = {
  name: 'undo',
  summary: 'Undo an operation, or the last one of your credential',
  details:
    'Run it again for the operation before. It changes nothing if somebody has changed any of it since; --rest undoes what nobody has changed. The server keeps operations for 30 days.',
  args: [
    {
      name: 'operation',
      about: 'Its id; default: the last one of your credential',
      isOptional: true,
    },
  ],
  options: { rest: { about: 'Leave what has been changed since, and undo the rest' } },
  isWrite: true,
  run: undo,
}
