import { useState } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import type { Tag } from '#resources/tags/contract.ts'
import { deleteWithUndo } from '../../../data/mutations/record-mutations.ts'
import { createProjectTag, useLoadedTags } from '../../../data/resources/tags.ts'
import { useRight } from '../../../data/session/boot.ts'
import { HUES } from '../../../lib/browser/hue.ts'
import { recordChangeMessages } from '../../../messages/app/record-changes.ts'
import { projectMessages } from '../../../messages/projects/projects.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormLine, TextField } from '../../../ui/form/form-field.tsx'
import { DataTable } from '../../../ui/layout/data-table.tsx'
import { EmptyState } from '../../../ui/layout/empty-state.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { HuePicker } from './hue-field.tsx'
import { TagSettingsRow } from './tag-settings-row.tsx'

const COLUMNS = projectMessages.tagColumns.map((label, at) => ({ label, hidden: at === 3 }))

/** The tags of a project: adds, renames, recolors, merges and deletes them. */
export function TagSettings({ project }: { project: Project }) {
  const { tags, isPending, error, retry } = useLoadedTags(project.id)
  const archivedReason = project.status === 'archived' ? projectMessages.archivedReason : undefined
  const reason = useRight('shape_projects') ? archivedReason : projectMessages.guestTags
  return (
    <>
      <NewTagForm project={project} reason={reason} />
      {error !== undefined && <ErrorMessage error={error} onRetry={retry} />}
      {isPending && <Skeleton rows={3} />}
      {tags.length === 0 && !isPending && !error && <EmptyState text={projectMessages.noTags} />}
      {tags.length > 0 && (
        <DataTable label={projectMessages.tabs.tags} className="tag-table" columns={COLUMNS}>
          {tags.map((tag) => (
            <TagSettingsRow
              key={tag.id}
              tag={tag}
              others={tags.filter(({ id }) => id !== tag.id)}
              reason={reason}
              onRemove={() => deleteTagWithUndo(tag)}
            />
          ))}
        </DataTable>
      )}
    </>
  )
}

/** Hides a tag and deletes it when its toast ends; until then it can be undone. */
const deleteTagWithUndo = ({ id, name }: Tag): void =>
  deleteWithUndo(recordChangeMessages.tagDeleted(name), 'tag', id)

function NewTagForm({ project, reason }: { project: Project; reason: string | undefined }) {
  const [color, setColor] = useState<string>(HUES[255])
  const [formKey, setFormKey] = useState(0)
  const send = async ({ name = '' }) => {
    await createProjectTag(project.id, { name, color })
    setFormKey((key) => key + 1)
  }
  return (
    <Form
      key={formKey}
      className="set-form"
      guard="typed"
      label={projectMessages.newTag}
      onSubmit={send}
    >
      <FormLine>
        <p>{projectMessages.tagsWhy}</p>
      </FormLine>
      <TextField
        label={projectMessages.newTag}
        name="name"
        autoComplete="off"
        maxLength={50}
        disabled={reason !== undefined}
        autoFocus={formKey > 0}
        beside={
          <>
            <HuePicker
              value={color}
              onChange={setColor}
              aria-label={projectMessages.colour}
              disabled={reason !== undefined}
            />
            <SubmitButton reason={reason}>{projectMessages.addTag}</SubmitButton>
          </>
        }
      />
    </Form>
  )
}
