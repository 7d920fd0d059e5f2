import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { usePeople, useProjectMembers } from '../../../data/resources/project-people.ts'
import { useBoot } from '../../../data/session/boot.ts'
import { setArchived } from '../../../data/session/boot-records.ts'
import { canSeeProject } from '../../../data/session/rights.ts'
import { useHeldProject } from '../../../data/tasks/held-tasks.ts'
import { isTaskFinished } from '../../../data/tasks/task-patch.ts'
import { getCachedTasks, useTasksRevision } from '../../../data/tasks/task-store.ts'
import { type LosingMember, projectMessages } from '../../../messages/projects/projects.ts'
import { showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormActions } from '../../../ui/form/form-actions.tsx'
import { FormLine, SelectField, TextArea, TextField } from '../../../ui/form/form-field.tsx'
import { useRecordEdits } from '../../../ui/form/use-record-edits.ts'
import { SectionHeader } from '../../settings/index.ts'
import { ProjectConflictError, saveProject } from '../save-project.ts'
import { VisibilityField } from '../visibility-field.tsx'
import { HueField } from './hue-field.tsx'

export interface ProjectSettingsProps {
  project: Project
  /** Why the user may not change the settings; undefined if they may. */
  reason: string | undefined
}

/** Name, icon, prefix, lead, dates and visibility of a project, and archiving it. */
export function GeneralSettings({ project, reason }: ProjectSettingsProps) {
  const boot = useBoot('session', 'members')
  const navigate = useNavigate()
  const edits = useRecordEdits(project)
  const { values, set } = edits
  const send = async () => {
    const { icon } = edits.changes
    try {
      const saved = await saveProject(edits.base, {
        ...edits.changes,
        ...(icon && { icon: icon.trim() || null }),
      })
      edits.reset(saved)
      showToast({ text: projectMessages.saved })
      if (saved.prefix !== project.prefix) {
        const params = { workspaceId: boot.session.workspace.id, prefix: saved.prefix }
        const to = '/w/$workspaceId/p/$prefix/settings'
        // The form is saved, which it does not know yet.
        await navigate({ to, params, replace: true, ignoreBlocker: true })
      }
    } catch (error) {
      // The message at the field asks for this choice: saving again replaces the other's value.
      if (error instanceof ProjectConflictError) edits.rebase(error.current)
      throw error
    }
  }
  const isHiding = values.visibility === 'private' && project.visibility !== 'private'
  const losing = useWhoLoses(isHiding ? project : undefined, values.lead_id)
  const leads = useProjectMembers(boot.members, project).filter(({ status }) => status === 'active')
  return (
    <>
      <Form
        className="set-form"
        guard={edits.hasChanges}
        label={projectMessages.tabs.general}
        onSubmit={send}
      >
        <fieldset className="set-fields" disabled={reason !== undefined}>
          <TextField
            label={projectMessages.fields.name}
            name="name"
            value={values.name}
            onChange={({ target }) => set('name', target.value)}
            autoComplete="off"
            maxLength={100}
            required
          />
          <TextField
            label={projectMessages.fields.icon}
            name="icon"
            value={values.icon ?? ''}
            onChange={({ target }) => set('icon', target.value || null)}
            hint={projectMessages.iconHint}
            autoComplete="off"
            maxLength={32}
          />
          <HueField
            label={projectMessages.fields.color}
            name="color"
            value={values.color}
            onChange={(color) => set('color', color)}
          />
          <TextArea
            label={projectMessages.fields.description}
            name="description"
            value={values.description ?? ''}
            onChange={({ target }) => set('description', target.value || null)}
            rows={4}
            maxLength={65_536}
          />
          <TextField
            label={projectMessages.fields.prefix}
            name="prefix"
            value={values.prefix}
            onChange={({ target }) => set('prefix', target.value.toUpperCase())}
            hint={
              values.prefix === project.prefix
                ? projectMessages.prefixHint(values.prefix)
                : projectMessages.prefixChange(project.prefix, values.prefix)
            }
            autoComplete="off"
            spellCheck={false}
            maxLength={10}
            required
          />
          <SelectField
            label={projectMessages.fields.lead}
            name="lead_id"
            value={values.lead_id ?? ''}
            onChange={({ target }) => set('lead_id', target.value || null)}
            options={[
              { value: '', label: projectMessages.nobody },
              ...leads.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
          <TextField
            label={projectMessages.fields.start}
            name="start_date"
            type="date"
            value={values.start_date ?? ''}
            onChange={({ target }) => set('start_date', target.value || null)}
          />
          <TextField
            label={projectMessages.fields.target}
            name="target_date"
            type="date"
            value={values.target_date ?? ''}
            onChange={({ target }) => set('target_date', target.value || null)}
          />
          <VisibilityField
            value={values.visibility}
            onChange={(visibility) => set('visibility', visibility)}
            hint={isHiding ? projectMessages.privateChange(losing) : undefined}
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

/**
 * The members who will not see a project any more when it is private, each with the number of open tasks
 * that they have in it; undefined until all that is known.
 */
function useWhoLoses(
  project: Project | undefined,
  lead_id: string | null,
): LosingMember[] | undefined {
  const { members } = useBoot('members')
  const { data: people } = usePeople(project?.id)
  const { isWhole } = useHeldProject(project?.id)
  useTasksRevision()
  if (!project || !people || !isWhole) return undefined
  const open = getCachedTasks().filter(
    (task) => task.project_id === project.id && !isTaskFinished(task),
  )
  const [before, after] = [project, { visibility: 'private' as const, lead_id }]
  return members
    .filter(({ status }) => status === 'active')
    .filter((one) => canSeeProject(one, before, people) && !canSeeProject(one, after, people))
    .map(({ id, name }) => {
      return { name, tasks: open.filter(({ assignee_ids }) => assignee_ids.includes(id)).length }
    })
}

function Archive({ project, reason }: ProjectSettingsProps) {
  const [busy, setBusy] = useState(false)
  const isArchived = project.status === 'archived'
  const toggleArchived = async () => {
    setBusy(true)
    try {
      await setArchived(project.id, !isArchived)
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
