import { useState } from 'react'
import type { Task } from '../../data/task-view.ts'
import { saveTemplate } from '../../data/templates.ts'
import { toast } from '../../data/toasts.ts'
import { m } from '../../messages/templates.ts'
import { openDialog } from '../../ui/dialog.tsx'
import { Check, FormLine, TextField } from '../../ui/field.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { FormActs } from '../../ui/form-acts.tsx'

/** Asks for a name, and saves a task as a template of its project. */
export const openSaveTemplate = (task: Task): void => {
  openDialog({
    title: m.saveTitle(task.short_id),
    body: (close) => <SaveForm task={task} close={close} />,
  })
}

function SaveForm({ task, close }: { task: Task; close: () => void }) {
  const [key] = useState(() => crypto.randomUUID())
  const send = async (values: Record<string, string>) => {
    const { name = '', subtasks } = values
    const body = { task_id: task.id, name, subtasks: subtasks === 'on' }
    await saveTemplate(body, `${key}-${body.subtasks}-${encodeURIComponent(name)}`.slice(0, 255))
    close()
    toast({ text: m.saved(name) })
  }
  return (
    <Form label={m.saveTitle(task.short_id)} onSubmit={send}>
      <TextField
        label={m.name}
        name="name"
        defaultValue={task.title.slice(0, 100)}
        maxLength={100}
        autoComplete="off"
        hint={m.daysHint}
        required
        autoFocus
      />
      {task.subtask_count > 0 && (
        <FormLine>
          <Check name="subtasks" defaultChecked hint={m.deeper}>
            {m.withSubtasks(task.subtask_count)}
          </Check>
        </FormLine>
      )}
      <FormActs onCancel={close}>
        <Submit>{m.change}</Submit>
      </FormActs>
    </Form>
  )
}
