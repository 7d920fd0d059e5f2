import { useState } from 'react'
import { changeTemplate, readTemplate, type Template } from '../../data/templates.ts'
import { toast } from '../../data/toasts.ts'
import { m } from '../../messages/templates.ts'
import { IconButton } from '../../ui/button.tsx'
import { openDialog } from '../../ui/dialog.tsx'
import { FormLine, TextField } from '../../ui/field.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { FormActs } from '../../ui/form-acts.tsx'
import { messageOf } from '../../ui/trouble.tsx'

/** Reads a template and opens the form for it. */
export async function openEditTemplate(id: string): Promise<void> {
  try {
    const template = await readTemplate(id)
    openDialog({
      title: m.editTitle,
      wide: true,
      body: (close) => <EditForm template={template} close={close} />,
    })
  } catch (error) {
    toast({ text: messageOf(error), tone: 'trouble' })
  }
}

function EditForm({ template, close }: { template: Template; close: () => void }) {
  const [kept, setKept] = useState(() => template.tasks.map((_, at) => at))
  const send = async (values: Record<string, string>) => {
    const days = (name: string) => {
      const typed = values[name] ?? ''
      return typed === '' ? null : Number(typed)
    }
    const tasks = kept.map((from) => ({
      from,
      title: values[`title-${from}`] ?? '',
      start_in_days: days(`start-${from}`),
      due_in_days: days(`due-${from}`),
    }))
    const { name = '' } = values
    await changeTemplate(template.id, { name, tasks })
    close()
    toast({ text: m.changed(name) })
  }
  const drop = (gone: number) => {
    const all = new Set([gone])
    for (const at of kept) if (all.has(template.tasks[at]?.parent ?? -1)) all.add(at)
    setKept(kept.filter((at) => !all.has(at)))
  }
  return (
    <Form label={m.editTitle} onSubmit={send}>
      <TextField
        label={m.name}
        name="name"
        defaultValue={template.name}
        maxLength={100}
        autoComplete="off"
        required
        autoFocus
      />
      {kept.map((at) => {
        const task = template.tasks[at]
        return (
          task && (
            <FormLine key={at} gutter={at + 1}>
              <div
                className="template-task"
                style={{ paddingInlineStart: `${depthOf(template, at)}rem` }}
              >
                <input
                  className="field"
                  name={`title-${at}`}
                  defaultValue={task.title}
                  maxLength={500}
                  aria-label={m.title}
                  required
                />
                <Days name={`start-${at}`} label={m.starts} days={task.start_in_days} />
                <Days name={`due-${at}`} label={m.due} days={task.due_in_days} />
                {at > 0 && (
                  <IconButton icon="x" label={m.drop(task.title)} onClick={() => drop(at)} />
                )}
              </div>
            </FormLine>
          )
        )
      })}
      <FormActs onCancel={close}>
        <Submit>{m.change}</Submit>
      </FormActs>
    </Form>
  )
}

const Days = ({ name, label, days }: { name: string; label: string; days: number | null }) => (
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

function depthOf({ tasks }: Template, at: number): number {
  let depth = 0
  for (let up = tasks[at]?.parent ?? null; up !== null; up = tasks[up]?.parent ?? null) depth += 1
  return depth
}
