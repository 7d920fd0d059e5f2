import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import type {
  archiveProject,
  unarchiveProject,
  updateProject,
} from '#resources/projects/internal.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { useBoot } from '../../../data/session/boot.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { projectMessages } from '../../../messages/projects/projects.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormActions } from '../../../ui/form/form-actions.tsx'
import { FormLine, SelectField, TextArea, TextField } from '../../../ui/form/form-field.tsx'
import { SectionHeader, showErrorToast } from '../../settings/index.ts'
import { cacheProject } from '../project-cache.ts'
import { VisibilityField } from '../visibility-field.tsx'
import { HueField } from './hue-field.tsx'

export interface ProjectSettingsProps {
  project: Project
  /** Why the user may not change the settings; undefined if they may. */
  reason: string | undefined
}

/** Name, icon, prefix, lead, dates and visibility of a project, and archiving it. */
export function GeneralSettings({ project, reason }: ProjectSettingsProps) {
  const boot = useBoot()
  const navigate = useNavigate()
  const [prefix, setPrefix] = useState(project.prefix)
  const [visibility, setVisibility] = useState(project.visibility)
  const [color, setColor] = useState(project.color)
  const send = async (values: Record<string, string>) => {
    const { name = '', icon = '', description = '', lead_id, start_date, target_date } = values
    const body = pickChanges(project, {
      ...{ name, prefix, color, visibility },
      icon: icon.trim() || null,
      description: description || null,
      lead_id: lead_id || null,
      start_date: start_date || null,
      target_date: target_date || null,
    })
    const sent = { params: { id: project.id }, body }
    const saved = await requestEndpoint<typeof updateProject>('PATCH /internal/projects/:id', sent)
    cacheProject(saved)
    showToast({ text: projectMessages.saved })
    if (saved.prefix !== project.prefix) {
      const params = { workspaceId: boot.session.workspace.id, prefix: saved.prefix }
      await navigate({ to: '/w/$workspaceId/p/$prefix/settings', params, replace: true })
    }
  }
  const isHiding = visibility === 'private' && project.visibility !== 'private'
  const leads = boot.members.filter(({ status }) => status === 'active')
  return (
    <>
      <Form className="set-form" label={projectMessages.tabs.general} onSubmit={send}>
        <fieldset className="set-fields" disabled={reason !== undefined}>
          <TextField
            label={projectMessages.fields.name}
            name="name"
            defaultValue={project.name}
            autoComplete="off"
            maxLength={100}
            required
          />
          <TextField
            label={projectMessages.fields.icon}
            name="icon"
            defaultValue={project.icon ?? ''}
            hint={projectMessages.iconHint}
            autoComplete="off"
            maxLength={32}
          />
          <HueField
            label={projectMessages.fields.color}
            name="color"
            value={color}
            onChange={setColor}
          />
          <TextArea
            label={projectMessages.fields.description}
            name="description"
            defaultValue={project.description ?? ''}
            rows={4}
            maxLength={65_536}
          />
          <TextField
            label={projectMessages.fields.prefix}
            name="prefix"
            value={prefix}
            onChange={({ target }) => setPrefix(target.value.toUpperCase())}
            hint={
              prefix === project.prefix
                ? projectMessages.prefixHint(prefix)
                : projectMessages.prefixChange(project.prefix, prefix)
            }
            autoComplete="off"
            spellCheck={false}
            maxLength={10}
            required
          />
          <SelectField
            label={projectMessages.fields.lead}
            name="lead_id"
            defaultValue={project.lead_id ?? ''}
            options={[
              { value: '', label: projectMessages.nobody },
              ...leads.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
          <TextField
            label={projectMessages.fields.start}
            name="start_date"
            type="date"
            defaultValue={project.start_date ?? ''}
          />
          <TextField
            label={projectMessages.fields.target}
            name="target_date"
            type="date"
            defaultValue={project.target_date ?? ''}
          />
          <VisibilityField
            value={visibility}
            onChange={setVisibility}
            hint={isHiding ? projectMessages.privateChange : undefined}
          />
        </fieldset>
        <FormActions>
          <SubmitButton reason={reason}>{projectMessages.save}</SubmitButton>
        </FormActions>
      </Form>
      <Archive project={project} reason={reason} />
    </>
  )
}

/** Keeps only changed fields, so that a form open for long does not revert changes of others. */
function pickChanges<T extends Partial<Project>>(project: Project, values: T): Partial<T> {
  const entries = Object.entries(values).filter(
    ([name, value]) => project[name as keyof Project] !== value,
  )
  return Object.fromEntries(entries) as Partial<T>
}

function Archive({ project, reason }: ProjectSettingsProps) {
  const [busy, setBusy] = useState(false)
  const isArchived = project.status === 'archived'
  const toggleArchived = async () => {
    const sent = { params: { id: project.id }, body: {} }
    setBusy(true)
    try {
      cacheProject(
        isArchived
          ? await requestEndpoint<typeof unarchiveProject>(
              'POST /internal/projects/:id/unarchive',
              sent,
            )
          : await requestEndpoint<typeof archiveProject>(
              'POST /internal/projects/:id/archive',
              sent,
            ),
      )
      showToast({
        text: isArchived
          ? projectMessages.unarchivedDone(project.name)
          : projectMessages.archivedDone(project.name),
      })
    } catch (error) {
      showErrorToast(error)
    }
    setBusy(false)
  }
  return (
    <section aria-label={projectMessages.archive}>
      <SectionHeader title={projectMessages.archive} />
      <div className="sheet-form set-form">
        <FormLine>
          <p>{projectMessages.archiveWhy}</p>
          <div className="acts">
            <Button busy={busy} reason={reason} onClick={toggleArchived}>
              {isArchived ? projectMessages.unarchiveDo : projectMessages.archiveDo}
            </Button>
          </div>
        </FormLine>
      </div>
    </section>
  )
}
