import { cutText } from '#lib/cut-text.ts'
import { showToast } from '../../data/app/toasts.ts'
import { saveTemplate } from '../../data/resources/templates.ts'
import type { Task } from '../../data/tasks/task-patch.ts'
import { templateMessages } from '../../messages/tasks/templates.ts'
import { Form, SubmitButton } from '../../ui/form/form.tsx'
import { FormActions } from '../../ui/form/form-actions.tsx'
import { CheckField, FormLine, TextField } from '../../ui/form/form-field.tsx'
import { useRequestKeys } from '../../ui/form/use-request-keys.ts'
import { openDialog } from '../../ui/overlays/dialog.tsx'

/** Opens the dialog to save a task as a template of its project. */
export const openSaveTemplateDialog = (task: Task): void => {
  openDialog({
    title: templateMessages.saveTitle(task.short_id),
    body: (close) => <SaveTemplateForm task={task} close={close} />,
  })
}

function SaveTemplateForm({ task, close }: { task: Task; close: () => void }) {
  const keyOf = useRequestKeys()
  const send = async (values: Record<string, string>) => {
    const { name = '', subtasks } = values
    const body = { task_id: task.id, name, subtasks: subtasks === 'on' }
    await saveTemplate(body, keyOf(body))
    close()
    showToast({ text: templateMessages.saved(name) })
  }
  return (
    <Form guard="typed" label={templateMessages.saveTitle(task.short_id)} onSubmit={send}>
      <TextField
        label={templateMessages.name}
        name="name"
        defaultValue={cutText(task.title, 100)}
        maxLength={100}
        autoComplete="off"
        hint={templateMessages.daysHint}
        required
      />
      {task.subtask_count > 0 && (
        <FormLine>
          <CheckField name="subtasks" defaultChecked hint={templateMessages.deeper}>
            {templateMessages.withSubtasks(task.subtask_count)}
          </CheckField>
        </FormLine>
      )}
      <FormActions onCancel={close}>
        <SubmitButton>{templateMessages.change}</SubmitButton>
      </FormActions>
    </Form>
  )
}
