import { useState } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import type { listTasks } from '#resources/tasks/contract.ts'
import { fetchAllPages } from '../../../data/cache/fetch-all-pages.ts'
import { bulkProgress } from '../../../data/mutations/batch-outcomes.ts'
import { changeTasksInBulk } from '../../../data/mutations/bulk-change.ts'
import { getStatusName } from '../../../data/tasks/task-patch.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { useAtom } from '../../../lib/state/atom.ts'
import { projectMessages } from '../../../messages/projects/projects.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormLine, SelectField } from '../../../ui/form/form-field.tsx'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { saveProject } from '../save-project.ts'

/** Asks for another status, moves the tasks of this one to it, and removes this one. */
export function openRemoveStatusDialog(
  project: Project,
  key: string,
  onRemoved: (saved: Project) => void,
): void {
  const name = getStatusName(project, key)
  openDialog({
    title: projectMessages.whereTo(name),
    body: (close) => (
      <RemoveStatusForm
        project={project}
        statusKey={key}
        name={name}
        onCancel={close}
        onDone={(saved) => {
          close()
          onRemoved(saved)
        }}
      />
    ),
  })
}

/** The numbers of all tasks of a project in a status. */
async function fetchNumbersInStatus(project_id: string, status: string): Promise<number[]> {
  const filter = { project_id: [project_id], status: [status] }
  const tasks = await fetchAllPages((page) =>
    requestEndpoint<typeof listTasks>('GET /api/v1/tasks', { query: { ...filter, ...page } }),
  )
  return tasks.map(({ number }) => number)
}

interface RemoveStatusFormProps {
  project: Project
  statusKey: string
  name: string
  onCancel: () => void
  onDone: (saved: Project) => void
}

function RemoveStatusForm({ project, statusKey, name, onCancel, onDone }: RemoveStatusFormProps) {
  const others = project.statuses.filter(({ key }) => key !== statusKey)
  const progress = useAtom(bulkProgress)
  const [notMoved, setNotMoved] = useState(0)
  const send = async ({ status = '' }) => {
    setNotMoved(0)
    const numbers = await fetchNumbersInStatus(project.id, statusKey)
    const { finished } = changeTasksInBulk({
      // Somebody else may have moved a task out of it since.
      targets: [
        {
          project_id: project.id,
          numbers,
          command: { kind: 'patch', patch: { status }, in_status: statusKey },
        },
      ],
      label: projectMessages.moveAndRemove,
      onRejected: (refused) => setNotMoved(refused.length),
    })
    if (!(await finished)) return
    const statuses = others.map(({ position: _, ...status }) => status)
    onDone(await saveProject(project, { statuses }))
  }
  return (
    <Form label={projectMessages.whereTo(name)} onSubmit={send}>
      <FormLine>
        <p>{projectMessages.whereToWhy(name)}</p>
      </FormLine>
      <SelectField
        label={projectMessages.moveInto}
        name="status"
        options={others.map(({ key, name: label }) => ({ value: key, label }))}
      />
      <FormLine>
        {notMoved > 0 && (
          <p className="error" role="alert">
            {projectMessages.notMoved(notMoved)}
          </p>
        )}
        <div className="acts">
          <SubmitButton>{projectMessages.moveAndRemove}</SubmitButton>
          <Button kind="plain" onClick={onCancel}>
            {projectMessages.cancel}
          </Button>
          {progress && (
            <span className="quiet" role="status">
              {projectMessages.moving(progress.done, progress.total)}
            </span>
          )}
        </div>
      </FormLine>
    </Form>
  )
}
