import { useState } from 'react'
import type { Task } from '../../data/task-view.ts'
import { removeTask } from '../../data/task-writes.ts'
import { copyTree } from '../../data/templates.ts'
import { toast } from '../../data/toasts.ts'
import { Problem } from '../../lib/problem.ts'
import { m } from '../../messages/templates.ts'
import { openDialog } from '../../ui/dialog.tsx'
import { Check, FormLine } from '../../ui/field.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { FormActs } from '../../ui/form-acts.tsx'
import { messageOf } from '../../ui/trouble.tsx'

type Go = (shortId: string) => void

/** Makes a task like this one right after it; where it has subtasks it asks what comes along. */
export function duplicate(task: Task, go: Go): void {
  if (task.subtask_count === 0) {
    copy(task, { subtasks: false }, crypto.randomUUID(), go).catch((error) => {
      const more = error instanceof Problem ? { request_id: error.request_id } : {}
      toast({ text: messageOf(error), tone: 'trouble', ...more })
    })
    return
  }
  openDialog({
    title: m.copyTitle(task.short_id),
    body: (close) => <CopyForm task={task} go={go} close={close} />,
  })
}

function CopyForm({ task, go, close }: { task: Task; go: Go; close: () => void }) {
  const [key] = useState(() => crypto.randomUUID())
  const send = async (values: Record<string, string>) => {
    const { subtasks, keep_status } = values
    const body = { subtasks: subtasks === 'on', keep_status: keep_status === 'on' }
    // What is asked differently is another intention.
    await copy(task, body, `${key}-${body.subtasks}-${body.keep_status}`, go)
    close()
  }
  return (
    <Form label={m.copyTitle(task.short_id)} onSubmit={send}>
      <FormLine>
        <Check name="subtasks" defaultChecked autoFocus hint={m.deeper}>
          {m.withSubtasks(task.subtask_count)}
        </Check>
        <Check name="keep_status" hint={m.keepStatusHint}>
          {m.keepStatus}
        </Check>
        <p className="hint">{m.leftOut}</p>
      </FormLine>
      <FormActs onCancel={close}>
        <Submit>{m.copy}</Submit>
      </FormActs>
    </Form>
  )
}

async function copy(
  { id, short_id }: Task,
  body: { subtasks: boolean; keep_status?: boolean },
  key: string,
  go: Go,
): Promise<void> {
  const { task, made } = await copyTree(id, body, key)
  // Its subtasks go with it, and come back with it.
  toast({ text: m.copied(short_id, made), undo: () => removeTask(task.id) })
  go(task.short_id)
}
