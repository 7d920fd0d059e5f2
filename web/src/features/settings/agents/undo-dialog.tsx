import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { HOUR_MS } from '#lib/durations.ts'
import type { LeftRecord, listOperations, undoOperations } from '#resources/operations/contract.ts'
import type { EndpointReply } from '#wire/endpoint.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { getCachedTask } from '../../../data/tasks/task-store.ts'
import { today } from '../../../lib/dates/plain-date.ts'
import { toInstant } from '../../../lib/dates/time-zone.ts'
import { toPersonWords } from '../../../lib/http/problem-words.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { agentMessages } from '../../../messages/settings/agents.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { InlineError } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormActions } from '../../../ui/form/form-actions.tsx'
import { FormLine, SelectField, TextField } from '../../../ui/form/form-field.tsx'
import { useRequestKeys } from '../../../ui/form/use-request-keys.ts'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import type { AgentCredential } from './credentials.ts'

type UndoManyReply = EndpointReply<typeof undoOperations>
type UndoStart = keyof typeof agentMessages.sinces

const STARTS: readonly UndoStart[] = ['hour', 'today', 'time']
/** As many operations as a single request undoes. */
const MAX_OPERATIONS = 100
const MAX_NAMED = 8

/** Opens the dialog that takes back what a credential has done since a time. */
export const openUndoDialog = (credential: AgentCredential): void => {
  openDialog({
    title: agentMessages.undoOf(credential.name),
    body: (close) => <UndoForm credential={credential} onClose={close} />,
  })
}

interface UndoTotals {
  undone: number
  left: readonly LeftRecord[]
  leftCount: number
  isEnded: boolean
}

function UndoForm({ credential, onClose }: { credential: AgentCredential; onClose: () => void }) {
  const [start, setStart] = useState<UndoStart>('hour')
  const [openedAt] = useState(() => Date.now())
  const [day, setDay] = useState<string>(() => today())
  const [time, setTime] = useState('00:00')
  const [totals, setTotals] = useState<UndoTotals>()
  const keyOf = useRequestKeys()
  const since = toSince(start, { openedAt, day, time })
  const { data: preview, error, isFetching } = useUndoPreview(credential, since)
  const names = useRecordNames(credential, since)

  const undoAll = async () => {
    if (since === undefined) return
    let next: string | null = null
    let sum: UndoTotals = { undone: 0, left: [], leftCount: 0, isEnded: false }
    do {
      const body = { ...toChoice(credential, since), ...(next !== null && { before_id: next }) }
      const reply: UndoManyReply = await requestEndpoint<typeof undoOperations>(
        'POST /api/v1/operations/undo',
        { body },
        { idempotencyKey: keyOf(body) },
      )
      next = reply.next_before_id
      sum = {
        undone: sum.undone + reply.undone_count,
        left: [...sum.left, ...reply.left],
        leftCount: sum.leftCount + reply.left_count,
        isEnded: next === null,
      }
      setTotals(sum)
    } while (next !== null)
    showToast({ text: agentMessages.undone(sum.undone, sum.leftCount) })
    if (sum.leftCount === 0) onClose()
  }

  if (totals?.isEnded)
    return (
      <>
        <div className="dialog-text">
          <p>{agentMessages.undone(totals.undone, totals.leftCount)}</p>
          <LeftRecords left={totals.left} count={totals.leftCount} names={names} />
        </div>
        <div className="acts dialog-acts">
          <Button kind="primary" onClick={onClose}>
            {settingsMessages.done}
          </Button>
        </div>
      </>
    )
  const isEmpty = !preview || (preview.undone_count === 0 && preview.next_before_id === null)
  return (
    <Form label={agentMessages.undoOf(credential.name)} onSubmit={undoAll}>
      <SelectField
        label={agentMessages.since}
        name="start"
        value={start}
        onChange={({ target }) => setStart(STARTS.find((one) => one === target.value) ?? 'hour')}
        options={STARTS.map((value) => ({ value, label: agentMessages.sinces[value] }))}
      />
      {start === 'time' && (
        <>
          <TextField
            label={agentMessages.day}
            name="day"
            type="date"
            value={day}
            onChange={({ target }) => setDay(target.value)}
          />
          <TextField
            label={agentMessages.time}
            name="time"
            type="time"
            value={time}
            onChange={({ target }) => setTime(target.value)}
          />
        </>
      )}
      <FormLine>
        <div aria-live="polite">
          {totals && <p>{agentMessages.progress(totals.undone)}</p>}
          {!totals && isFetching && <p>{agentMessages.counting}</p>}
          {!totals && !isFetching && preview && <UndoPreview preview={preview} names={names} />}
        </div>
        {error && !isFetching && <InlineError error={error} />}
      </FormLine>
      <FormActions onCancel={onClose}>
        <SubmitButton
          {...(isEmpty && {
            reason: isFetching ? agentMessages.counting : agentMessages.takesBack(0),
          })}
        >
          {agentMessages.undoDo}
        </SubmitButton>
      </FormActions>
    </Form>
  )
}

type NameOf = (record: { record_type: string; record_id: string }) => string

function UndoPreview({ preview, names }: { preview: UndoManyReply; names: NameOf }) {
  const { undone, undone_count, left, left_count, next_before_id } = preview
  const shown = undone.slice(0, MAX_NAMED)
  return (
    <>
      <p>{agentMessages.takesBack(undone_count)}</p>
      {shown.length > 0 && (
        <ul className="quiet">
          {shown.map((record) => (
            <li key={`${record.record_id} ${record.fields.join()}`}>{names(record)}</li>
          ))}
          {undone_count > shown.length && (
            <li>{agentMessages.moreRecords(undone_count - shown.length)}</li>
          )}
        </ul>
      )}
      <LeftRecords left={left} count={left_count} names={names} />
      {next_before_id !== null && <p>{agentMessages.goesOn}</p>}
    </>
  )
}

interface LeftRecordsProps {
  left: readonly LeftRecord[]
  count: number
  names: NameOf
}

/** What stays as it is, and why. */
function LeftRecords({ left, count, names }: LeftRecordsProps) {
  if (count === 0) return null
  const shown = left.slice(0, MAX_NAMED)
  return (
    <>
      <p>{agentMessages.leaves(count)}</p>
      <ul className="quiet">
        {shown.map((record) => (
          <li key={`${record.operation_id} ${record.record_id} ${record.field}`}>
            {names(record)}: {describeLeft(record)}
          </li>
        ))}
        {count > shown.length && <li>{agentMessages.moreRecords(count - shown.length)}</li>}
      </ul>
    </>
  )
}

const describeLeft = (record: LeftRecord): string =>
  agentMessages.leftWhy[record.code] ?? toPersonWords({ ...record, details: [] }).message

/** The credential and the person for whom it acted: an application acts for others as well. */
const toChoice = ({ credential_id, user_id }: AgentCredential, since: string) => ({
  credential_id,
  user_id,
  since,
})

/** The instant of a choice; undefined while the typed one is incomplete. */
function toSince(
  start: UndoStart,
  { openedAt, day, time }: { openedAt: number; day: string; time: string },
): string | undefined {
  if (start === 'hour') return new Date(openedAt - HOUR_MS).toISOString()
  if (start === 'today') return toInstant(today(), '00:00')
  return day === '' || time === '' ? undefined : toInstant(day, time)
}

/** What an undo would take back and leave now. Only the newest operations are tried. */
const useUndoPreview = (credential: AgentCredential, since: string | undefined) =>
  useQuery({
    queryKey: ['undo-preview', credential.id, since],
    enabled: since !== undefined,
    staleTime: 0,
    gcTime: 0,
    retry: false,
    queryFn: ({ signal }) =>
      requestEndpoint<typeof undoOperations>(
        'POST /api/v1/operations/undo',
        { query: { dry_run: true }, body: toChoice(credential, since ?? '') },
        { signal },
      ),
  })

/** Names records as the operations that changed them do, or else by their type. */
function useRecordNames(credential: AgentCredential, since: string | undefined): NameOf {
  const { data } = useQuery({
    queryKey: ['undo-names', credential.id, since],
    enabled: since !== undefined,
    staleTime: 0,
    gcTime: 0,
    retry: false,
    queryFn: ({ signal }) => {
      const { credential_id, user_id } = credential
      const query = {
        credential_id,
        user_id,
        limit: MAX_OPERATIONS,
        ...(since && { created_after: since }),
      }
      return requestEndpoint<typeof listOperations>('GET /api/v1/operations', { query }, { signal })
    },
  })
  const names = new Map(
    data?.data.flatMap(({ changes }) =>
      changes.map(({ record_id, name }) => [record_id, name] as const),
    ),
  )
  return ({ record_type, record_id }) => {
    const type = agentMessages.recordTypes[record_type] ?? record_type
    const name = getCachedTask(record_id)?.title ?? names.get(record_id)
    return name ? `${type} ${name}` : type
  }
}
