import { useState } from 'react'
import { removeTask } from '../../data/task-writes.ts'
import { makeFromTemplate, useTemplates } from '../../data/templates.ts'
import { toast } from '../../data/toasts.ts'
import { today } from '../../lib/day.ts'
import { m } from '../../messages/templates.ts'
import { openDialog } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { FormActs } from '../../ui/form-acts.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Trouble } from '../../ui/trouble.tsx'

interface Wanted {
  /** Only those of one project. */
  project_id?: string
  /** The one that is chosen first. */
  template_id?: string
  go: (shortId: string) => void
}

/** Asks which template and from which day, and makes its tasks. */
export const openUseTemplate = (wanted: Wanted): void => {
  openDialog({
    title: m.fromTemplate,
    body: (close) => <UseForm {...wanted} close={close} />,
  })
}

function UseForm({ project_id, template_id, go, close }: Wanted & { close: () => void }) {
  const { data, error, refetch } = useTemplates(project_id)
  const [round, setRound] = useState(() => crypto.randomUUID())
  const send = async ({ template = '', title = '', on = '' }: Record<string, string>) => {
    const body = { ...(title.trim() !== '' && { title }), ...(on !== '' && { on }) }
    const { task, made } = await makeFromTemplate(template, body, round)
    close()
    toast({ text: m.made(task.short_id, made), undo: () => removeTask(task.id) })
    go(task.short_id)
  }
  if (error) return <Trouble error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton rows={3} />
  if (data.length === 0) return <Empty text={m.noneAnywhere} />
  return (
    // What is asked differently is another intention.
    <div onChange={() => setRound(crypto.randomUUID())}>
      <Form label={m.fromTemplate} onSubmit={send}>
        <SelectField
          label={m.template}
          name="template"
          defaultValue={template_id ?? data[0]?.id}
          options={data.map(({ id, name, task_count }) => ({
            value: id,
            label: `${name} (${m.counted(task_count)})`,
          }))}
          autoFocus
        />
        <TextField
          label={m.title}
          name="title"
          hint={m.titleHint}
          maxLength={500}
          autoComplete="off"
        />
        <TextField label={m.on} name="on" type="date" defaultValue={today()} />
        <FormActs onCancel={close}>
          <Submit>{m.make}</Submit>
        </FormActs>
      </Form>
    </div>
  )
}
