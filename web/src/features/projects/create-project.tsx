import { useState } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import type { createProject } from '#resources/projects/internal.ts'
import { boot } from '../../data/boot.ts'
import { toast } from '../../data/toasts.ts'
import { call } from '../../lib/call.ts'
import { HUES } from '../../lib/hue.ts'
import { type Template, templates } from '../../messages/project-templates.ts'
import { m } from '../../messages/projects.ts'
import { openDialog } from '../../ui/dialog.tsx'
import { SelectField, TextArea, TextField } from '../../ui/field.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { FormActs } from '../../ui/form-acts.tsx'
import { takeProject } from './known.ts'
import { prefixOf } from './prefix.ts'
import { VisibilityField } from './visibility-field.tsx'

const TEMPLATES = Object.keys(templates) as Template[]

/** Opens the form for a new project. */
export const openCreateProject = (onMade: (project: Project) => void): void => {
  openDialog({
    title: m.dialogTitle,
    body: (close) => (
      <CreateForm
        onCancel={close}
        onMade={(project) => {
          close()
          takeProject(project)
          toast({ text: m.created(project.name) })
          onMade(project)
        }}
      />
    ),
  })
}

interface Props {
  onCancel: () => void
  onMade: (project: Project) => void
}

function CreateForm({ onCancel, onMade }: Props) {
  const [name, setName] = useState('')
  const [typed, setTyped] = useState<string>()
  const [visibility, setVisibility] = useState<Project['visibility']>('workspace')
  const [template, setTemplate] = useState<Template>('usual')
  const known = boot.get()?.projects ?? []
  const prefix = typed ?? prefixOf(name, new Set(known.map((project) => project.prefix)))
  const send = async ({ description = '' }) => {
    const statuses = templates[template]
    const body = {
      ...{ name, visibility, color: colorFor(known) },
      ...(prefix !== '' && { prefix }),
      ...(description !== '' && { description }),
      ...(statuses && { statuses: [...statuses] }),
    }
    onMade(await call<typeof createProject>('POST /internal/projects', { body }))
  }
  return (
    <Form label={m.dialogTitle} onSubmit={send}>
      <TextField
        label={m.fields.name}
        name="name"
        value={name}
        onChange={({ target }) => setName(target.value)}
        autoComplete="off"
        maxLength={100}
        required
        autoFocus
      />
      <TextField
        label={m.fields.prefix}
        name="prefix"
        value={prefix}
        onChange={({ target }) => setTyped(target.value.toUpperCase())}
        hint={prefix ? m.prefixHint(prefix) : m.prefixMade}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={10}
      />
      <VisibilityField value={visibility} onChange={setVisibility} />
      <SelectField
        label={m.fields.template}
        name="statuses"
        value={template}
        onChange={({ target }) =>
          setTemplate(TEMPLATES.find((one) => one === target.value) ?? template)
        }
        options={TEMPLATES.map((value) => ({ value, label: m.templates[value] }))}
      />
      <TextArea label={m.fields.description} name="description" rows={3} maxLength={65_536} />
      <FormActs onCancel={onCancel}>
        <Submit>{m.createDo}</Submit>
      </FormActs>
    </Form>
  )
}

/** The hue that the fewest projects have. */
function colorFor(projects: readonly Pick<Project, 'color'>[]): string {
  const uses = (color: string) => projects.filter((project) => project.color === color).length
  return Object.values<string>(HUES).reduce((best, one) => (uses(one) < uses(best) ? one : best))
}
