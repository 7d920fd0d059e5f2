import { useState } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import type { updateProject } from '#resources/projects/internal.ts'
import { changeInSteps, idsOfTasks } from '../../../data/in-steps.ts'
import { call } from '../../../lib/call.ts'
import { m } from '../../../messages/projects.ts'
import { Button } from '../../../ui/button.tsx'
import { openDialog } from '../../../ui/dialog.tsx'
import { FormLine, SelectField } from '../../../ui/field.tsx'
import { Form, Submit } from '../../../ui/form.tsx'
import { takeProject } from '../known.ts'

/** Asks where the tasks of a status go, moves them, and removes it. */
export function removeStatus(project: Project, key: string, onRemoved: () => void): void {
  const name = project.statuses.find((one) => one.key === key)?.name ?? key
  openDialog({
    title: m.whereTo(name),
    body: (close) => (
      <MoveForm
        project={project}
        statusKey={key}
        name={name}
        onCancel={close}
        onDone={() => {
          close()
          onRemoved()
        }}
      />
    ),
  })
}

interface Props {
  project: Project
  statusKey: string
  name: string
  onCancel: () => void
  onDone: () => void
}

function MoveForm({ project, statusKey, name, onCancel, onDone }: Props) {
  const others = project.statuses.filter(({ key }) => key !== statusKey)
  const [progress, setProgress] = useState<{ through: number; all: number }>()
  const [left, setLeft] = useState(0)
  const send = async ({ status = '' }) => {
    setLeft(0)
    const ids = await idsOfTasks({ project_id: [project.id], status: [statusKey] })
    const through = (done: number) => setProgress({ through: done, all: ids.length })
    const refused = await changeInSteps(ids, { status }, through)
    setLeft(refused)
    if (refused > 0) return
    const statuses = others.map(({ position: _, ...kept }) => kept)
    const sent = { params: { id: project.id }, body: { statuses } }
    takeProject(await call<typeof updateProject>('PATCH /internal/projects/:id', sent))
    onDone()
  }
  return (
    <Form label={m.whereTo(name)} onSubmit={send}>
      <FormLine>
        <p>{m.whereToWhy(name)}</p>
      </FormLine>
      <SelectField
        label={m.moveInto}
        name="status"
        options={others.map(({ key, name: label }) => ({ value: key, label }))}
      />
      <FormLine>
        {left > 0 && (
          <p className="error" role="alert">
            {m.notMoved(left)}
          </p>
        )}
        <div className="acts">
          <Submit>{m.moveAndRemove}</Submit>
          <Button kind="plain" onClick={onCancel}>
            {m.cancel}
          </Button>
          {progress && (
            <span className="quiet" role="status">
              {m.moving(progress.through, progress.all)}
            </span>
          )}
        </div>
      </FormLine>
    </Form>
  )
}
