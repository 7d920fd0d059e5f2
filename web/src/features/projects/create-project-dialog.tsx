import { useState } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import type { createProject } from '#resources/projects/internal.ts'
import { showToast } from '../../data/app/toasts.ts'
import { bootState } from '../../data/session/boot.ts'
import { cacheProject } from '../../data/session/boot-records.ts'
import { HUES } from '../../lib/browser/hue.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { projectMessages } from '../../messages/projects/projects.ts'
import { type StatusPresetName, statusPresets } from '../../messages/projects/status-presets.ts'
import { Form, SubmitButton } from '../../ui/form/form.tsx'
import { FormActions } from '../../ui/form/form-actions.tsx'
import { SelectField, TextArea, TextField } from '../../ui/form/form-field.tsx'
import { useRequestKeys } from '../../ui/form/use-request-keys.ts'
import { openDialog } from '../../ui/overlays/dialog.tsx'
import { suggestPrefix } from './suggest-prefix.ts'
import { VisibilityField } from './visibility-field.tsx'

const TEMPLATES = Object.keys(statusPresets) as StatusPresetName[]

/** Opens the form for a new project. */
export const openCreateProjectDialog = (onCreated: (project: Project) => void): void => {
  openDialog({
    title: projectMessages.dialogTitle,
    body: (close) => (
      <CreateProjectForm
        onCancel={close}
        onCreated={(project) => {
          close()
          cacheProject(project)
          showToast({ text: projectMessages.created(project.name) })
          onCreated(project)
        }}
      />
    ),
  })
}

interface CreateProjectFormProps {
  onCancel: () => void
  onCreated: (project: Project) => void
}

function CreateProjectForm({ onCancel, onCreated }: CreateProjectFormProps) {
  const [name, setName] = useState('')
  const [typed, setTyped] = useState<string>()
  const [visibility, setVisibility] = useState<Project['visibility']>('workspace')
  const [template, setTemplate] = useState<StatusPresetName>('usual')
  // Read once: a suggestion that changes after a lost reply would make a retry another request.
  const [existing] = useState(() => bootState.get()?.projects ?? [])
  const keyOf = useRequestKeys()
  const prefix = typed ?? suggestPrefix(name, new Set(existing.map((project) => project.prefix)))
  const send = async ({ description = '' }) => {
    const statuses = statusPresets[template]
    const body = {
      name,
      visibility,
      color: leastUsedColor(existing),
      ...(prefix !== '' && { prefix }),
      ...(description !== '' && { description }),
      ...(statuses && { statuses: [...statuses] }),
    }
    const options = { idempotencyKey: keyOf(body) }
    const address = 'POST /internal/projects'
    onCreated(await requestEndpoint<typeof createProject>(address, { body }, options))
  }
  return (
    <Form guard="typed" label={projectMessages.dialogTitle} onSubmit={send}>
      <TextField
        label={projectMessages.fields.name}
        name="name"
        value={name}
        onChange={({ target }) => setName(target.value)}
        autoComplete="off"
        maxLength={100}
        required
      />
      <TextField
        label={projectMessages.fields.prefix}
        name="prefix"
        value={prefix}
        onChange={({ target }) => setTyped(target.value.toUpperCase())}
        hint={prefix ? projectMessages.prefixHint(prefix) : projectMessages.prefixMade}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={10}
      />
      <VisibilityField value={visibility} onChange={setVisibility} />
      <SelectField
        label={projectMessages.fields.template}
        name="statuses"
        value={template}
        onChange={({ target }) =>
          setTemplate(TEMPLATES.find((one) => one === target.value) ?? template)
        }
        options={TEMPLATES.map((value) => ({ value, label: projectMessages.templates[value] }))}
      />
      <TextArea
        label={projectMessages.fields.description}
        name="description"
        rows={3}
        maxLength={65_536}
      />
      <FormActions onCancel={onCancel}>
        <SubmitButton>{projectMessages.createDo}</SubmitButton>
      </FormActions>
    </Form>
  )
}

/** The color that the fewest projects have. */
function leastUsedColor(projects: readonly Pick<Project, 'color'>[]): string {
  const uses = (color: string) => projects.filter((project) => project.color === color).length
  return Object.values<string>(HUES).reduce((best, one) => (uses(one) < uses(best) ? one : best))
}
