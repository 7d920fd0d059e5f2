import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import type {
  archiveProject,
  unarchiveProject,
  updateProject,
} from '#resources/projects/internal.ts'
import { useBoot } from '../../../data/boot.ts'
import { toast } from '../../../data/toasts.ts'
import { call } from '../../../lib/call.ts'
import { m } from '../../../messages/projects.ts'
import { Button } from '../../../ui/button.tsx'
import { FormLine, SelectField, TextArea, TextField } from '../../../ui/field.tsx'
import { Form, Submit } from '../../../ui/form.tsx'
import { FormActs } from '../../../ui/form-acts.tsx'
import { Band } from '../../settings/head.tsx'
import { tell } from '../../settings/tell.ts'
import { takeProject } from '../known.ts'
import { VisibilityField } from '../visibility-field.tsx'
import { HueSelect } from './hue-select.tsx'

export interface SettingProps {
  project: Project
  /** Why the person may not change it. */
  reason: string | undefined
}

/** Name, looks, prefix, lead, dates, who sees it; and the archive. */
export function General({ project, reason }: SettingProps) {
  const boot = useBoot()
  const navigate = useNavigate()
  const [prefix, setPrefix] = useState(project.prefix)
  const [visibility, setVisibility] = useState(project.visibility)
  const [color, setColor] = useState(project.color)
  const send = async (values: Record<string, string>) => {
    const { name = '', icon = '', description = '', lead_id, start_date, target_date } = values
    const body = changesOf(project, {
      ...{ name, prefix, color, visibility },
      icon: icon.trim() || null,
      description: description || null,
      lead_id: lead_id || null,
      start_date: start_date || null,
      target_date: target_date || null,
    })
    const sent = { params: { id: project.id }, body }
    const saved = await call<typeof updateProject>('PATCH /internal/projects/:id', sent)
    takeProject(saved)
    toast({ text: m.saved })
    if (saved.prefix !== project.prefix) {
      const params = { workspaceId: boot.session.workspace.id, prefix: saved.prefix }
      await navigate({ to: '/w/$workspaceId/p/$prefix/settings', params, replace: true })
    }
  }
  const isHiding = visibility === 'private' && project.visibility !== 'private'
  const leads = boot.members.filter(({ status }) => status === 'active')
  return (
    <>
      <Form className="set-form" label={m.tabs.general} onSubmit={send}>
        <fieldset className="set-fields" disabled={reason !== undefined}>
          <TextField
            label={m.fields.name}
            name="name"
            defaultValue={project.name}
            autoComplete="off"
            maxLength={100}
            required
          />
          <TextField
            label={m.fields.icon}
            name="icon"
            defaultValue={project.icon ?? ''}
            hint={m.iconHint}
            autoComplete="off"
            maxLength={32}
          />
          <HueSelect label={m.fields.color} name="color" value={color} onChange={setColor} />
          <TextArea
            label={m.fields.description}
            name="description"
            defaultValue={project.description ?? ''}
            rows={4}
            maxLength={65_536}
          />
          <TextField
            label={m.fields.prefix}
            name="prefix"
            value={prefix}
            onChange={({ target }) => setPrefix(target.value.toUpperCase())}
            hint={
              prefix === project.prefix
                ? m.prefixHint(prefix)
                : m.prefixChange(project.prefix, prefix)
            }
            autoComplete="off"
            spellCheck={false}
            maxLength={10}
            required
          />
          <SelectField
            label={m.fields.lead}
            name="lead_id"
            defaultValue={project.lead_id ?? ''}
            options={[
              { value: '', label: m.nobody },
              ...leads.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
          <TextField
            label={m.fields.start}
            name="start_date"
            type="date"
            defaultValue={project.start_date ?? ''}
          />
          <TextField
            label={m.fields.target}
            name="target_date"
            type="date"
            defaultValue={project.target_date ?? ''}
          />
          <VisibilityField
            value={visibility}
            onChange={setVisibility}
            hint={isHiding ? m.privateChange : undefined}
          />
        </fieldset>
        <FormActs>
          <Submit reason={reason}>{m.save}</Submit>
        </FormActs>
      </Form>
      <Archive project={project} reason={reason} />
    </>
  )
}

/** Only what differs, so that a form that was open for long takes nothing back. */
function changesOf<T extends Partial<Project>>(project: Project, wanted: T): Partial<T> {
  const entries = Object.entries(wanted).filter(
    ([name, value]) => project[name as keyof Project] !== value,
  )
  return Object.fromEntries(entries) as Partial<T>
}

function Archive({ project, reason }: SettingProps) {
  const [busy, setBusy] = useState(false)
  const isArchived = project.status === 'archived'
  const act = async () => {
    const sent = { params: { id: project.id }, body: {} }
    setBusy(true)
    try {
      takeProject(
        isArchived
          ? await call<typeof unarchiveProject>('POST /internal/projects/:id/unarchive', sent)
          : await call<typeof archiveProject>('POST /internal/projects/:id/archive', sent),
      )
      toast({ text: isArchived ? m.unarchivedDone(project.name) : m.archivedDone(project.name) })
    } catch (error) {
      tell(error)
    }
    setBusy(false)
  }
  return (
    <section aria-label={m.archive}>
      <Band title={m.archive} />
      <div className="sheet-form set-form">
        <FormLine>
          <p>{m.archiveWhy}</p>
          <div className="acts">
            <Button busy={busy} reason={reason} onClick={act}>
              {isArchived ? m.unarchiveDo : m.archiveDo}
            </Button>
          </div>
        </FormLine>
      </div>
    </section>
  )
}
