import { useState } from 'react'
import type { createWebhook, updateWebhook, Webhook } from '#resources/webhooks/contract.ts'
import { EVENT_KINDS, type EventKind } from '#wire/events.ts'
import { useBootSignal } from '../../../data/boot.ts'
import { toast } from '../../../data/toasts.ts'
import { call } from '../../../lib/call.ts'
import { m as common } from '../../../messages/settings.ts'
import { m } from '../../../messages/webhooks.ts'
import { openDialog } from '../../../ui/dialog.tsx'
import { Check, TextField } from '../../../ui/field.tsx'
import { Form, Submit, useForm } from '../../../ui/form.tsx'
import { FormActs } from '../../../ui/form-acts.tsx'
import { GroupLine } from '../../../ui/group-line.tsx'
import { replace } from './acts.ts'
import { hostOf } from './host.ts'

/** Opens the form for a new webhook, or for one that is there; `onSaved` gets what was made of it. */
export function openHookForm(webhook?: Webhook, onSaved?: (saved: Webhook) => void): void {
  openDialog({
    title: webhook ? m.formEdit(hostOf(webhook.url)) : m.formNew,
    wide: true,
    body: (close) => (
      <HookForm
        {...(webhook && { webhook })}
        onCancel={close}
        onSaved={(saved) => {
          close()
          replace(saved)
          onSaved?.(saved)
          if (webhook) toast({ text: m.saved })
        }}
      />
    ),
  })
}

interface Props {
  webhook?: Webhook
  onCancel: () => void
  onSaved: (saved: Webhook) => void
}

function HookForm({ webhook, onCancel, onSaved }: Props) {
  const [events, setEvents] = useState<readonly string[]>(webhook?.events ?? ['*'])
  const [projects, setProjects] = useState(webhook?.project_ids ?? null)
  const send = async ({ url = '', description = '' }) => {
    const kinds = events.includes('*') ? ['*' as const] : EVENT_KINDS.filter(isIn(events))
    const body = {
      ...{ url: url.trim(), events: kinds, project_ids: projects },
      description: description.trim() || null,
    }
    onSaved(
      webhook
        ? await call<typeof updateWebhook>('PATCH /api/v1/webhooks/:id', {
            params: { id: webhook.id },
            body,
          })
        : await call<typeof createWebhook>('POST /api/v1/webhooks', { body }),
    )
  }
  return (
    <Form label={m.formNew} onSubmit={send}>
      <TextField
        label={m.url}
        name="url"
        type="url"
        inputMode="url"
        defaultValue={webhook?.url ?? ''}
        hint={m.urlHint}
        autoComplete="off"
        spellCheck={false}
        maxLength={2048}
        required
      />
      <Events chosen={events} onChange={setEvents} />
      <Projects chosen={projects} onChange={setProjects} />
      <TextField
        label={m.about}
        name="description"
        defaultValue={webhook?.description ?? ''}
        hint={m.aboutHint}
        maxLength={200}
      />
      <FormActs onCancel={onCancel}>
        <Submit>{webhook ? common.save : m.createDo}</Submit>
      </FormActs>
    </Form>
  )
}

const isIn = (events: readonly string[]) => (kind: EventKind) => events.includes(kind)

interface Several<T> {
  chosen: T
  onChange: (chosen: T) => void
}

function Events({ chosen, onChange }: Several<readonly string[]>) {
  const error = useForm().errorAt('events')
  const isAll = chosen.includes('*')
  return (
    <GroupLine label={m.events} error={error}>
      <input type="hidden" name="events" />
      <Check radio name="all-events" checked={isAll} onChange={() => onChange(['*'])}>
        {m.allEvents}
      </Check>
      <Check
        radio
        name="all-events"
        checked={!isAll}
        onChange={() => onChange(isAll ? EVENT_KINDS : chosen)}
      >
        {m.chosenEvents}
      </Check>
      {!isAll && (
        <div className="several">
          {EVENT_KINDS.map((kind) => (
            <Check
              key={kind}
              checked={chosen.includes(kind)}
              onChange={() => onChange(toggled(chosen, kind))}
            >
              {m.eventWords[kind]}
            </Check>
          ))}
        </div>
      )}
    </GroupLine>
  )
}

function Projects({ chosen, onChange }: Several<string[] | null>) {
  const error = useForm().errorAt('project_ids')
  const all = useBootSignal()?.projects ?? []
  return (
    <GroupLine label={m.inProjects} error={error} hint={chosen && m.noMembers}>
      <input type="hidden" name="project_ids" />
      <Check radio name="all-projects" checked={!chosen} onChange={() => onChange(null)}>
        {m.allProjects}
      </Check>
      <Check
        radio
        name="all-projects"
        checked={chosen !== null}
        onChange={() => onChange(chosen ?? [])}
      >
        {m.chosenProjects}
      </Check>
      {chosen && (
        <div className="several">
          {all.map(({ id, name, prefix }) => (
            <Check
              key={id}
              checked={chosen.includes(id)}
              onChange={() => onChange(toggled(chosen, id))}
            >
              <span className="mono">{prefix}</span> {name}
            </Check>
          ))}
        </div>
      )}
    </GroupLine>
  )
}

const toggled = (all: readonly string[], one: string): string[] =>
  all.includes(one) ? all.filter((each) => each !== one) : [...all, one]
