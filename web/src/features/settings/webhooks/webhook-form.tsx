import { useState } from 'react'
import type {
  createWebhook,
  updateWebhook,
  Webhook,
  WebhookWithSecret,
} from '#resources/webhooks/contract.ts'
import { EVENT_KINDS, type EventKind } from '#wire/event-kinds.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { useBoot } from '../../../data/session/boot.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { webhookMessages } from '../../../messages/settings/webhooks.ts'
import { FieldGroup } from '../../../ui/form/field-group.tsx'
import { Form, SubmitButton, useForm } from '../../../ui/form/form.tsx'
import { FormActions } from '../../../ui/form/form-actions.tsx'
import { CheckField, TextField } from '../../../ui/form/form-field.tsx'
import { pickChangedFields } from '../../../ui/form/use-record-edits.ts'
import { useRequestKeys } from '../../../ui/form/use-request-keys.ts'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { formatWebhookUrl } from './format-webhook-url.ts'
import { cacheWebhook } from './webhook-commands.ts'

/** A new webhook has its secret. */
type SavedWebhook = Webhook | WebhookWithSecret

/** Opens the form for a new or an existing webhook; `onSaved` receives the result. */
export function openWebhookForm(webhook?: Webhook, onSaved?: (saved: SavedWebhook) => void): void {
  openDialog({
    title: webhook
      ? webhookMessages.formEdit(formatWebhookUrl(webhook.url))
      : webhookMessages.formNew,
    wide: true,
    body: (close) => (
      <WebhookForm
        {...(webhook && { webhook })}
        onCancel={close}
        onSaved={(saved) => {
          close()
          cacheWebhook(saved)
          onSaved?.(saved)
          if (webhook) showToast({ text: webhookMessages.saved })
        }}
      />
    ),
  })
}

interface WebhookFormProps {
  webhook?: Webhook
  onCancel: () => void
  onSaved: (saved: SavedWebhook) => void
}

function WebhookForm({ webhook, onCancel, onSaved }: WebhookFormProps) {
  const [events, setEvents] = useState<readonly string[]>(webhook?.events ?? ['*'])
  const [projects, setProjects] = useState(webhook?.project_ids ?? null)
  const keyOf = useRequestKeys()
  const send = async ({ url = '', description = '' }) => {
    const kinds = events.includes('*') ? ['*' as const] : EVENT_KINDS.filter(isIncludedIn(events))
    const body = {
      url: url.trim(),
      events: kinds,
      project_ids: projects,
      description: description.trim() || null,
    }
    onSaved(
      webhook
        ? await requestEndpoint<typeof updateWebhook>('PATCH /api/v1/webhooks/:id', {
            params: { id: webhook.id },
            body: pickChangedFields(webhook, body),
          })
        : await requestEndpoint<typeof createWebhook>(
            'POST /api/v1/webhooks',
            { body },
            { idempotencyKey: keyOf(body) },
          ),
    )
  }
  return (
    <Form guard="typed" label={webhookMessages.formNew} onSubmit={send}>
      <TextField
        label={webhookMessages.url}
        name="url"
        type="url"
        inputMode="url"
        defaultValue={webhook?.url ?? ''}
        hint={webhookMessages.urlHint}
        autoComplete="off"
        spellCheck={false}
        maxLength={2048}
        required
      />
      <EventKindsField chosen={events} onChange={setEvents} />
      <WebhookProjectsField chosen={projects} onChange={setProjects} />
      <TextField
        label={webhookMessages.about}
        name="description"
        defaultValue={webhook?.description ?? ''}
        hint={webhookMessages.aboutHint}
        maxLength={200}
      />
      <FormActions onCancel={onCancel}>
        <SubmitButton>{webhook ? settingsMessages.save : webhookMessages.createDo}</SubmitButton>
      </FormActions>
    </Form>
  )
}

const isIncludedIn = (events: readonly string[]) => (kind: EventKind) => events.includes(kind)

interface MultiSelectProps<T> {
  chosen: T
  onChange: (chosen: T) => void
}

const EVENT_NOUNS = [...new Set(EVENT_KINDS.map((kind) => kind.replace(/\..*/, '')))]

function EventKindsField({ chosen, onChange }: MultiSelectProps<readonly string[]>) {
  const { eventGroups } = webhookMessages
  const error = useForm().errorAt('events')
  const isAll = chosen.includes('*')
  return (
    <FieldGroup label={webhookMessages.events} error={error}>
      <input type="hidden" name="events" />
      <CheckField radio name="all-events" checked={isAll} onChange={() => onChange(['*'])}>
        {webhookMessages.allEvents}
      </CheckField>
      <CheckField
        radio
        name="all-events"
        checked={!isAll}
        onChange={() => onChange(isAll ? EVENT_KINDS : chosen)}
      >
        {webhookMessages.chosenEvents}
      </CheckField>
      {!isAll &&
        EVENT_NOUNS.map((noun) => (
          <fieldset key={noun} className="several" aria-label={eventGroups[noun]}>
            <span className="hint">{eventGroups[noun]}</span>
            {EVENT_KINDS.filter((kind) => kind.startsWith(`${noun}.`)).map((kind) => (
              <CheckField
                key={kind}
                checked={chosen.includes(kind)}
                onChange={() => onChange(toggleItem(chosen, kind))}
              >
                {webhookMessages.eventWords[kind]}
              </CheckField>
            ))}
          </fieldset>
        ))}
    </FieldGroup>
  )
}

function WebhookProjectsField({ chosen, onChange }: MultiSelectProps<string[] | null>) {
  const error = useForm().errorAt('project_ids')
  const all = useBoot('projects').projects
  return (
    <FieldGroup
      label={webhookMessages.inProjects}
      error={error}
      hint={chosen && webhookMessages.noMembers}
    >
      <input type="hidden" name="project_ids" />
      <CheckField radio name="all-projects" checked={!chosen} onChange={() => onChange(null)}>
        {webhookMessages.allProjects}
      </CheckField>
      <CheckField
        radio
        name="all-projects"
        checked={chosen !== null}
        onChange={() => onChange(chosen ?? [])}
      >
        {webhookMessages.chosenProjects}
      </CheckField>
      {chosen && (
        <div className="several">
          {all.map(({ id, name, prefix }) => (
            <CheckField
              key={id}
              checked={chosen.includes(id)}
              onChange={() => onChange(toggleItem(chosen, id))}
            >
              <span className="mono">{prefix}</span> {name}
            </CheckField>
          ))}
        </div>
      )}
    </FieldGroup>
  )
}

const toggleItem = (items: readonly string[], item: string): string[] =>
  items.includes(item) ? items.filter((one) => one !== item) : [...items, item]
