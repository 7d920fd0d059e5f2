import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { replayEvents } from '#resources/deliveries/contract.ts'
import type { Webhook } from '#resources/webhooks/contract.ts'
import { queries } from '../../../data/refetch.ts'
import { toast } from '../../../data/toasts.ts'
import { call } from '../../../lib/call.ts'
import { m } from '../../../messages/webhooks.ts'
import { openDialog } from '../../../ui/dialog.tsx'
import { FormLine, SelectField, TextField } from '../../../ui/field.tsx'
import { Form, Submit } from '../../../ui/form.tsx'
import { FormActs } from '../../../ui/form-acts.tsx'
import { TroubleLine } from '../../../ui/trouble.tsx'
import { countWanted, sequenceSince } from './count-events.ts'
import { hostOf } from './host.ts'

const SPANS_MS = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 }
type From = keyof typeof m.froms

/** Sends events of the log once more: counts first what that would be. */
export function openReplay(webhook: Webhook, sequence?: number): void {
  openDialog({
    title: m.replayTitle(hostOf(webhook.url)),
    body: (close) => (
      <ReplayForm webhook={webhook} {...(sequence !== undefined && { sequence })} onClose={close} />
    ),
  })
}

interface Props {
  webhook: Webhook
  sequence?: number
  onClose: () => void
}

function ReplayForm({ webhook, sequence, onClose }: Props) {
  const [from, setFrom] = useState<From>(sequence === undefined ? 'hour' : 'number')
  const [typed, setTyped] = useState(String(sequence ?? ''))
  const { data: found, error, isFetching } = useFound(webhook, from, typed)
  const send = async () => {
    if (!found?.from_sequence) return
    const body = { from_sequence: found.from_sequence }
    const sent = { params: { id: webhook.id }, body }
    const { queued } = await call<typeof replayEvents>('POST /api/v1/webhooks/:id/replay', sent)
    onClose()
    toast({ text: m.replayed(queued) })
    await queries.invalidateQueries({ queryKey: ['deliveries', webhook.id] })
  }
  const isNone = !found || found.count === 0
  return (
    <Form label={m.replay} onSubmit={send}>
      <SelectField
        label={m.from}
        name="from"
        value={from}
        onChange={({ target }) => setFrom(fromOf(target.value))}
        options={fromsOf(webhook).map((value) => ({ value, label: m.froms[value] }))}
      />
      {from === 'number' && (
        <TextField
          label={m.sequence}
          name="from_sequence"
          inputMode="numeric"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
      <FormLine>
        <p aria-live="polite">
          {isFetching
            ? m.counting
            : found && (found.more ? m.countMore(found.count) : countText(found.count))}
        </p>
        {error && !isFetching && <TroubleLine error={error} />}
        <p className="hint">{m.replayWhy}</p>
      </FormLine>
      <FormActs onCancel={onClose}>
        <Submit {...(isNone && { reason: isFetching ? m.counting : m.countNone })}>
          {m.replayDo}
        </Submit>
      </FormActs>
    </Form>
  )
}

const countText = (count: number) => (count === 0 ? m.countNone : m.count(count))

/** Where the events begin that are meant, and how many of them there are. */
const useFound = (webhook: Webhook, from: From, typed: string) => {
  const number = Number(typed)
  const isNumber = from === 'number'
  return useQuery({
    queryKey: ['replay', webhook.id, from, isNumber && number],
    enabled: !isNumber || (Number.isInteger(number) && number > 0),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    queryFn: async ({ signal }) => {
      const from_sequence = isNumber
        ? number
        : await sequenceSince(instantOf(webhook, from), signal)
      const none = { count: 0, more: false }
      const counted = from_sequence ? await countWanted(webhook, from_sequence, signal) : none
      return { from_sequence, ...counted }
    },
  })
}

function instantOf({ last_success_at }: Webhook, from: Exclude<From, 'number'>): number {
  if (from === 'success') return last_success_at === null ? 0 : Date.parse(last_success_at)
  return Date.now() - SPANS_MS[from]
}

const ALL: readonly From[] = ['hour', 'day', 'week', 'success', 'number']
const fromsOf = ({ last_success_at }: Webhook) =>
  ALL.filter((one) => one !== 'success' || last_success_at !== null)
const fromOf = (value: string): From => ALL.find((one) => one === value) ?? 'hour'
