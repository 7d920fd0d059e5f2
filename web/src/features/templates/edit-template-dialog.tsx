import { type ChangeEvent, type ComponentProps, useState } from 'react'
import { showToast } from '../../data/app/toasts.ts'
import {
  fetchTemplate,
  saveTemplateChanges,
  type Template,
} from '../../data/resources/templates.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { templateMessages } from '../../messages/tasks/templates.ts'
import { showErrorToast } from '../../ui/feedback/error-message.tsx'
import { IconButton } from '../../ui/form/button.tsx'
import { Form, SubmitButton } from '../../ui/form/form.tsx'
import { FormActions } from '../../ui/form/form-actions.tsx'
import { FormLine, TextField } from '../../ui/form/form-field.tsx'
import { useRecordEdits } from '../../ui/form/use-record-edits.ts'
import { openDialog } from '../../ui/overlays/dialog.tsx'

/** Loads a template and opens the dialog to edit it. */
export async function openEditTemplateDialog(id: string): Promise<void> {
  try {
    const template = await fetchTemplate(id)
    openDialog({
      title: templateMessages.editTitle,
      wide: true,
      body: (close) => <EditTemplateForm opened={template} close={close} />,
    })
  } catch (error) {
    showErrorToast(error)
  }
}

function EditTemplateForm({ opened, close }: { opened: Template; close: () => void }) {
  const [template, setTemplate] = useState(opened)
  /** What names each task in the form, also after others have removed some of them. */
  const [keys, setKeys] = useState(() => opened.tasks.map((_, at) => at))
  const [removedKeys, setRemovedKeys] = useState<ReadonlySet<number>>(new Set())
  const edits = useRecordEdits(toFormValues(template, keys))
  const { values, changes } = edits
  const send = async () => {
    const tasks = keys.flatMap((key, from) => {
      if (removedKeys.has(key)) return []
      const { [`title-${key}`]: title, [`start-${key}`]: start, [`due-${key}`]: due } = changes
      return {
        from,
        ...(title !== undefined && { title }),
        ...(start !== undefined && { start_in_days: parseDays(start) }),
        ...(due !== undefined && { due_in_days: parseDays(due) }),
      }
    })
    const isChanged = (task: object) => Object.keys(task).length > 1
    try {
      await saveTemplateChanges(template, {
        ...(changes.name !== undefined && { name: changes.name }),
        ...((tasks.length < keys.length || tasks.some(isChanged)) && { tasks }),
      })
    } catch (error) {
      if (!(error instanceof ApiResponseError) || error.code !== 'version_mismatch') throw error
      const latest = await fetchTemplate(template.id)
      const latestKeys = matchTasks(template, keys, latest)
      setTemplate(latest)
      setKeys(latestKeys)
      edits.rebase(toFormValues(latest, latestKeys))
      const { status, code, request_id } = error
      const message = templateMessages.changedMeanwhile
      throw new ApiResponseError(status, { code, message, request_id, details: [] })
    }
    close()
    showToast({ text: templateMessages.changed(values.name ?? '') })
  }
  const removeWithSubtasks = (removedIndex: number) => {
    const removed = new Set(removedKeys)
    template.tasks.forEach(({ parent }, at) => {
      const key = keys[at]
      const parentKey = keys[parent ?? -1]
      const isRemoved = at === removedIndex || (parentKey !== undefined && removed.has(parentKey))
      if (isRemoved && key !== undefined) removed.add(key)
    })
    setRemovedKeys(removed)
  }
  return (
    <Form
      guard={edits.hasChanges || removedKeys.size > 0}
      label={templateMessages.editTitle}
      onSubmit={send}
    >
      <TextField
        label={templateMessages.name}
        name="name"
        value={values.name}
        onChange={({ target }) => edits.set('name', target.value)}
        maxLength={100}
        autoComplete="off"
        required
      />
      {template.tasks.map(({ title }, at) => {
        const key = keys[at] ?? at
        const fieldOf = (name: string) => ({
          name: `${name}-${key}`,
          value: values[`${name}-${key}`],
          onChange: ({ target }: ChangeEvent<HTMLInputElement>) =>
            edits.set(`${name}-${key}`, target.value),
        })
        return (
          !removedKeys.has(key) && (
            <FormLine key={key} gutter={at + 1}>
              <div
                className="template-task"
                style={{ paddingInlineStart: `${getDepth(template, at)}rem` }}
              >
                <input
                  {...fieldOf('title')}
                  className="field"
                  aria-label={templateMessages.title}
                  required
                />
                <DaysField {...fieldOf('start')} label={templateMessages.starts} />
                <DaysField {...fieldOf('due')} label={templateMessages.due} />
                {at > 0 && (
                  <IconButton
                    icon="x"
                    label={templateMessages.drop(title)}
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

interface DaysFieldProps extends Pick<ComponentProps<'input'>, 'name' | 'value' | 'onChange'> {
  label: string
}

const DaysField = ({ label, ...field }: DaysFieldProps) => (
  <input
    {...field}
    className="field"
    type="number"
    min={-3650}
    max={3650}
    aria-label={label}
    title={label}
  />
)

const parseDays = (typed: string): number | null => (typed === '' ? null : Number(typed))

/** The texts of the form, by the names of its fields. */
const toFormValues = ({ name, tasks }: Template, keys: readonly number[]): Record<string, string> =>
  Object.fromEntries([
    ['name', name],
    ...tasks.flatMap(({ title, start_in_days, due_in_days }, at) => [
      [`title-${keys[at]}`, title],
      [`start-${keys[at]}`, String(start_in_days ?? '')],
      [`due-${keys[at]}`, String(due_in_days ?? '')],
    ]),
  ])

/**
 * The keys of the tasks in a later state of a template. Tasks can only be removed, so they are the same
 * if their number is. Otherwise a task is known by its title, if no other task has it.
 */
function matchTasks(before: Template, keys: readonly number[], latest: Template): number[] {
  if (latest.tasks.length === before.tasks.length) return [...keys]
  const newKey = Math.max(...keys) + 1
  const findOnly = ({ tasks }: Template, title: string) => {
    const [index, ...others] = tasks.flatMap((task, at) => (task.title === title ? at : []))
    return others.length === 0 ? index : undefined
  }
  return latest.tasks.map(({ title }, at) => {
    // The topmost task cannot be removed.
    const isKnown = at === 0 || findOnly(latest, title) === at
    const index = at === 0 ? 0 : findOnly(before, title)
    return (isKnown && index !== undefined ? keys[index] : undefined) ?? newKey + at
  })
}

function getDepth({ tasks }: Template, at: number): number {
  let depth = 0
  for (let up = tasks[at]?.parent ?? null; up !== null; up = tasks[up]?.parent ?? null) depth += 1
  return depth
}
