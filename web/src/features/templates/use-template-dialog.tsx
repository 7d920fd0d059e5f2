import { showToast } from '../../data/app/toasts.ts'
import { createFromTemplate, useTemplates } from '../../data/resources/templates.ts'
import { deleteTaskWithUndo } from '../../data/tasks/change-task.ts'
import { today } from '../../lib/dates/plain-date.ts'
import { templateMessages } from '../../messages/tasks/templates.ts'
import { ErrorMessage } from '../../ui/feedback/error-message.tsx'
import { Form, SubmitButton } from '../../ui/form/form.tsx'
import { FormActions } from '../../ui/form/form-actions.tsx'
import { SelectField, TextField } from '../../ui/form/form-field.tsx'
import { useRequestKeys } from '../../ui/form/use-request-keys.ts'
import { EmptyState } from '../../ui/layout/empty-state.tsx'
import { Skeleton } from '../../ui/layout/skeleton.tsx'
import { openDialog } from '../../ui/overlays/dialog.tsx'

interface UseTemplateOptions {
  /** Limits the choice to templates of one project. */
  project_id?: string
  /** The template that is selected at first. */
  template_id?: string
  go: (shortId: string) => void
}

/** Opens the dialog to create the tasks of a template from a start date. */
export const openUseTemplateDialog = (options: UseTemplateOptions): void => {
  openDialog({
    title: templateMessages.fromTemplate,
    body: (close) => <UseTemplateForm {...options} close={close} />,
  })
}

function UseTemplateForm({
  project_id,
  template_id,
  go,
  close,
}: UseTemplateOptions & { close: () => void }) {
  const { data, error, refetch } = useTemplates(project_id)
  const keyOf = useRequestKeys()
  const send = async ({ template = '', title = '', on = '' }: Record<string, string>) => {
    const body = { ...(title.trim() !== '' && { title }), ...(on !== '' && { on }) }
    const { task, made } = await createFromTemplate(template, body, keyOf({ template, body }))
    close()
    showToast({
      text: templateMessages.made(task.short_id, made),
      undo: () => deleteTaskWithUndo(task.id),
    })
    go(task.short_id)
  }
  // A form that is being filled in stays if a later read fails.
  if (error && !data) return <ErrorMessage error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton rows={3} />
  if (data.length === 0) return <EmptyState text={templateMessages.noneAnywhere} />
  return (
    <Form guard="typed" label={templateMessages.fromTemplate} onSubmit={send}>
      <SelectField
        label={templateMessages.template}
        name="template"
        defaultValue={template_id ?? data[0]?.id}
        options={data.map(({ id, name, task_count }) => ({
          value: id,
          label: `${name} (${templateMessages.counted(task_count)})`,
        }))}
        autoFocus
      />
      <TextField
        label={templateMessages.title}
        name="title"
        hint={templateMessages.titleHint}
        autoComplete="off"
      />
      <TextField label={templateMessages.on} name="on" type="date" defaultValue={today()} />
      <FormActions onCancel={close}>
        <SubmitButton>{templateMessages.make}</SubmitButton>
      </FormActions>
    </Form>
  )
}
