import { useState } from 'react'
import { showToast } from '../../data/app/toasts.ts'
import {
  fetchTemplate,
  saveTemplateChanges,
  type Template,
} from '../../data/resources/templates.ts'
import { templateMessages } from '../../messages/tasks/templates.ts'
import { getErrorMessage } from '../../ui/feedback/error-message.tsx'
import { IconButton } from '../../ui/form/button.tsx'
import { Form, SubmitButton } from '../../ui/form/form.tsx'
import { FormActions } from '../../ui/form/form-actions.tsx'
import { FormLine, TextField } from '../../ui/form/form-field.tsx'
import { pickChangedFields } from '../../ui/form/use-record-edits.ts'
import { openDialog } from '../../ui/overlays/dialog.tsx'

/** Loads a template and opens the dialog to edit it. */
export async function openEditTemplateDialog(id: string): Promise<void> {
  try {
    const template = await fetchTemplate(id)
    openDialog({
      title: templateMessages.editTitle,
      wide: true,
      body: (close) => <EditTemplateForm template={template} close={close} />,
    })
  } catch (error) {
    showToast({ text: getErrorMessage(error), tone: 'trouble' })
  }
}

function EditTemplateForm({ template, close }: { template: Template; close: () => void }) {
  const [keptIndexes, setKeptIndexes] = useState(() => template.tasks.map((_, at) => at))
  const send = async (values: Record<string, string>) => {
    const parseDays = (name: string) => {
      const typed = values[name] ?? ''
      return typed === '' ? null : Number(typed)
    }
    const tasks = keptIndexes.map((from) => ({
      from,
      title: values[`title-${from}`] ?? '',
      start_in_days: parseDays(`start-${from}`),
      due_in_days: parseDays(`due-${from}`),
    }))
    const { name = '' } = values
    // The tasks are one field: they are sent if one of them has changed or was removed.
    const before = template.tasks.map(({ title, start_in_days, due_in_days }, from) => ({
      ...{ from, title, start_in_days, due_in_days },
    }))
    const body = pickChangedFields({ name: template.name, tasks: before }, { name, tasks })
    await saveTemplateChanges(template.id, body)
    close()
    showToast({ text: templateMessages.changed(name) })
  }
  const removeWithSubtasks = (removedIndex: number) => {
    const removed = new Set([removedIndex])
    for (const at of keptIndexes) if (removed.has(template.tasks[at]?.parent ?? -1)) removed.add(at)
    setKeptIndexes(keptIndexes.filter((at) => !removed.has(at)))
  }
  return (
    <Form label={templateMessages.editTitle} onSubmit={send}>
      <TextField
        label={templateMessages.name}
        name="name"
        defaultValue={template.name}
        maxLength={100}
        autoComplete="off"
        required
        autoFocus
      />
      {keptIndexes.map((at) => {
        const task = template.tasks[at]
        return (
          task && (
            <FormLine key={at} gutter={at + 1}>
              <div
                className="template-task"
                style={{ paddingInlineStart: `${getDepth(template, at)}rem` }}
              >
                <input
                  className="field"
                  name={`title-${at}`}
                  defaultValue={task.title}
                  maxLength={500}
                  aria-label={templateMessages.title}
                  required
                />
                <DaysField
                  name={`start-${at}`}
                  label={templateMessages.starts}
                  days={task.start_in_days}
                />
                <DaysField
                  name={`due-${at}`}
                  label={templateMessages.due}
                  days={task.due_in_days}
                />
                {at > 0 && (
                  <IconButton
                    icon="x"
                    label={templateMessages.drop(task.title)}
                    onClick={() => removeWithSubtasks(at)}
                  />
                )}
              </div>
            </FormLine>
          )
        )
      })}
      <FormActions onCancel={close}>
        <SubmitButton>{templateMessages.change}</SubmitButton>
      </FormActions>
    </Form>
  )
}

const DaysField = ({ name, label, days }: { name: string; label: string; days: number | null }) => (
  <input
    className="field"
    type="number"
    min={-3650}
    max={3650}
    name={name}
    defaultValue={days ?? ''}
    aria-label={label}
    title={label}
  />
)

function getDepth({ tasks }: Template, at: number): number {
  let depth = 0
  for (let up = tasks[at]?.parent ?? null; up !== null; up = tasks[up]?.parent ?? null) depth += 1
  return depth
}
