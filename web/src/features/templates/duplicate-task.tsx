import { showToast } from '../../data/app/toasts.ts'
import { copyTaskTree } from '../../data/resources/templates.ts'
import { deleteTaskWithUndo } from '../../data/tasks/change-task.ts'
import type { Task } from '../../data/tasks/task-patch.ts'
import { templateMessages } from '../../messages/tasks/templates.ts'
import { showErrorToast } from '../../ui/feedback/error-message.tsx'
import { Form, SubmitButton } from '../../ui/form/form.tsx'
import { FormActions } from '../../ui/form/form-actions.tsx'
import { CheckField, FormLine } from '../../ui/form/form-field.tsx'
import { useRequestKeys } from '../../ui/form/use-request-keys.ts'
import { openDialog } from '../../ui/overlays/dialog.tsx'

type OpenTaskByShortId = (shortId: string) => void

/** Creates a copy right after a task. If the task has subtasks, a dialog asks what to copy. */
export function duplicateTask(task: Task, go: OpenTaskByShortId): void {
  if (task.subtask_count === 0) {
    duplicateWithUndo(task, { subtasks: false }, crypto.randomUUID(), go).catch(showErrorToast)
    return
  }
  openDialog({
    title: templateMessages.copyTitle(task.short_id),
    body: (close) => <DuplicateForm task={task} go={go} close={close} />,
  })
}

function DuplicateForm({
  task,
  go,
  close,
}: {
  task: Task
  go: OpenTaskByShortId
  close: () => void
}) {
  const keyOf = useRequestKeys()
  const send = async (values: Record<string, string>) => {
    const { subtasks, keep_status } = values
    const body = { subtasks: subtasks === 'on', keep_status: keep_status === 'on' }
    await duplicateWithUndo(task, body, keyOf(body), go)
    close()
  }
  return (
    <Form label={templateMessages.copyTitle(task.short_id)} onSubmit={send}>
      <FormLine>
        <CheckField name="subtasks" defaultChecked hint={templateMessages.deeper}>
          {templateMessages.withSubtasks(task.subtask_count)}
        </CheckField>
        <CheckField name="keep_status" hint={templateMessages.keepStatusHint}>
          {templateMessages.keepStatus}
        </CheckField>
        <p className="hint">{templateMessages.leftOut}</p>
      </FormLine>
      <FormActions onCancel={close}>
        <SubmitButton>{templateMessages.copy}</SubmitButton>
      </FormActions>
    </Form>
  )
}

async function duplicateWithUndo(
  { id, short_id }: Task,
  body: { subtasks: boolean; keep_status?: boolean },
  key: string,
  go: OpenTaskByShortId,
): Promise<void> {
  const { task, made } = await copyTaskTree(id, body, key)
  // Deleting or restoring the copy does the same to its subtasks.
  showToast({
    text: templateMessages.copied(short_id, made),
    undo: () => deleteTaskWithUndo(task.id),
  })
  go(task.short_id)
}
