import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { DAY_MS, HOUR_MS } from '#lib/durations.ts'
import type { replayEvents } from '#resources/deliveries/contract.ts'
import type { Webhook } from '#resources/webhooks/contract.ts'
import { showToast } from '../../../../data/app/toasts.ts'
import { queryClient } from '../../../../data/cache/query-client.ts'
import { requestEndpoint } from '../../../../lib/http/request-endpoint.ts'
import { webhookMessages } from '../../../../messages/settings/webhooks.ts'
import { InlineError } from '../../../../ui/feedback/error-message.tsx'
import { Form, SubmitButton } from '../../../../ui/form/form.tsx'
import { FormActions } from '../../../../ui/form/form-actions.tsx'
import { FormLine, SelectField, TextField } from '../../../../ui/form/form-field.tsx'
import { useRequestKeys } from '../../../../ui/form/use-request-keys.ts'
import { openDialog } from '../../../../ui/overlays/dialog.tsx'
import { formatWebhookUrl } from '../format-webhook-url.ts'
import { countSubscribedEvents, type EventCount, findSequenceSince } from './count-events.ts'

const RANGE_MS = { hour: HOUR_MS, day: DAY_MS, week: 604_800_000 }
type ReplayStart = keyof typeof webhookMessages.froms

/** Opens the dialog that replays events of the log; it shows their number first. */
export function openReplayDialog(webhook: Webhook, sequence?: number): void {
  openDialog({
    title: webhookMessages.replayTitle(formatWebhookUrl(webhook.url)),
    body: (close) => (
      <ReplayForm webhook={webhook} {...(sequence !== undefined && { sequence })} onClose={close} />
    ),
  })
}

interface ReplayFormProps {
  webhook: Webhook
  sequence?: number
  onClose: () => void
}

function ReplayForm({ webhook, sequence, onClose }: ReplayFormProps) {
  const [from, setFrom] = useState<ReplayStart>(sequence === undefined ? 'hour' : 'number')
  const [typed, setTyped] = useState(String(sequence ?? ''))
  const { data: matches, error, isFetching } = useMatchingEvents(webhook, from, typed)
  const keyOf = useRequestKeys()
  const send = async () => {
    if (!matches?.from_sequence) return
    const body = { from_sequence: matches.from_sequence }
    const input = { params: { id: webhook.id }, body }
    const { queued } = await requestEndpoint<typeof replayEvents>(
      'POST /api/v1/webhooks/:id/replay',
      input,
      { idempotencyKey: keyOf(input) },
    )
    onClose()
    showToast({ text: webhookMessages.replayed(queued) })
    await queryClient.invalidateQueries({ queryKey: ['deliveries', webhook.id] })
  }
  const isEmpty = !matches || matches.count === 0
  return (
    <Form label={webhookMessages.replay} onSubmit={send}>
      <SelectField
        label={webhookMessages.from}
        name="from"
        value={from}
        onChange={({ target }) => setFrom(parseStart(target.value))}
        options={getStarts(webhook).map((value) => ({
          value,
          label: webhookMessages.froms[value],
        }))}
      />
      {from === 'number' && (
        <TextField
          label={webhookMessages.sequence}
          name="from_sequence"
          inputMode="numeric"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
      <FormLine>
        <p aria-live="polite">
          {isFetching
            ? webhookMessages.counting
            : matches &&
              (matches.hasMore
                ? webhookMessages.countMore(matches.count)
                : formatCount(matches.count))}
        </p>
        {error && !isFetching && <InlineError error={error} />}
        <p className="hint">{webhookMessages.replayWhy}</p>
      </FormLine>
      <FormActions onCancel={onClose}>
        <SubmitButton
          {...(isEmpty && {
            reason: isFetching ? webhookMessages.counting : webhookMessages.countNone,
          })}
        >
          {webhookMessages.replayDo}
        </SubmitButton>
      </FormActions>
    </Form>
  )
}

const formatCount = (count: number) =>
  count === 0 ? webhookMessages.countNone : webhookMessages.count(count)

/** The sequence of the first event to replay, and the number of matching events. */
const useMatchingEvents = (webhook: Webhook, from: ReplayStart, typed: string) => {
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
        : await findSequenceSince(getStartTime(webhook, from), signal)
      const noEvents: EventCount = { count: 0, hasMore: false }
      const counted = from_sequence
        ? await countSubscribedEvents(webhook, from_sequence, signal)
        : noEvents
      return { from_sequence, ...counted }
    },
  })
}

function getStartTime({ last_success_at }: Webhook, from: Exclude<ReplayStart, 'number'>): number {
  if (from === 'success') return last_success_at === null ? 0 : Date.parse(last_success_at)
  return Date.now() - RANGE_MS[from]
}

const STARTS: readonly ReplayStart[] = ['hour', 'day', 'week', 'success', 'number']
const getStarts = ({ last_success_at }: Webhook) =>
  STARTS.filter((one) => one !== 'success' || last_success_at !== null)
const parseStart = (value: string): ReplayStart => STARTS.find((one) => one === value) ?? 'hour'
